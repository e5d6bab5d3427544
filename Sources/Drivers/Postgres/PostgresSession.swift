internal import CLibpq
import Glibc

/// The owner of one libpq connection. Sends, flushes and waits, each with a deadline, and never blocks inside libpq.
///
/// A session belongs to one thread: the connection's. After an error with ``isHealthy`` false, the session must be dropped. Otherwise a
/// late result would be taken for the result of the next statement.
@safe
final class PostgresSession {
    let connection: OpaquePointer
    /// libpq's callback reaches this box through an unretained pointer, so the box must live as long as the connection.
    let notices: NoticeBox
    /// Whether a statement was left without its result.
    private var isOutOfStep = false
    let configuration: PostgresConfiguration
    /// The host of this session, as a position in the URL (``HostOrder``).
    let host: Int
    var prepared = PreparedStatements()
    /// Whether the settings of this session are wrong, and each transaction must make them for itself (``settle(until:)``).
    var needsSettings = false
    /// Set when the session is open: its own statements are run.
    var probe: StatementProbe?

    /// Takes over an open connection.
    init(connection: OpaquePointer, notices: NoticeBox, configuration: PostgresConfiguration, host: Int) {
        self.configuration = configuration
        self.host = host
        unsafe self.connection = unsafe connection
        self.notices = notices
    }

    deinit { unsafe PQfinish(connection) }

    var socket: Int32 { unsafe PQsocket(connection) }
    var isHealthy: Bool { unsafe !isOutOfStep && notices.fatal == nil && PQstatus(connection) == CONNECTION_OK }
    /// Whether the session is between BEGIN and COMMIT, in a failed transaction too.
    var isInTransaction: Bool { unsafe [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(connection)) }
    var processID: Int32 { unsafe PQbackendPID(connection) }

    /// The error of a connection that ended by itself, with the server's reason if there was one.
    var loss: PostgresError {
        if let fatal = notices.fatal { return fatal }
        return PostgresError(.connectionLost, message: unsafe Self.text(of: PQerrorMessage(connection)))
    }

    /// Whether the server has told that transactions of this session begin read-only although the session must write.
    var becameReadOnly: Bool {
        unsafe configuration.leavesReadOnlySessions
            && Self.text(of: PQparameterStatus(connection, "default_transaction_read_only")) == "on"
    }

    /// Makes new sessions try the other hosts first.
    func avoidHost() { configuration.hosts.avoid(host) }

    /// The name and port of the host, as libpq has them.
    var hostName: String { unsafe "\(Self.text(of: PQhost(connection))):\(Self.text(of: PQport(connection)))" }

    // MARK: Waiting

    /// Waits for the socket. If nothing happens before the deadline, throws `.deadlineExceeded` and marks the session out of step.
    func wait(for events: Int32, until deadline: Deadline) throws(PostgresError) -> Int32 {
        let ready = pollSocket(socket, for: events, until: deadline)
        guard ready != 0 else {
            isOutOfStep = true
            throw PostgresError(.deadlineExceeded, message: "no answer from the server before the deadline")
        }
        return ready
    }

    /// Sends the bytes that libpq still holds, and reads meanwhile: if neither side read, both could wait for ever.
    func flush(until deadline: Deadline) throws(PostgresError) {
        while unsafe PQflush(connection) == 1 {
            let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
            // Do not throw here: the read of the result reports a broken connection with the server's reason.
            if ready & ~POLLOUT != 0, unsafe PQconsumeInput(connection) == 0 { return }
        }
    }

    /// The next result of the current statement, or nil when there are no more.
    func nextResult(until deadline: Deadline) throws(PostgresError) -> ResultStorage? {
        while unsafe PQisBusy(connection) == 1 {
            _ = try wait(for: POLLIN, until: deadline)
            // After a failure, PQgetResult reports the loss at once instead of waiting.
            if unsafe PQconsumeInput(connection) == 0 { break }
        }
        guard let result = unsafe PQgetResult(connection) else { return nil }
        return unsafe ResultStorage(taking: result)
    }

    /// Reads unrequested input. Returns false if the session proves dead.
    func absorbInput() -> Bool {
        while pollSocket(socket, for: POLLIN, until: .now) != 0 {
            if unsafe PQconsumeInput(connection) == 0 { return false }
            // PQisBusy makes libpq parse the messages, which may include a FATAL error.
            _ = unsafe PQisBusy(connection)
            if !isHealthy { return false }
        }
        return isHealthy
    }

    // MARK: Sending

    /// Passes one statement to libpq in the extended protocol, with results in binary format. A prepared statement is sent by its name.
    func send(_ sql: SQL, as name: String?) throws(PostgresError) {
        let bindings = sql.bindings
        let count = bindings.count
        let accepted = unsafe bindings.bytes.withUnsafeBufferPointer { bytes in
            let base = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            let values = unsafe (0..<count).map { index -> UnsafePointer<CChar>? in
                unsafe bindings.lengths[index] < 0 ? nil : base.map { unsafe $0 + bindings.offsets[index] }
            }
            let binary = [Int32](repeating: 1, count: count)
            if let name { return unsafe PQsendQueryPrepared(connection, name, Int32(count), values, bindings.lengths, binary, 1) }
            return unsafe PQsendQueryParams(connection, sql.text, Int32(count), bindings.types, values, bindings.lengths, binary, 1)
        }
        try check(accepted)
        if name == nil { prepared.note(sql) }
    }

    /// Makes the server parse a statement under `name`.
    func parse(_ sql: SQL, as name: String) throws(PostgresError) {
        try check(unsafe PQsendPrepare(connection, name, sql.text, Int32(sql.bindings.count), sql.bindings.types))
    }

    /// Throws libpq's error when libpq did not accept a call. The session is then out of step.
    func check(_ accepted: Int32) throws(PostgresError) {
        guard accepted == 1 else {
            isOutOfStep = true
            throw loss
        }
    }

    func markOutOfStep() { isOutOfStep = true }

    static func text(of pointer: UnsafePointer<CChar>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
}
