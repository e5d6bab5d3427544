/// Writes JSON directly into bytes, without building a tree first. The writer adds commas and colons. The caller must end every `begin`
/// with its `end`, and write the `key` of every member.
public struct JSONWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// - Parameter capacity: bytes to make room for at the start.
    public init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// The text written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes `{`. Members follow, then ``endObject()``.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Writes `}`.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Writes `[`. Values follow, then ``endArray()``.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Writes `]`.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes the name of the member whose value comes next.
    public mutating func key(_ name: String) {
        separate()
        JSONText.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a text value. Only the characters that RFC 8259 section 7 demands are escaped.
    public mutating func string(_ value: String) {
        separate()
        JSONText.append(value, to: &bytes)
    }

    /// Writes an integer value of any width, exactly.
    public mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes a number with the digits it has.
    public mutating func number(_ value: JSONNumber) {
        separate()
        bytes.append(contentsOf: value.text.utf8)
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes a value that is JSON already. The bytes are not checked.
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes a value that is JSON text already. The text is not checked.
    public mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
    }

    /// Writes a whole value, as ``JSON/serialize(into:)`` writes it.
    public mutating func value(_ json: JSON) {
        separate()
        json.serialize(into: &bytes)
    }

    /// Ends the text with a line feed. Nothing may follow.
    public mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    /// Writes a whole member with a text value.
    public mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes a whole member with an integer value.
    public mutating func member(_ name: String, _ value: some BinaryInteger) {
        key(name)
        integer(value)
    }

    /// Writes a whole member with a truth value.
    public mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }
}

/// The form of strings in JSON.
package enum JSONText {
    /// Appends `text` in quotes. Only the characters that RFC 8259 section 7 demands are escaped. Other characters stay UTF-8.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let copied: Void? = text.utf8.withContiguousStorageIfAvailable { append($0, to: &bytes) }
        if copied == nil { Array(text.utf8).withUnsafeBufferPointer { append($0, to: &bytes) } }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard let base = text.baseAddress else { return }
        var start = 0
        while true {
            let end = PlainText.end(in: base, from: start, to: text.count).end
            bytes.append(contentsOf: UnsafeBufferPointer(start: base + start, count: end - start))
            guard end < text.count else { return }
            appendEscape(of: base[end], to: &bytes)
            start = end + 1
        }
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(byte >> 4 + UInt8(ascii: "0"))
            bytes.append(byte & 15 < 10 ? byte & 15 + UInt8(ascii: "0") : byte & 15 - 10 + UInt8(ascii: "a"))
        }
    }
}
