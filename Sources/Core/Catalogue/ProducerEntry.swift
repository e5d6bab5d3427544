/// The rights of a producer, for a catalogue that restricts producers.
public struct ProducerEntry: Sendable, Hashable {
    /// The tenants that its events may name.
    public var tenants: Set<String>
    /// The sources that its events may name. A source may also lie below one of them: `/shop/web` lies below `/shop`, `/shopping` does not.
    /// If empty, the producer may use any source that is not below another producer's.
    public var sources: Set<String>
    /// Whether the router believes the producer that messages of this AMQP user name in a header. Set it only for the users of releasers,
    /// and of operators who replay messages.
    public var vouches: Bool

    public init(tenants: Set<String>, sources: Set<String> = [], vouches: Bool = false) {
        self.tenants = tenants
        self.sources = sources
        self.vouches = vouches
    }

    /// The prefix of a producer that is a database role. `db:shop` is the role `shop`, which called `tidings_api.enqueue`.
    public static let databasePrefix = "db:"

    public static func isDatabaseRole(_ name: String) -> Bool { name.utf8.starts(with: databasePrefix.utf8) }

    /// The prefix of a producer that is a key of the HTTP API. `key:shop` is the key with the name `shop`.
    public static let keyPrefix = "key:"

    public static func isKey(_ name: String) -> Bool { name.utf8.starts(with: keyPrefix.utf8) }

    /// Whether a user of the broker may have this name as a producer. The names of database roles and keys mean others.
    public static func isUser(_ name: String) -> Bool { !isDatabaseRole(name) && !isKey(name) }
}

/// The names that one producer may use in its events.
public enum ProducerRights: Sendable, Hashable {
    /// The catalogue names no producer.
    case unrestricted
    /// The catalogue names producers, and no trusted user has vouched for the producer of this message.
    case unknown
    /// The given tenants, and sources below one of `own`. If `tenants` is nil, every tenant. If `own` is empty, every source that is below
    /// none of `others`.
    case only(tenants: Set<String>?, own: Set<String>, others: Set<String>)

    public func allows(tenant: String) -> Bool {
        switch self {
        case .unrestricted: true
        case .unknown: false
        case .only(let tenants, _, _): tenants?.contains(tenant) ?? true
        }
    }

    public func allows(source: String) -> Bool {
        switch self {
        case .unrestricted: true
        case .unknown: false
        case .only(_, let own, let others):
            own.isEmpty ? !others.contains { isSource(source, below: $0) } : own.contains { isSource(source, below: $0) }
        }
    }

    /// The same rights for one tenant only.
    public func limited(to tenant: String) -> ProducerRights {
        switch self {
        case .unrestricted: .only(tenants: [tenant], own: [], others: [])
        case .unknown: .unknown
        case .only(_, let own, let others): .only(tenants: allows(tenant: tenant) ? [tenant] : [], own: own, others: others)
        }
    }
}

extension Catalogue {
    /// Returns the rights of a producer: an AMQP user, a database role with the prefix ``ProducerEntry/databasePrefix``, or a key of the HTTP
    /// API with the prefix ``ProducerEntry/keyPrefix``. A producer without an entry may name only ``Intent/defaultTenant``.
    ///
    /// A key has a tenant of its own, which the API checks before it publishes. So a key without an entry may name every tenant here.
    ///
    /// - Parameter name: nil for a message whose producer no trusted user has vouched for.
    public func rights(of name: String?) -> ProducerRights {
        if producers.isEmpty { return .unrestricted }
        guard let name else { return .unknown }
        let producer = producer(named: name)
        let tenants = producer?.tenants ?? (ProducerEntry.isKey(name) ? nil : [Intent.defaultTenant])
        let others = producers.reduce(into: Set<String>()) { if !isSameBytes($1.key, name) { $0.formUnion($1.value.sources) } }
        return .only(tenants: tenants, own: producer?.sources ?? [], others: others)
    }

    /// Whether the router believes the producer that messages of this AMQP user name in a header.
    public func vouches(_ user: String) -> Bool { producer(named: user)?.vouches ?? false }

    /// Compares bytes, because a dictionary also finds a name that is only canonically equivalent. Two users of the broker may have such
    /// names.
    private func producer(named name: String) -> ProducerEntry? {
        producers.index(forKey: name).map { producers[$0] }.flatMap { isSameBytes($0.key, name) ? $0.value : nil }
    }
}

/// Compares bytes, as idempotency keys do.
private func isSource(_ source: String, below prefix: String) -> Bool {
    guard source.utf8.starts(with: prefix.utf8) else { return false }
    let rest = source.utf8.dropFirst(prefix.utf8.count)
    return rest.isEmpty || prefix.utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
}

private func isSameBytes(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
