/// Reads texts from JSON that may be broken or cut short. A value that stands before the break is read as it stands there. Nothing is
/// guessed, and nothing after the break is read.
///
/// Only quotes, brackets, colons and commas are followed, in constant memory and at any depth. So a text that is not UTF-8, or a literal that
/// JSON does not know, hides only its own member.
package struct LenientReader {
    package enum Scalar {
        case string(String)
        /// A string that JSON does not allow, such as one with half a surrogate or a raw line break. Bytes that are not UTF-8 are replaced, and
        /// escapes stay as they are written.
        case repaired(String)
        /// The digits of a number, as they are written.
        case number(String)
        /// A value of another kind. The reader has passed over it.
        case other
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads from the first byte, or after a byte order mark.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex + (bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0)
    }

    /// Moves to the next value or sign, and returns its first byte. Nil at the end of the bytes.
    package mutating func next() -> UInt8? {
        while index < bytes.endIndex {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return bytes[index]
            }
        }
        return nil
    }

    /// Reads an object. `member` gets each name, and reads or skips its value. It returns false if this was not possible.
    ///
    /// - Returns: False if the object is broken. The members before the break have been read.
    package mutating func object(_ member: (inout LenientReader, String) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        while true {
            guard let name = memberName(), take(UInt8(ascii: ":")), member(&self, name) else { return false }
            if take(UInt8(ascii: "}")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Reads an array, as ``object(_:)`` reads an object.
    package mutating func array(_ element: (inout LenientReader) -> Bool) -> Bool {
        guard take(UInt8(ascii: "[")) else { return false }
        if take(UInt8(ascii: "]")) { return true }
        while true {
            guard element(&self) else { return false }
            if take(UInt8(ascii: "]")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Reads one value. Nil if it is broken or may be cut short. A string whose end is in doubt is not the string that was meant.
    package mutating func scalar() -> Scalar? {
        guard let first = next() else { return nil }
        let start = index
        switch first {
        case UInt8(ascii: "\""):
            guard skipString() else { return nil }
            let range = start..<index
            return next() == nil || isAtDelimiter() ? text(range) : nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard skip() else { return nil }
            let range = start..<index
            guard isAtDelimiter() else { return nil }
            guard case .number(let number)? = try? JSON.parse(bytes[range]) else { return .other }
            return .number(number.text)
        default:
            return skip() ? .other : nil
        }
    }

    /// Passes over one value. Returns false if the value has no end.
    package mutating func skip() -> Bool {
        var depth = 0
        repeat {
            switch next() {
            case nil: return false
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return false }
                depth -= 1
                index += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return false }
                index += 1
            default:
                while index < bytes.endIndex, !Self.endsLiteral(bytes[index]) { index += 1 }
            }
        } while depth > 0
        return true
    }

    private static func endsLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    /// Whether a value ends before the next sign.
    private mutating func isAtDelimiter() -> Bool {
        switch next() {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
        default: false
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        index += 1
        return true
    }

    private mutating func memberName() -> String? {
        guard next() == UInt8(ascii: "\"") else { return nil }
        let start = index
        guard skipString() else { return nil }
        switch text(start..<index) {
        case .string(let name), .repaired(let name): return name
        case .number, .other: return nil
        }
    }

    /// Passes over a string from its opening quote. Returns false if the string never ends.
    private mutating func skipString() -> Bool {
        index += 1
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return true
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return false
    }

    /// The string in a range that has both of its quotes.
    private func text(_ range: Range<Int>) -> Scalar {
        if case .string(let text)? = try? JSON.parse(bytes[range]) { return .string(text) }
        return .repaired(String(decoding: bytes[range].dropFirst().dropLast(), as: UTF8.self))
    }
}

extension LenientReader {
    /// Returns the place of the value that a path leads to, in a document that may be broken elsewhere. No other value is parsed, so none of
    /// them can be too deep or too large.
    ///
    /// - Parameter path: names of members and indexes of elements. An empty path leads to the document itself. Of members with one name, the
    ///   last one counts, as in ``JSON/parse(leniently:limits:refusingDuplicates:)``.
    /// - Returns: Nil if the path leads nowhere, the document has no end, or something follows its end.
    package static func place(of path: [String], in bytes: [UInt8]) -> Range<Int>? {
        var reader = LenientReader(bytes[...])
        let place = reader.place(of: path[...])
        return reader.next() == nil ? place : nil
    }

    /// Passes over one value, and returns the place that the path leads to within the value.
    private mutating func place(of path: ArraySlice<String>) -> Range<Int>? {
        let first = next()
        guard let segment = path.first else {
            let start = index
            return skip() ? start..<index : nil
        }
        var found: Range<Int>?
        let isWhole: Bool
        switch first {
        case UInt8(ascii: "{"):
            isWhole = object { reader, name in
                guard name.utf8.elementsEqual(segment.utf8) else { return reader.skip() }
                var inner = reader
                found = inner.place(of: path.dropFirst())
                return reader.skip()
            }
        case UInt8(ascii: "["):
            var position = 0
            isWhole = array { reader in
                defer { position += 1 }
                guard String(position) == segment else { return reader.skip() }
                var inner = reader
                found = inner.place(of: path.dropFirst())
                return reader.skip()
            }
        default: isWhole = skip()
        }
        return isWhole ? found : nil
    }
}
