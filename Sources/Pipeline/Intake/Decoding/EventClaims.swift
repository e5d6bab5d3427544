import TidingsContracts
import TidingsJSON

/// The attributes and the people that a refused event names, read from its bytes as far as they can be read. They are claims: the event may
/// be broken, and anybody may have written it.
///
/// All received bytes are read, up to the limit of a message. Only a part of a large event is kept, and its `data` may stand before its
/// attributes.
struct EventClaims {
    private(set) var source: String?
    private(set) var eventID: String?
    private(set) var type: String?
    private(set) var tenant: String?
    /// Each person once, in order, at most ``IntentLimits/maximumRecipients``.
    private(set) var recipients: [String] = []
    /// Whether each value that was read has the right form and place. False, for example, if an id is a number.
    private(set) var isExact = true

    private let mostRecipients: Int
    private var known: Set<[UInt8]> = []

    /// The longest text that is kept, in code points. No valid attribute is longer. One character may consist of thousands of code points.
    static let longestText = 512

    /// - Parameters:
    ///   - received: the bytes of the refused event, or of the whole message. A byte order mark at their start is passed over.
    ///   - attributes: the attributes that stand in headers.
    init(in received: ArraySlice<UInt8>, attributes: [HeaderAttribute], limits: IntentLimits) {
        mostRecipients = limits.maximumRecipients
        var reader = LenientReader(received.prefix(limits.maximumMessageBytes))
        if attributes.isEmpty {
            readMessage(&reader)
        } else {
            for attribute in attributes { take(attribute.name, EventClaims.shortened(attribute.value)) }
            _ = enclosedData(&reader)
        }
    }

    /// Reads an event or a batch, also if it is a string that holds them. Some producers encode an event twice.
    private mutating func readMessage(_ reader: inout LenientReader) {
        if reader.next() == UInt8(ascii: "\"") {
            _ = enclosed(&reader) { $0.readEvents(&$1) }
        } else {
            readEvents(&reader)
        }
    }

    /// Reads an event, or the events of a batch that could not be separated. The attributes are those of the first event.
    private mutating func readEvents(_ reader: inout LenientReader) {
        guard reader.next() == UInt8(ascii: "[") else {
            _ = event(&reader, isFirst: true)
            return
        }
        var isFirst = true
        _ = reader.array { reader in
            defer { isFirst = false }
            return event(&reader, isFirst: isFirst)
        }
    }

    private mutating func event(_ reader: inout LenientReader, isFirst: Bool) -> Bool {
        reader.object { reader, name in
            switch name {
            case "source" where isFirst, "id" where isFirst, "type" where isFirst: return text(&reader) { $0.take(name, $1) }
            case "data": return enclosedData(&reader)
            // These members belong into `data`.
            case "recipient", "recipients", "tenant":
                isExact = false
                return member(name, &reader)
            default: return reader.skip()
            }
        }
    }

    /// Keeps an attribute. Of two attributes with one name, the first stands before the fault.
    private mutating func take(_ attribute: String, _ text: String) {
        switch attribute {
        case "source": source = source ?? text
        case "id": eventID = eventID ?? text
        case "type": type = type ?? text
        default: break
        }
    }

    /// Reads `data`, also if it is a string that holds the object.
    private mutating func enclosedData(_ reader: inout LenientReader) -> Bool {
        switch reader.next() {
        case UInt8(ascii: "{"): return data(&reader)
        case UInt8(ascii: "\""): return enclosed(&reader) { _ = $0.data(&$1) }
        default: return reader.skip()
        }
    }

    /// Reads the JSON that a string holds. Returns false if the string is broken.
    private mutating func enclosed(
        _ reader: inout LenientReader, _ read: (inout EventClaims, inout LenientReader) -> Void
    ) -> Bool {
        isExact = false
        guard let scalar = reader.scalar() else { return false }
        if case .string(let text) = scalar {
            var inner = LenientReader(ArraySlice(text.utf8))
            read(&self, &inner)
        }
        return true
    }

    private mutating func data(_ reader: inout LenientReader) -> Bool {
        reader.object { reader, name in member(name, &reader) }
    }

    private mutating func member(_ name: String, _ reader: inout LenientReader) -> Bool {
        switch name {
        case "tenant": return text(&reader) { $0.tenant = $0.tenant ?? $1 }
        case "recipient", "recipients":
            let isList = reader.next() == UInt8(ascii: "[")
            if isList != (name == "recipients") { isExact = false }
            return isList ? reader.array { reader in person(&reader) } : person(&reader)
        default: return reader.skip()
        }
    }

    private mutating func person(_ reader: inout LenientReader) -> Bool {
        text(&reader) { claims, person in
            guard !person.isEmpty, claims.recipients.count < claims.mostRecipients else { return }
            if claims.known.insert(Array(person.utf8)).inserted { claims.recipients.append(person) }
        }
    }

    /// Hands the value at this place to `use`, as a text. A value that is no text is passed over. Returns false if the value is broken.
    private mutating func text(_ reader: inout LenientReader, _ use: (inout EventClaims, String) -> Void) -> Bool {
        switch reader.scalar() {
        case .string(let text)?: use(&self, EventClaims.shortened(text))
        case .repaired(let text)?, .number(let text)?:
            isExact = false
            use(&self, EventClaims.shortened(text))
        case .other?: break
        case nil: return false
        }
        return true
    }

    private static func shortened(_ text: String) -> String { String(text.unicodeScalars.prefix(longestText)) }
}
