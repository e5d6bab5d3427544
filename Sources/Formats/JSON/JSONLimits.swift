/// How much of a document the parser takes before it refuses. Each limit exists so that what a stranger sends cannot exhaust the
/// process that reads it.
public struct JSONLimits: Sendable, Hashable {
    /// How deep arrays and objects may nest; 64 is far beyond any event and keeps the parser's stack within a few kilobytes.
    public var maximumDepth = 64
    /// How many values a document may hold; a million cost some 40 MB, what a message of the largest size can carry.
    public var maximumNodes = 1_000_000
    /// How many bytes a number may have; longer ones carry no meaning, and comparing them exactly costs their length.
    public var maximumNumberLength = 1_000
    /// Whether the character U+0000 may occur in a string. PostgreSQL can store it neither in `text` nor in `jsonb`.
    public var allowsNulCharacter = false

    /// The defaults above, to be changed one by one.
    public init() {}

    /// The limits of a message on the wire.
    public static let standard = JSONLimits()

    /// The parser recurses once a level, so deeper than this is refused whatever ``maximumDepth`` says: a thread's stack must hold it.
    static let deepestRecursion = 512

    /// The limits of a pack: an event's data, which may be as deep as a message's limit allows, lies a few levels deeper in it.
    public static let pack: JSONLimits = {
        var limits = JSONLimits()
        limits.maximumDepth += 8
        return limits
    }()

    /// The limits of an event's data in a body of its own: kept or sent in structured form it lies one level deeper.
    package static let binaryData: JSONLimits = {
        var limits = JSONLimits()
        limits.maximumDepth -= 1
        return limits
    }()

    /// The depth that really holds.
    var effectiveDepth: Int { min(maximumDepth, Self.deepestRecursion) }
}
