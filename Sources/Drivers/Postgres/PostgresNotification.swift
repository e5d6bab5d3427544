/// What NOTIFY sent. Only a hint that there is something to read: notifications are lost while a connection is down.
public struct PostgresNotification: Sendable, Hashable {
    public var channel: String
    /// Less than 8,000 bytes, empty if none was given.
    public var payload: String
    /// The server process that notified.
    public var processID: Int32
}
