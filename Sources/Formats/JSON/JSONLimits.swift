/// The limits of a document that the parser accepts. Without them, a document from outside could exhaust the process that reads it.
public struct JSONLimits: Sendable, Hashable {
    /// The greatest depth of nested arrays and objects. 64 is far beyond any event and keeps the parser's stack within a few kilobytes.
    public var maximumDepth = 64
    /// The most values of a document. A million values cost some 40 MB, and a message of the largest size can hold that many.
    public var maximumNodes = 1_000_000
    /// The most bytes of a number. A longer number carries no meaning, and the cost of an exact comparison grows with the length.
    public var maximumNumberLength = 1_000
    /// Whether the character U+0000 may occur in a string. PostgreSQL can store it neither in `text` nor in `jsonb`.
    public var allowsNulCharacter = false

    /// Whether a text with an escape of half a surrogate pair is null, instead of an error. RFC 8259 section 8.2 allows such a text, and no
    /// string of Swift can hold it. Null is never taken for another text.
    public var readsHalfSurrogatesAsNull = false

    /// The defaults above, to be changed one by one.
    public init() {}

    /// The limits of a message on the wire.
    public static let standard = JSONLimits()

    /// The deepest recursion, even if ``maximumDepth`` allows more. The parser recurses once a level, and a thread's stack must hold it.
    static let deepestRecursion = 512

    /// The limits of a pack. The data of an event may be as deep as the limit of a message, and in a pack it lies a few levels deeper.
    public static let pack: JSONLimits = {
        var limits = JSONLimits()
        limits.maximumDepth += 8
        return limits
    }()

    /// The limits of an event's data in a body of its own. In structured form the same data lies one level deeper.
    package static let binaryData: JSONLimits = {
        var limits = JSONLimits()
        limits.maximumDepth -= 1
        return limits
    }()

    /// The depth limit in effect.
    var effectiveDepth: Int { min(maximumDepth, Self.deepestRecursion) }
}
