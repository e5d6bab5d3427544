import TidingsContracts

/// The attributes and the people that a refused event names, read from its kept bytes as far as they can be read. They are claims: the event
/// may be broken, and anybody may have written it.
///
/// The kept bytes are at most those of one event, so this reading is bounded.
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

    /// - Parameter rejection: a rejection with its kept bytes, and with the attributes that stand in headers.
    init(in rejection: Rejection, limits: IntentLimits) {
        mostRecipients = limits.maximumRecipients
        var reader = LenientReader(rejection.raw)
        if rejection.attributes.isEmpty {
            readEvents(&reader)
        } else {
            for attribute in rejection.attributes { take(attribute.name, EventClaims.shortened(attribute.value)) }
            _ = data(&reader)
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
        case UInt8(ascii: "\""):
            isExact = false
            guard let scalar = reader.scalar() else { return false }
            if case .string(let text) = scalar {
                var inner = LenientReader(Array(text.utf8))
                _ = data(&inner)
            }
            return true
        default: return reader.skip()
        }
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
