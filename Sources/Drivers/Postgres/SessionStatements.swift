internal import CLibpq
import Glibc

/// Operations of a session. Each reads all its results, so that the next statement finds the session in step.
extension PostgresSession {
    /// Runs one statement.
    func query(_ sql: SQL, until deadline: Deadline) throws(PostgresError) -> PostgresResult {
        if let probe { return try describe([sql], for: probe, until: deadline)[0] }
        let steps = steps(for: [sql])
        guard steps.count == 1, settings(before: [sql]).isEmpty else { return try pipeline([sql], until: deadline)[0] }
        try send(steps[0])
        try flush(until: deadline)
        let results: [ResultStorage]
        do throws(PostgresError) { results = try readResults(until: deadline) } catch { throw judge(error, of: steps[0]) }
        guard let last = results.last else { throw PostgresError(.connectionLost, message: "the server sent no result") }
        return PostgresResult(storage: last)
    }

    /// Runs several statements in one text, in the simple protocol. A text without BEGIN is one transaction. Returns the name of the last
    /// statement in the server's command tag.
    func script(_ text: String, until deadline: Deadline) throws(PostgresError) -> Substring {
        try check(unsafe PQsendQuery(connection, text))
        try flush(until: deadline)
        return try readResults(until: deadline).last.map { PostgresResult(storage: $0).command } ?? ""
    }

    /// Runs statements in one round trip, with one synchronisation point at the end.
    func pipeline(_ statements: [SQL], until deadline: Deadline) throws(PostgresError) -> [PostgresResult] {
        if let probe { return try describe(statements, for: probe, until: deadline) }
        let settings = settings(before: statements)
        let steps = steps(for: settings + statements)
        try check(unsafe PQenterPipelineMode(connection))
        for step in steps { try send(step) }
        try check(unsafe PQpipelineSync(connection))
        try flush(until: deadline)
        var results: [PostgresResult] = []
        results.reserveCapacity(settings.count + statements.count)
        var failure: PostgresError?
        for step in steps {
            do throws(PostgresError) {
                let answers = try readResults(until: deadline, passing: PGRES_PIPELINE_ABORTED)
                switch step.action {
                case .parse(let name): if failure == nil { prepared.confirm(step.sql, as: name) }
                case .run: results += answers.map(PostgresResult.init)
                }
            } catch {
                failure = failure ?? judge(error, of: step).at(statement: max(0, step.statement - settings.count))
                guard isHealthy else { break }
            }
        }
        do throws(PostgresError) {
            if isHealthy { try leavePipeline(until: deadline) }
        } catch {
            // The server may name the reason for the end of the session in its answer to a statement.
            guard var failure else { throw error }
            failure.kind = error.kind
            throw failure
        }
        if let failure { throw failure }
        results.removeFirst(settings.count)
        return results
    }

    /// The settings to send ahead of statements that are a transaction of their own. They end with it. Empty if the session has them
    /// already, or if a statement cannot run in a transaction with others.
    private func settings(before statements: [SQL]) -> [SQL] {
        guard needsSettings, !isInTransaction, statements.allSatisfy({ PreparedStatements.isPlanned($0.text) }) else { return [] }
        return ["select \(Self.transactionSettings)"]
    }

    /// One message of a pipeline. Most statements are one message. A statement that gets a name has a parse message before.
    private struct Step {
        enum Action {
            case parse(as: String)
            case run(as: String?)
        }

        let statement: Int
        let sql: SQL
        let action: Action
    }

    private func steps(for statements: [SQL]) -> [Step] {
        var steps: [Step] = []
        var parsing: Set<String> = []
        for (index, sql) in statements.enumerated() {
            let form = configuration.naming.isAllowed ? prepared.form(of: sql) : .unnamed
            if case .new(let name) = form, parsing.insert(name).inserted {
                steps.append(Step(statement: index, sql: sql, action: .parse(as: name)))
            }
            steps.append(Step(statement: index, sql: sql, action: .run(as: form.name)))
        }
        return steps
    }

    private func send(_ step: Step) throws(PostgresError) {
        switch step.action {
        case .parse(let name): try parse(step.sql, as: name)
        case .run(let name): try send(step.sql, as: name)
        }
    }

    /// Turns an error about a prepared name or its stale plan into a lost session. Nothing was executed, and another session can execute
    /// the statement.
    private func judge(_ error: PostgresError, of step: Step) -> PostgresError {
        if case .run(nil) = step.action { return error }
        guard error.isAboutNames || error.isAboutStalePlan else { return error }
        if error.isAboutNames { configuration.naming.forbid() }
        markOutOfStep()
        var error = error
        error.kind = .connectionLost
        error.isUnsent = true
        return error
    }

    private func leavePipeline(until deadline: Deadline) throws(PostgresError) {
        guard let mark = try nextResult(until: deadline), mark.status == PGRES_PIPELINE_SYNC else {
            markOutOfStep()
            throw loss
        }
        try check(unsafe PQexitPipelineMode(connection))
    }

    /// Runs COPY … FROM STDIN with all rows in memory. Returns the number of rows.
    func copyIn(_ statement: SQL, bytes: [UInt8], until deadline: Deadline) throws(PostgresError) -> Int {
        try send(statement, as: nil)
        try flush(until: deadline)
        guard let first = try nextResult(until: deadline) else { throw loss }
        guard first.status == PGRES_COPY_IN else {
            let error = unsafe PostgresError(failed: first.pointer)
            _ = try? readResults(until: deadline)
            throw error
        }
        try put(bytes, until: deadline)
        while true {
            let accepted = unsafe PQputCopyEnd(connection, nil)
            if accepted == 1 { break }
            try waitToPut(accepted, until: deadline)
        }
        try flush(until: deadline)
        return try readResults(until: deadline).last.map { PostgresResult(storage: $0).affectedRows } ?? 0
    }

    private func put(_ bytes: [UInt8], until deadline: Deadline) throws(PostgresError) {
        var start = 0
        while start < bytes.count {
            let end = min(start + CopyBuffer.chunkSize, bytes.count)
            let accepted = unsafe bytes[start..<end].withUnsafeBytes { chunk in
                unsafe PQputCopyData(connection, chunk.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(chunk.count))
            }
            if accepted == 1 {
                start = end
                // Flush after each chunk: this keeps libpq's own buffer at about one chunk.
                try flush(until: deadline)
            } else {
                try waitToPut(accepted, until: deadline)
            }
        }
    }

    /// Handles a refused write. 0 means that libpq's buffer is full. Any other value means that the connection is broken.
    private func waitToPut(_ accepted: Int32, until deadline: Deadline) throws(PostgresError) {
        guard accepted == 0 else { return try check(accepted) }
        try flush(until: deadline)
    }

    /// Reads all results of a statement. Throws the first error, which names the reason when the server ends the session. Later errors only
    /// say that the connection is closed.
    func readResults(
        until deadline: Deadline, passing passed: ExecStatusType = PGRES_NONFATAL_ERROR
    ) throws(PostgresError) -> [ResultStorage] {
        var results: [ResultStorage] = []
        var failure: PostgresError?
        while let result = try nextResult(until: deadline) {
            switch result.status {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: results.append(result)
            case passed: break
            case PGRES_FATAL_ERROR: failure = unsafe failure ?? PostgresError(failed: result.pointer)
            default:
                // A COPY that copyIn did not start: its end would never come.
                markOutOfStep()
                throw PostgresError(.invalidStatement, message: "COPY is not possible here")
            }
            if unsafe PQstatus(connection) != CONNECTION_OK { break }
        }
        guard isHealthy else {
            var error = failure ?? loss
            error.kind = .connectionLost
            throw error
        }
        if let failure { throw failure }
        return results
    }
}

extension PostgresError {
    /// Copies the fields of a failed result.
    init(failed result: OpaquePointer) {
        func field(_ code: Int32) -> String? { unsafe PQresultErrorField(result, code).map { unsafe String(cString: $0) } }
        let sqlState = field(TIDINGS_DIAG_SQLSTATE)
        self.init(
            sqlState == nil ? .connectionLost : .server, sqlState: sqlState,
            message: unsafe field(TIDINGS_DIAG_MESSAGE) ?? PostgresSession.text(of: PQresultErrorMessage(result)),
            detail: field(TIDINGS_DIAG_DETAIL), hint: field(TIDINGS_DIAG_HINT),
            constraint: field(TIDINGS_DIAG_CONSTRAINT))
    }

    fileprivate func at(statement index: Int) -> PostgresError {
        var error = self
        error.statementIndex = index
        return error
    }
}
