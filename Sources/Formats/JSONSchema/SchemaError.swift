/// The error for a document that cannot be used as a schema, with its place.
public struct SchemaError: Error, Sendable, Hashable {
    /// The kind of error, for a machine.
    public enum Code: String, Sendable, CaseIterable {
        /// A keyword of the draft or its predecessors that is deliberately not carried out. See ``JSONSchema/refusedKeywords``.
        case unsupportedKeyword
        /// A name that no vocabulary of the draft defines, probably a misspelling. The author's own names begin with `x-`.
        case unknownKeyword
        /// A keyword's value is not as the draft demands.
        case invalidValue
        /// `$schema` names another draft.
        case unsupportedDraft
        /// A reference points at nothing in the document, or at something that is no schema.
        case unresolvedReference
        /// A reference leaves the document.
        case remoteReference
        /// References that lead back to themselves without moving into the instance.
        case referenceLoop
        /// A regular expression that is malformed, or needs backtracking (look-around, back references), or is too large.
        case unsupportedPattern
        /// A format that cannot be asserted. See ``JSONSchema/supportedFormats``.
        case unsupportedFormat
        /// The document is beyond ``SchemaLimits``.
        case tooLarge
    }

    /// The kind of error.
    public var code: Code
    /// The keyword at fault. Empty when the schema itself is at fault.
    public var keyword: String
    /// JSON Pointer of the schema that holds the keyword.
    public var pointer: String
    /// One sentence for a person.
    public var message: String

    init(_ code: Code, keyword: String, at pointer: String, _ message: String) {
        self.code = code
        self.keyword = keyword
        self.pointer = pointer
        self.message = message
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String {
        let place = pointer.isEmpty ? "the schema's root" : pointer
        return keyword.isEmpty ? "\(place): \(message)" : "\(place): \"\(keyword)\": \(message)"
    }
}
