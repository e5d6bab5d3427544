/// A change of the active catalogue: its author, its kind and its reason.
public struct CatalogueChange: Sendable, Hashable {
    public enum Action: String, Sendable {
        /// No request: the catalogue with which `tidings dev` and `tidings bench` begin. The next catalogue replaces it under the rules for
        /// the built-in one.
        case start
        case apply
        case rollback
    }

    public let action: Action
    public let author: String
    public let reason: String?
    /// Whether types, providers and markets may disappear although they are still needed.
    public let mayRemove: Bool
    /// The hash that must be active for the change to be made. Nil for any.
    public let expected: String?

    public init(_ action: Action, author: String, reason: String? = nil, mayRemove: Bool = false, expected: String? = nil) {
        self.action = action
        self.author = author
        self.reason = reason
        self.mayRemove = mayRemove
        self.expected = expected
    }

    /// The first catalogue of servers that a program made for itself.
    public static func start(by program: String) -> CatalogueChange {
        CatalogueChange(.start, author: program, mayRemove: true)
    }
}

/// The result of a change of the active catalogue.
public enum CatalogueActivation: Sendable, Hashable {
    /// The catalogue is active. `removals` are the names of the replaced catalogue that the new one lacks.
    case activated(replaced: String, removals: [CatalogueRemoval])
    case alreadyActive
    /// Nothing changed: these names would disappear, and the change may not remove them.
    case refused([CatalogueRemoval])
    /// Nothing changed: this binary cannot read the active catalogue, so it does not know which names would disappear.
    case unreadable(String)
    /// Nothing changed: the active catalogue is not the expected one.
    case overtaken(by: String)
}
