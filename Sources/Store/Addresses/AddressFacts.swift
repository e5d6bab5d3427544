public import TidingsCore

/// The facts that come with an address.
public struct AddressFacts: Sendable {
    /// The source of an address that an operator stores.
    public static let operatorSource = "operator"

    /// The place that the address comes from, such as the name of a form: 1 to ``TidingsCore/Address/longestText`` bytes.
    public var source: String
    /// Nil keeps the stored consent, which is ``TidingsCore/Consent/unknown`` for a new address.
    public var consent: Consent?
    /// Whether the person is known to have the address. False keeps an earlier verification.
    public var isVerified: Bool

    public init(source: String, consent: Consent? = nil, isVerified: Bool = false) {
        self.source = source
        self.consent = consent
        self.isVerified = isVerified
    }
}

/// Changes to a stored address. Nil keeps a fact.
public struct AddressChanges: Sendable {
    public var isVerified: Bool?
    public var consent: Consent?
    /// `.some(nil)` lifts the suppression.
    public var suppression: AddressSuppression??

    public init(isVerified: Bool? = nil, consent: Consent? = nil, suppression: AddressSuppression?? = nil) {
        self.isVerified = isVerified
        self.consent = consent
        self.suppression = suppression
    }
}

/// A time in which nothing is sent to an address, such as after mail came back from it.
public struct AddressSuppression: Sendable {
    /// The longest suppression that ends by itself: ten years. A later end is nearly always a wrong unit.
    public static let longest = Duration.seconds(3_653 * 86_400)

    /// 1 to ``TidingsCore/Address/longestText`` bytes.
    public var reason: String
    /// Nil: the suppression lasts until somebody lifts it.
    public var until: Timestamp?

    public init(because reason: String, until: Timestamp? = nil) {
        self.reason = reason
        self.until = until
    }
}
