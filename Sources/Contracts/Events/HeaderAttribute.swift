/// An attribute of an event that stands in a header of its message, as in binary mode.
public struct HeaderAttribute: Sendable, Hashable {
    /// The name without the prefix of the header.
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
