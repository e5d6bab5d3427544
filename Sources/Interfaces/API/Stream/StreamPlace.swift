/// The place of one stream in the hub, with its mailbox.
///
/// The place ends with its last reference. A stream that never begins therefore leaves nothing behind: its client asked for the head alone,
/// went away before the answer, or a query failed.
final class StreamPlace: Sendable {
    let mailbox: StreamMailbox
    private let hub: StreamHub

    init(_ mailbox: StreamMailbox, in hub: StreamHub) {
        self.mailbox = mailbox
        self.hub = hub
    }

    deinit { hub.close(mailbox) }

    /// Ends the place before its last reference is gone.
    func end() { hub.close(mailbox) }
}
