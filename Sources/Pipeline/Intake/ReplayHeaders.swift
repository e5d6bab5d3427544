public import TidingsAMQP
import TidingsContracts
import TidingsEncodings
import TidingsJSON

/// The headers that a replay sends again, as JSON text in a row: those that decide how a router reads the message. These are the attributes of
/// binary mode, also in the spelling of another binding, the trace context, and the ids that the HTTP API promised.
///
/// No other header is sent. `x-death` tells of the first message, and `CC` would route the replay to further queues.
public enum ReplayHeaders {
    private static let traceparent = "traceparent"
    /// The members of a value that JSON has no text for: bytes, and seconds since 1970.
    private static let (base64, timestamp) = ("base64", "timestamp")

    /// Returns the headers as JSON text. Nil if attributes of binary mode may be missing, because an event without them is another event.
    ///
    /// The text is bounded: the driver keeps at most ``AMQPMessage/maximumHeaderValues`` and ``AMQPMessage/maximumHeaderBytes``, and a text
    /// takes at most twice its size in JSON.
    ///
    /// - Parameter withIDs: whether the promised ids are kept. Only a user that may vouch for others is believed about them.
    static func text(of message: AMQPMessage, withIDs: Bool) -> String? {
        if case .cut = ContentMode(IncomingMessage(message)) { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in message.headers.sorted(by: { $0.key < $1.key }) where isSent(name, withIDs: withIDs) {
            write(value, named: name, to: &writer)
        }
        writer.endObject()
        return writer.text
    }

    private static func isSent(_ name: String, withIDs: Bool) -> Bool {
        // The parser of JSON refuses a NUL, and no event with such a name is accepted.
        guard !name.utf8.contains(0) else { return false }
        return name == traceparent || ContentMode.isAttribute(name) || (withIDs && name == QueueNames.idsHeader)
    }

    private static func write(_ value: AMQPValue, named name: String, to writer: inout JSONWriter) {
        switch value {
        case .string(let text) where text.utf8.allSatisfy({ $0 >= 0x20 }): writer.member(name, text)
        // A control character would take six bytes in JSON.
        case .string(let text): write(Array(text.utf8), named: name, to: &writer)
        case .bytes(let bytes): write(bytes, named: name, to: &writer)
        case .timestamp(let seconds):
            writer.key(name)
            writer.beginObject()
            writer.member(timestamp, seconds)
            writer.endObject()
        // A router reads these values as texts.
        case .int, .double, .bool: writer.member(name, value.text ?? "")
        case .array, .table, .void, .tooDeep: break
        }
    }

    private static func write(_ bytes: [UInt8], named name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        writer.member(base64, Base64.encode(bytes))
        writer.endObject()
    }

    /// Returns the headers of a kept message. The text is one that a router has written: members of any other form are left out.
    public static func values(in text: String) -> [String: AMQPValue] {
        var headers: [String: AMQPValue] = [:]
        for entry in (try? JSON.parse(text))?.objectValue?.entries ?? [] {
            if let text = entry.value.stringValue {
                headers[entry.key] = .string(text)
            } else if let bytes = entry.value[base64]?.stringValue.flatMap({ Base64.decode($0) }) {
                headers[entry.key] = .bytes(bytes)
            } else if let seconds = entry.value[timestamp]?.intValue {
                headers[entry.key] = .timestamp(Int64(seconds))
            }
        }
        return headers
    }
}
