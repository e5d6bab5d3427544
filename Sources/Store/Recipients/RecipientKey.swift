public import TidingsCore

/// A person: a recipient within a tenant.
///
/// Two keys are equal if their bytes are equal, as in PostgreSQL. Swift's own comparison treats `é` and `e` with a combining accent as
/// equal. With that comparison one person would get the preferences of another.
public struct RecipientKey: Sendable, Hashable {
    public let tenant: String
    /// The name that producers use.
    public let id: String

    public init(tenant: String, id: String) {
        self.tenant = tenant
        self.id = id
    }

    public init(_ intent: Intent) {
        self.init(tenant: intent.tenant, id: intent.recipient)
    }

    public static func == (one: RecipientKey, other: RecipientKey) -> Bool {
        one.id.utf8.elementsEqual(other.id.utf8) && one.tenant.utf8.elementsEqual(other.tenant.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        Self.feed(id, to: &hasher)
        Self.feed(tenant, to: &hasher)
    }

    private static func feed(_ text: String, to hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Ends the text. Without an end, "ab" + "c" would feed the same bytes as "a" + "bc".
        hasher.combine(0xFF as UInt8)
    }
}
