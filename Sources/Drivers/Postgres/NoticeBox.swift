internal import CLibpq

/// Keeps the notices of a session that change the meaning of an answer. Drops all other notices.
final class NoticeBox {
    /// The server's final error. If it arrives while no statement runs, libpq reports it only as a notice.
    private(set) var fatal: PostgresError?
    /// The first warning since ``forgetDoubt()`` that contradicts the answer of a statement.
    private(set) var doubt: PostgresError?

    /// Installs the box as the receiver of notices, which also keeps libpq from writing them to standard error. The box must outlive the
    /// connection.
    func attach(to connection: OpaquePointer) {
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { box, result in
                guard let box = unsafe box, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeBox>.fromOpaque(box).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func forgetDoubt() { doubt = nil }

    private func receive(_ result: OpaquePointer) {
        switch unsafe PostgresSession.text(of: PQresultErrorField(result, TIDINGS_DIAG_SEVERITY)) {
        case "FATAL", "PANIC":
            guard fatal == nil else { return }
            fatal = unsafe PostgresError(failed: result)
            fatal?.kind = .connectionLost
        case "WARNING":
            guard doubt == nil else { return }
            let routine = unsafe PostgresSession.text(of: PQresultErrorField(result, TIDINGS_DIAG_ROUTINE))
            doubt = unsafe Self.doubt(PostgresError(failed: result), of: routine)
        default: break
        }
    }

    /// The routine of the server in which a commit waits for a synchronous standby.
    private static let waitForStandby = "SyncRepWaitForLSN"

    /// Returns the warning as an error if an answer does not mean what it says. Nil for every other warning.
    ///
    /// - Parameter routine: the routine of the server that gave the warning. Unlike the text, it does not depend on the server's language.
    static func doubt(_ warning: PostgresError, of routine: String) -> PostgresError? {
        var doubt = warning
        switch warning.sqlState {
        case _ where routine == waitForStandby:
            doubt.kind = .notReplicated
            doubt.isAmbiguousCommit = true
        // BEGIN inside a transaction, and COMMIT outside of one: the statements between them were not the transaction that was meant.
        case "25001", "25P01": doubt.kind = .connectionLost
        default: return nil
        }
        return doubt
    }
}
