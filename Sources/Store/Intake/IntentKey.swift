package import TidingsContracts

/// The idempotency keys of one event, one for each recipient: the hash of tenant, source, id and recipient.
package struct IntentKey {
    /// Tenant, source and id with their lengths. The recipient follows, for each key.
    private var bytes: [UInt8] = []
    private let commonCount: Int

    package init(tenant: String, source: String, id: String) {
        bytes.reserveCapacity(256)
        Self.append(tenant, to: &bytes)
        Self.append(source, to: &bytes)
        Self.append(id, to: &bytes)
        commonCount = bytes.count
    }

    /// The key of one event for one person.
    static func key(of person: RecipientKey, source: String, id: String) -> Digest128 {
        var keys = IntentKey(tenant: person.tenant, source: source, id: id)
        return keys.key(for: person.id)
    }

    package mutating func key(for recipient: String) -> Digest128 {
        bytes.removeSubrange(commonCount...)
        Self.append(recipient, to: &bytes)
        return Digest128(hashing: bytes)
    }

    /// Appends a text with its length before it, so that no two lists of texts give the same bytes.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        let count = UInt32(truncatingIfNeeded: text.utf8.count)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes.append(contentsOf: text.utf8)
    }
}
