import TidingsAMQP
import TidingsCrypto
import TidingsEncodings

extension OutgoingMessage {
    /// The longest message id that AMQP 0-9-1 carries, in bytes. The id of an event may have 256 bytes.
    private static let longestID = 255

    /// Returns a message id for the id of an event: the id itself, or its SHA-256 in hexadecimal if the id is too long. It is the same for
    /// every try to publish the event.
    static func messageID(for eventID: String) -> String {
        eventID.utf8.count <= longestID ? eventID : Hexadecimal.encode(SHA256.hash(eventID.utf8))
    }
}
