/// The user that a publisher puts on its messages. The broker compares it with the login of the connection, so a receiver knows who
/// published the message.
struct OwnUser {
    /// The largest size in bytes: the property is a short string.
    private static let longest = 255

    /// The name of the user. Nil leaves the messages without a user.
    private(set) var name: String?

    init(_ name: String) { self.name = (1...Self.longest).contains(name.utf8.count) ? name : nil }

    /// The message with this user, unless it already has a user.
    func signing(_ message: OutgoingMessage) -> OutgoingMessage {
        guard message.userID == nil, let name else { return message }
        var signed = message
        signed.userID = name
        return signed
    }

    /// Whether the broker closed the channel because it knows this connection by another name. An authentication backend may choose the
    /// name, for example from a token. If so, messages have no user from then on.
    mutating func isRefused(by error: AMQPError) -> Bool {
        guard let name, case .channelClosed(code: 406, let text) = error, text.contains("user_id property set to '\(name)'") else {
            return false
        }
        self.name = nil
        return true
    }
}
