/// Why bytes are not one acceptable JSON document, and where.
public struct JSONParseError: Error, Sendable, Hashable {
    /// What is wrong, for a machine; an operator reads the same names as reason codes where there is one.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes do not follow the grammar of RFC 8259.
        case notJSON
        /// A string is not well-formed UTF-8, or an escape names half of a surrogate pair.
        case invalidUTF8
        /// An object has a member name twice: readers disagree about which one counts.
        case duplicateKey
        /// Nesting beyond ``JSONLimits/maximumDepth``.
        case tooDeep
        /// The character U+0000, written raw or as `\u0000`.
        case nulCharacter
        /// More values than ``JSONLimits/maximumNodes``.
        case tooManyNodes
        /// A number longer than ``JSONLimits/maximumNumberLength``.
        case numberTooLong
        /// Something follows the document.
        case trailingContent
        /// An array to be split has more elements than the caller takes.
        case tooManyElements
    }

    /// What is wrong.
    public var code: Code
    /// Bytes from the beginning of the document.
    public var offset: Int
    /// JSON Pointer (RFC 6901) of the value being read; member names longer than 128 bytes are cut.
    public var pointer: String
    /// One sentence for a person; it never repeats the document's content.
    public var message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
        pointer = ""
    }

    /// The error as seen from one level further out.
    func inside(_ segment: String) -> JSONParseError {
        var outer = self
        outer.pointer = JSONPointer.appending(segment, to: "") + pointer
        return outer
    }
}

extension JSONParseError: CustomStringConvertible {
    public var description: String { "\(code.rawValue) at byte \(offset)\(pointer.isEmpty ? "" : " (\(pointer))"): \(message)" }
}
