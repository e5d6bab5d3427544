import TidingsStore

/// The open streams of each tenant in one process.
///
/// While a process is nearly full and several tenants have streams, the tenant with the most of them gives one back for each that begins. So
/// the many people of one tenant do not keep those of another out. A tenant that is alone may fill the process.
struct StreamShares: Sendable {
    /// Beyond this number of streams, a tenant gives way.
    let crowded: Int
    private var total = 0
    private var counts: [String: Int] = [:]
    /// The people of each tenant who have a stream.
    private var people: [String: Set<RecipientKey>] = [:]

    /// - Parameter connections: the connections of the process. The last eighth is for tenants with few streams, and for requests.
    init(connections: Int) { crowded = max(1, connections - connections / 8) }

    mutating func begin(_ person: RecipientKey) {
        total += 1
        counts[person.tenant, default: 0] += 1
        people[person.tenant, default: []].insert(person)
    }

    /// - Parameter isLast: whether the person has no other stream.
    mutating func end(_ person: RecipientKey, isLast: Bool) {
        total -= 1
        let left = counts[person.tenant, default: 0] - 1
        counts[person.tenant] = left > 0 ? left : nil
        if isLast { people[person.tenant]?.remove(person) }
        if left <= 0 { people[person.tenant] = nil }
    }

    /// A person of whom a stream must end. Nil while there is room, or while only one tenant has streams.
    var givingWay: RecipientKey? {
        guard total > crowded, counts.count > 1, let largest = counts.max(by: { $0.value < $1.value })?.key else { return nil }
        return people[largest]?.first
    }
}
