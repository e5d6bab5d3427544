internal import CLibpq
import Glibc

/// The side of a session in ``StatementProbe``.
extension PostgresSession {
    /// Describes the planned statements one by one, and runs the others.
    func describe(
        _ statements: [SQL], for probe: StatementProbe, until deadline: Deadline
    ) throws(PostgresError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        for (index, sql) in statements.enumerated() {
            do throws(PostgresError) {
                if PreparedStatements.isPlanned(sql.text) {
                    let form = try describe(sql, until: deadline)
                    probe.note(sql.text)
                    results.append(PostgresResult(storage: try makeUp(form, of: sql, by: probe)))
                } else {
                    results.append(PostgresResult(storage: try run(sql, until: deadline)))
                }
            } catch {
                var error = error
                error.statementIndex = index
                throw error
            }
        }
        return results
    }

    /// The columns of a statement, as a result without rows.
    private func describe(_ sql: SQL, until deadline: Deadline) throws(PostgresError) -> ResultStorage {
        try parse(sql, as: "")
        _ = try result(until: deadline)
        try check(unsafe PQsendDescribePrepared(connection, ""))
        return try result(until: deadline)
    }

    private func run(_ sql: SQL, until deadline: Deadline) throws(PostgresError) -> ResultStorage {
        try send(sql, as: nil)
        return try result(until: deadline)
    }

    private func result(until deadline: Deadline) throws(PostgresError) -> ResultStorage {
        try flush(until: deadline)
        guard let last = try readResults(until: deadline).last else { throw loss }
        return last
    }

    private static let noMemory = PostgresError(.invalidStatement, message: "libpq has no memory for a made-up result")

    /// A result with the columns of `form` and made-up rows.
    private func makeUp(_ form: ResultStorage, of sql: SQL, by probe: StatementProbe) throws(PostgresError) -> ResultStorage {
        guard let made = unsafe PQmakeEmptyPGresult(connection, PGRES_TUPLES_OK) else { throw Self.noMemory }
        let names = form.columnNames
        let types = (0..<names.count).map { unsafe PQftype(form.pointer, Int32($0)) }
        var attributes = unsafe zip(names, types).map { name, type in
            unsafe PGresAttDesc(
                name: strdup(name), tableid: 0, columnid: 0, format: 1, typid: type, typlen: -1, atttypmod: -1)
        }
        // The result copies the names.
        defer { for index in unsafe attributes.indices { unsafe free(attributes[index].name) } }
        guard unsafe names.isEmpty || PQsetResultAttrs(made, Int32(names.count), &attributes) == 1 else { throw Self.noMemory }
        let rows = probe.rows(sql.text)
        // The command tag, from which the number of affected rows is read. libpq gives it 64 bytes.
        let tag = "UPDATE \(rows)"
        if let place = unsafe PQcmdStatus(made) { unsafe strcpy(place, tag) }
        for row in 0..<(names.isEmpty ? 0 : rows) {
            for (column, name) in names.enumerated() {
                var bytes: [UInt8] = []
                let value = probe.value(name, PostgresType(oid: types[column], arrayOID: 0))
                value?.encode(into: &bytes)
                let length = value.map { $0.isPostgresNull ? -1 : Int32(bytes.count) } ?? -1
                let isSet = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                    unsafe buffer.withMemoryRebound(to: CChar.self) {
                        unsafe PQsetvalue(made, Int32(row), Int32(column), $0.baseAddress, length)
                    }
                }
                guard isSet == 1 else { throw Self.noMemory }
            }
        }
        return unsafe ResultStorage(taking: made)
    }
}
