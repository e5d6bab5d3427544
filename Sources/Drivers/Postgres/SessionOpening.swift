internal import CLibpq
import Glibc
import TidingsSocket

extension PostgresSession {
    /// Opens a connection to the first host that gives a suitable one, and waits for it until the deadline. Only name resolution may take
    /// longer, because libpq resolves in a blocking call.
    ///
    /// If the server at a host refuses the user or the database, or has no room, the other hosts are not tried.
    static func open(_ configuration: PostgresConfiguration, until deadline: Deadline) throws(PostgresError) -> PostgresSession {
        let order = configuration.hosts.order()
        var failures: [PostgresError] = []
        for (position, host) in order.enumerated() {
            let share = ContinuousClock.now.duration(to: deadline) / (order.count - position)
            do throws(PostgresError) {
                let session = try open(configuration, host: host, until: .now + share)
                configuration.hosts.trust(host)
                return session
            } catch {
                guard error.retryability == .reconnect || error.isReadOnly else { throw error }
                configuration.hosts.avoid(host)
                failures.append(error)
            }
        }
        // A standby is as it should be. The reason is the failure of another host.
        throw failures.first { !$0.isReadOnly } ?? failures[0]
    }

    private static func open(
        _ configuration: PostgresConfiguration, host: Int, until deadline: Deadline
    ) throws(PostgresError) -> PostgresSession {
        guard let connection = unsafe start(configuration, at: configuration.hosts.hosts[host]) else {
            throw PostgresError(.connectFailed, message: "out of memory")
        }
        let notices = NoticeBox()
        unsafe notices.attach(to: connection)
        // The session owns the connection from here on, so every exit frees the connection.
        let session = unsafe PostgresSession(connection: connection, notices: notices, configuration: configuration, host: host)
        // Verbose messages contain the SQLSTATE. For a refused connection, the message is its only source.
        unsafe PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        try session.finishOpening(until: deadline)
        unsafe PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        try session.check(unsafe PQsetnonblocking(connection, 1) == 0 ? 1 : 0)
        try session.settle(until: deadline)
        session.probe = configuration.probe
        return session
    }

    /// Finds out whether a pooler stands between, and makes the settings of the session. One round trip.
    ///
    /// - `jit` is off. The planner expects a high cost for a statement that may read every partition, so the server would compile it first.
    ///   The compilation takes far longer than reading the rows.
    /// - `client_min_messages` lets warnings through. One of them says that a commit was not replicated (``NoticeBox``).
    ///
    /// They are no parameters of the connection, because poolers refuse parameters that they do not know.
    ///
    /// A pooler answers with a process ID of its own. Behind it, a setting or a name of this session may meet another session of the
    /// server next time. So there are no names, and ``settings(before:)`` makes the settings again for each transaction.
    private func settle(until deadline: Deadline) throws(PostgresError) {
        let isDirect: Bool
        do throws(PostgresError) {
            let answer = try query(
                """
                select pg_backend_pid() = \(Int(processID)), current_setting('jit') = 'off' and \(Self.showsWarnings),
                    case when pg_backend_pid() = \(Int(processID)) then set_config('jit', 'off', false) end,
                    case when pg_backend_pid() = \(Int(processID)) then set_config('client_min_messages', \(Self.messages), false) end
                """, until: deadline)
            guard let row = answer.rows.first else { throw PostgresError(.connectFailed, message: "the server sent no row") }
            let isSet: Bool
            (isDirect, isSet, _, _) = try row.decode((Bool, Bool, String?, String?).self)
            needsSettings = !isDirect && !isSet
        } catch {
            var error = error
            error.kind = .connectFailed
            error.isUnsent = false
            throw error
        }
        if !isDirect { configuration.naming.forbid() }
    }

    private static let showsWarnings: SQL = "current_setting('client_min_messages') not in ('error', 'fatal', 'panic')"

    /// The value of `client_min_messages`: that of the session, unless it hides warnings.
    private static let messages: SQL = "case when \(showsWarnings) then current_setting('client_min_messages') else 'warning' end"

    /// The settings of ``settle(until:)`` for one transaction, as members of a SELECT.
    static let transactionSettings: SQL =
        "set_config('jit', 'off', true), set_config('client_min_messages', \(messages), true)"

    /// Starts to connect. The URL may override the parameters before `dbname`. The parameters after `dbname` override the URL.
    private static func start(_ configuration: PostgresConfiguration, at host: HostOrder.Host) -> OpaquePointer? {
        var parameters: [(String, String)] = [
            ("fallback_application_name", configuration.applicationName),
            // The kernel notices a vanished peer on an idle connection after 30 s + 3 × 10 s.
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("target_session_attrs", configuration.needsWritableSession ? "read-write" : "any"),
            ("dbname", configuration.url),
            ("client_encoding", "UTF8"),
        ]
        for (keyword, value) in [("host", host.host), ("hostaddr", host.address), ("port", host.port)] {
            if let value { parameters.append((keyword, value)) }
        }
        let strings = unsafe parameters.flatMap { unsafe [strdup($0.0), strdup($0.1)] }
        defer { unsafe strings.forEach { unsafe free($0) } }
        var keywords: [UnsafePointer<CChar>?] = unsafe []
        var values: [UnsafePointer<CChar>?] = unsafe []
        for index in parameters.indices {
            unsafe keywords.append(UnsafePointer(strings[2 * index]))
            unsafe values.append(UnsafePointer(strings[2 * index + 1]))
        }
        unsafe keywords.append(nil)
        unsafe values.append(nil)
        return unsafe PQconnectStartParams(keywords, values, 1)
    }

    /// Runs libpq's documented loop. It starts as if the first poll had asked to write. It reads the socket anew each time, because the
    /// socket may change.
    private func finishOpening(until deadline: Deadline) throws(PostgresError) {
        guard unsafe PQstatus(connection) != CONNECTION_BAD else { throw refusal }
        var phase = PGRES_POLLING_WRITING
        while true {
            switch phase {
            case PGRES_POLLING_OK:
                guard SpareDescriptor.isFree else {
                    throw PostgresError(
                        .connectFailed, message: unsafe "no file descriptor is left: \(String(cString: strerror(errno)))")
                }
                return
            case PGRES_POLLING_READING: try waitToOpen(for: POLLIN, until: deadline)
            case PGRES_POLLING_WRITING: try waitToOpen(for: POLLOUT, until: deadline)
            default: throw refusal
            }
            phase = unsafe PQconnectPoll(connection)
        }
    }

    private func waitToOpen(for events: Int32, until deadline: Deadline) throws(PostgresError) {
        guard pollSocket(socket, for: events, until: deadline) != 0 else {
            throw PostgresError(.connectFailed, message: "no connection before the deadline")
        }
    }

    private var refusal: PostgresError {
        let message = unsafe Self.text(of: PQerrorMessage(connection))
        return PostgresError(.connectFailed, sqlState: Self.sqlState(inVerbose: message), message: message)
    }

    /// Finds `28P01` in `FATAL:  28P01: password authentication failed`. If several hosts were tried, returns the last code.
    static func sqlState(inVerbose message: String) -> String? {
        message.split(separator: " ").last { word in
            word.utf8.count == 6 && word.hasSuffix(":")
                && word.utf8.dropLast().allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
                && word.utf8.dropLast().contains { (0x30...0x39).contains($0) }
        }
        .map { String($0.dropLast()) }
    }
}
