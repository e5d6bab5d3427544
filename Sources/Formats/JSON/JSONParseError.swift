/// The error for bytes that are not one acceptable JSON document, with its place.
public struct JSONParseError: Error, Sendable, Hashable {
    /// The kind of error, for a machine. An operator reads the same name as a reason code if there is one.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes do not follow the grammar of RFC 8259.
        case notJSON
        /// A string is not well-formed UTF-8, or an escape names half of a surrogate pair.
        case invalidUTF8
        /// An object has a member name twice. Readers disagree about the one that counts.
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

    /// The kind of error.
    public var code: Code
    /// Bytes from the beginning of the document.
    public var offset: Int
    /// JSON Pointer (RFC 6901) of the value being read. Member names longer than 128 bytes are cut.
    public var pointer: String
    /// One sentence for a person. It never repeats the document's content.
    public var message: String

    init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
        pointer = ""
    }

    /// Returns the error as seen from one level further out.
    func inside(_ segment: String) -> JSONParseError {
        var outer = self
        outer.pointer = JSONPointer.appending(segment, to: "") + pointer
        return outer
    }
}

extension JSONParseError: CustomStringConvertible {
    public var description: String { "\(code.rawValue) at byte \(offset)\(pointer.isEmpty ? "" : " (\(pointer))"): \(message)" }
}
