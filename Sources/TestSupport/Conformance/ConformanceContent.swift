public import TidingsProvider

/// The content of a delivery, as a request carries it to the service.
public struct ConformanceContent: Sendable {
    /// The fields with the group key or the collapse key. Absent fields are left out.
    public var keys: [ConformanceKey]
    /// The texts that a person sees: title and body. Absent texts are left out.
    public var texts: [String]
    /// The parts whose size the service limits.
    public var parts: [PartSize]

    public init(keys: [ConformanceKey?] = [], texts: [String?] = [], parts: [PartSize] = []) {
        self.keys = keys.compactMap(\.self)
        self.texts = texts.compactMap(\.self)
        self.parts = parts
    }
}

/// A field of a request that holds a key of the producer.
public struct ConformanceKey: Sendable, Hashable {
    public enum Purpose: Sendable, Hashable {
        /// Notifications of one key are shown as one thread: the group key.
        case thread
        /// A newer notification of the key replaces the older one: the collapse key.
        case replacement
    }

    /// The place of the field, for the words of a problem: `apns-collapse-id`.
    public var field: String
    public var purpose: Purpose
    public var value: String
    /// The grammar of the field. Nil for a field that takes every text.
    public var form: KeyForm?

    /// Returns nil if the request does not have the field.
    public init?(_ purpose: Purpose, _ field: String, _ value: String?, _ form: KeyForm? = nil) {
        guard let value else { return nil }
        self.form = form
        self.purpose = purpose
        self.field = field
        self.value = value
    }
}
