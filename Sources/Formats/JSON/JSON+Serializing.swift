extension JSON {
    /// Appends this value without spaces, with members in their order and numbers as they were written.
    public func serialize(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): bytes.append(contentsOf: value.text.utf8)
        case .string(let value): JSONText.append(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.serialize(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (place, entry) in object.entries.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(entry.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                entry.value.serialize(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// The bytes of ``serialize(into:)`` as a new array.
    public var serializedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualSize)
        serialize(into: &bytes)
        return bytes
    }

    /// The bytes reserved for one value. A usual event fits, so that it is written with one allocation.
    private static let usualSize = 512

    /// The bytes of ``serialize(into:)`` as text.
    public var serialized: String { String(decoding: serializedBytes, as: UTF8.self) }

    /// Returns the same value in the form that all equal values share: members sorted by their UTF-8 bytes, every number in its shortest
    /// spelling. Equal values serialise to equal bytes, so a content hash is computed from this form.
    public func canonical() -> JSON {
        switch self {
        case .null, .bool, .string: return self
        case .number(let number): return .number(number.canonical)
        case .array(let elements): return .array(elements.map { $0.canonical() })
        case .object(let object):
            let sorted = object.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(JSONObject(uniqueEntries: sorted.map { JSONObject.Entry(key: $0.key, value: $0.value.canonical()) }))
        }
    }
}
