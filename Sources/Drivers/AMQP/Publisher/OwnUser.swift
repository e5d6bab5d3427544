/// The user that a publisher names on its messages. The broker compares the name with the login of the connection, so whoever receives
/// such a message knows who published it.
struct OwnUser {
    /// Bytes of a short string, which the property is.
    private static let longest = 255

    /// Nil: the messages name nobody.
    private(set) var name: String?

    init(_ name: String) { self.name = (1...Self.longest).contains(name.utf8.count) ? name : nil }

    /// The message with this user on it, unless it names one already.
    func signing(_ message: OutgoingMessage) -> OutgoingMessage {
        guard message.userID == nil, let name else { return message }
        var signed = message
        signed.userID = name
        return signed
    }

    /// Whether the broker closed the channel because it knows this connection by another name. An authentication backend may choose the
    /// name, for example from a token. Messages name nobody from then on.
    mutating func isRefused(by error: AMQPError) -> Bool {
        guard let name, case .channelClosed(code: 406, let text) = error, text.contains("user_id property set to '\(name)'") else {
            return false
        }
        self.name = nil
        return true
    }
}
