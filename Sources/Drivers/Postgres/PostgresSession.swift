internal import CLibpq
import Glibc

/// The owner of one libpq connection: sends, flushes and waits, each with a deadline, and never blocks in libpq itself.
///
/// It lives on one thread: the connection's. After an error with ``isHealthy`` false it must be dropped, because an answer still to come
/// would be taken for the next statement's.
@safe
final class PostgresSession {
    let connection: OpaquePointer
    /// Reached by libpq's callback through an unretained pointer, so it must live as long as the connection.
    private let notices: NoticeBox
    /// A statement was left without its answer.
    private var isOutOfStep = false
    let configuration: PostgresConfiguration
    var prepared = PreparedStatements()

    /// Takes over an open connection.
    init(connection: OpaquePointer, notices: NoticeBox, configuration: PostgresConfiguration) {
        self.configuration = configuration
        unsafe self.connection = unsafe connection
        self.notices = notices
    }

    deinit { unsafe PQfinish(connection) }

    var socket: Int32 { unsafe PQsocket(connection) }
    var isHealthy: Bool { unsafe !isOutOfStep && notices.fatal == nil && PQstatus(connection) == CONNECTION_OK }
    /// Inside BEGIN … COMMIT, failed or not.
    var isInTransaction: Bool { unsafe [PQTRANS_INTRANS, PQTRANS_INERROR].contains(PQtransactionStatus(connection)) }
    var processID: Int32 { unsafe PQbackendPID(connection) }

    /// The error of a connection that ended by itself; with the server's reason if it gave one.
    var loss: PostgresError {
        if let fatal = notices.fatal { return fatal }
        return PostgresError(.connectionLost, message: unsafe Self.text(of: PQerrorMessage(connection)))
    }

    // MARK: Waiting

    /// Waits for the socket; throws `.deadlineExceeded` and marks the session out of step when nothing happens in time.
    func wait(for events: Int32, until deadline: Deadline) throws(PostgresError) -> Int32 {
        let ready = pollSocket(socket, for: events, until: deadline)
        guard ready != 0 else {
            isOutOfStep = true
            throw PostgresError(.deadlineExceeded, message: "no answer from the server before the deadline")
        }
        return ready
    }

    /// Sends what libpq holds back, reading meanwhile: if neither side read, both could wait for ever.
    func flush(until deadline: Deadline) throws(PostgresError) {
        while unsafe PQflush(connection) == 1 {
            let ready = try wait(for: POLLIN | POLLOUT, until: deadline)
            // A broken connection shows when its answer is read, with the reason the server gave.
            if ready & ~POLLOUT != 0, unsafe PQconsumeInput(connection) == 0 { return }
        }
    }

    /// The next result of the statement under way; nil when it has no more.
    func nextResult(until deadline: Deadline) throws(PostgresError) -> ResultStorage? {
        while unsafe PQisBusy(connection) == 1 {
            _ = try wait(for: POLLIN, until: deadline)
            // After a failure PQgetResult reports the loss at once instead of waiting.
            if unsafe PQconsumeInput(connection) == 0 { break }
        }
        guard let result = unsafe PQgetResult(connection) else { return nil }
        return unsafe ResultStorage(taking: result)
    }

    /// Reads what came without being asked for; false if the session turns out to be dead.
    func absorbInput() -> Bool {
        while pollSocket(socket, for: POLLIN, until: .now) != 0 {
            if unsafe PQconsumeInput(connection) == 0 { return false }
            // PQisBusy has libpq take the messages apart, a FATAL among them.
            _ = unsafe PQisBusy(connection)
            if !isHealthy { return false }
        }
        return isHealthy
    }

    /// The next notification that has arrived.
    func nextNotification() -> PostgresNotification? {
        guard let notification = unsafe PQnotifies(connection) else { return nil }
        defer { unsafe PQfreemem(notification) }
        return unsafe PostgresNotification(
            channel: Self.text(of: notification.pointee.relname), payload: Self.text(of: notification.pointee.extra),
            processID: notification.pointee.be_pid)
    }

    // MARK: Sending

    /// Gives one statement to libpq in the extended protocol, results in binary format; by its name if it has one.
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

    /// Has the server parse a statement, to be executed by `name`.
    func parse(_ sql: SQL, as name: String) throws(PostgresError) {
        try check(unsafe PQsendPrepare(connection, name, sql.text, Int32(sql.bindings.count), sql.bindings.types))
    }

    /// Throws what libpq says when it did not accept something; the session is then out of step.
    func check(_ accepted: Int32) throws(PostgresError) {
        guard accepted == 1 else {
            isOutOfStep = true
            throw loss
        }
    }

    func markOutOfStep() { isOutOfStep = true }

    static func text(of pointer: UnsafePointer<CChar>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
}

/// Keeps the server's last words: an error that arrives while no statement runs reaches libpq's user only as a notice.
final class NoticeBox {
    fileprivate(set) var fatal: PostgresError?

    /// Also keeps libpq from writing notices to standard error. The box must outlive the connection.
    func attach(to connection: OpaquePointer) {
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { box, result in
                guard let box = unsafe box, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeBox>.fromOpaque(box).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ result: OpaquePointer) {
        let severity = unsafe PostgresSession.text(of: PQresultErrorField(result, TIDINGS_DIAG_SEVERITY))
        guard severity == "FATAL" || severity == "PANIC", fatal == nil else { return }
        fatal = unsafe PostgresError(failed: result)
        fatal?.kind = .connectionLost
    }
}
