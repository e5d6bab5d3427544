/// A message of NOTIFY. It is only a hint to read the data, because notifications are lost while a connection is down.
public struct PostgresNotification: Sendable, Hashable {
    public var channel: String
    /// The payload, shorter than 8,000 bytes. Empty if NOTIFY had none.
    public var payload: String
    /// The server process that sent the notification.
    public var processID: Int32
}
