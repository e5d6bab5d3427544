/// The rights of a producer, where the catalogue restricts producers.
public struct ProducerEntry: Sendable, Hashable {
    /// The tenants that its events may name.
    public var tenants: Set<String>
    /// Each `source` of its events is one of these or lies below one: `/shop` has `/shop/web` below it, and not `/shopping`. Empty: any
    /// source that is not below another producer's.
    public var sources: Set<String>
    /// The router believes what this AMQP user's messages say of who asked. Only for the users of releasers, and of operators who replay.
    public var vouches: Bool

    public init(tenants: Set<String>, sources: Set<String> = [], vouches: Bool = false) {
        self.tenants = tenants
        self.sources = sources
        self.vouches = vouches
    }

    /// Begins the name of a producer that is a role of the database: `db:shop` called `tidings_api.enqueue` as `shop`.
    public static let databasePrefix = "db:"

    public static func isDatabaseRole(_ name: String) -> Bool { name.utf8.starts(with: databasePrefix.utf8) }
}

/// The names that one producer may use in its events.
public enum ProducerRights: Sendable, Hashable {
    /// The catalogue names no producer.
    case unrestricted
    /// The catalogue names producers, and nobody has vouched for who published this message.
    case unknown
    /// Sources below one of `own`, or if that is empty, below none of `others`.
    case only(tenants: Set<String>, own: Set<String>, others: Set<String>)

    public func allows(tenant: String) -> Bool {
        switch self {
        case .unrestricted: true
        case .unknown: false
        case .only(let tenants, _, _): tenants.contains(tenant)
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
}

extension Catalogue {
    /// The rights of a producer: an AMQP user, or a role of the database by its name with ``ProducerEntry/databasePrefix``. Nil for a message that
    /// nobody has vouched for. A producer without an entry may name only ``Intent/defaultTenant``.
    public func rights(of name: String?) -> ProducerRights {
        if producers.isEmpty { return .unrestricted }
        guard let name else { return .unknown }
        let producer = producer(named: name) ?? ProducerEntry(tenants: [Intent.defaultTenant])
        let others = producers.reduce(into: Set<String>()) { if !isSameBytes($1.key, name) { $0.formUnion($1.value.sources) } }
        return .only(tenants: producer.tenants, own: producer.sources, others: others)
    }

    /// Whether the router believes what this AMQP user's messages say of who asked.
    public func vouches(_ user: String) -> Bool { producer(named: user)?.vouches ?? false }

    /// A dictionary also finds a name that is only equivalent; two users of the broker may have such names.
    private func producer(named name: String) -> ProducerEntry? {
        producers.index(forKey: name).map { producers[$0] }.flatMap { isSameBytes($0.key, name) ? $0.value : nil }
    }
}

/// By bytes, as idempotency keys are told apart.
private func isSource(_ source: String, below prefix: String) -> Bool {
    guard source.utf8.starts(with: prefix.utf8) else { return false }
    let rest = source.utf8.dropFirst(prefix.utf8.count)
    return rest.isEmpty || prefix.utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
}

private func isSameBytes(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
