import Synchronization
import TidingsCore
import TidingsServer
import TidingsStore
import TidingsWeb

/// The requests and bytes that each caller may send to one process.
///
/// A key counts for itself and for its tenant. So one key cannot take the share of another key of its tenant, and one tenant cannot take the
/// process, however many keys it has. A key for every tenant counts as a tenant of its own. A person counts in the same two ways: the people
/// of a tenant have a share of their own beside that of its keys.
final class RateLimits: Sendable {
    /// The limits of one process.
    struct Rates: Sendable {
        let person: TokenBucket.Limit
        let key: TokenBucket.Limit
        let tenant: TokenBucket.Limit

        /// - Parameters: requests in a second.
        init(person: Int, key: Int, tenant: Int) {
            self.person = Self.limit(person)
            self.key = Self.limit(key)
            self.tenant = Self.limit(tenant)
        }

        init(_ settings: APISettings) {
            self.init(person: settings.requestsPerPerson, key: settings.requestsPerBackend, tenant: settings.requestsPerTenant)
        }

        private static func limit(_ perSecond: Int) -> TokenBucket.Limit {
            TokenBucket.Limit(perSecond: perSecond, burst: perSecond * RateLimits.burstSeconds)
        }
    }

    /// A caller that was idle may send as much at once as in this many seconds.
    static let burstSeconds = 2
    /// Callers of a kind that are remembered. Callers beyond it share one limit.
    static let remembered = 50_000
    /// KiB of bodies of one key: sixteen of the largest bodies in a second. The whole pipeline takes 50 MiB in a second on 2 cores.
    static let kibibytesPerKey = TokenBucket.Limit(perSecond: 64 * 1024, burst: 128 * 1024)
    /// KiB of bodies of all keys of a tenant.
    static let kibibytesPerTenant = TokenBucket.Limit(perSecond: 128 * 1024, burst: 256 * 1024)

    private struct State {
        var persons: TokenBuckets<RecipientKey>
        /// All people of a tenant, by the tenant.
        var people: TokenBuckets<String>
        var keys: TokenBuckets<String>
        var tenants: TokenBuckets<String>
        var bytesOfKeys: TokenBuckets<String>
        var bytesOfTenants: TokenBuckets<String>

        init(_ rates: Rates, at now: Timestamp) {
            persons = TokenBuckets(rates.person, remembered: RateLimits.remembered, at: now)
            people = TokenBuckets(rates.tenant, remembered: RateLimits.remembered, at: now)
            keys = TokenBuckets(rates.key, remembered: RateLimits.remembered, at: now)
            tenants = TokenBuckets(rates.tenant, remembered: RateLimits.remembered, at: now)
            bytesOfKeys = TokenBuckets(RateLimits.kibibytesPerKey, remembered: RateLimits.remembered, at: now)
            bytesOfTenants = TokenBuckets(RateLimits.kibibytesPerTenant, remembered: RateLimits.remembered, at: now)
        }
    }

    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    init(_ rates: Rates, now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        state = Mutex(State(rates, at: now()))
    }

    /// Counts one request. Throws a problem with the time to wait if the caller is over its share.
    func count(_ caller: Caller) throws {
        let now = now()
        let refusal = state.withLock { state -> Refusal? in
            switch caller {
            case .anyone: return nil
            case .person(let person, _):
                if let refusal = Self.refusal(of: 1, person, &state.persons, .person, .requests, now) { return refusal }
                if let refusal = Self.refusal(of: 1, person.tenant, &state.people, .tenant, .requests, now) { return refusal }
                state.persons.charge(1, to: person, at: now)
                state.people.charge(1, to: person.tenant, at: now)
            case .key(let key):
                if let refusal = Self.refusal(of: 1, key.id, &state.keys, .key, .requests, now) { return refusal }
                if let refusal = Self.refusal(of: 1, key.share, &state.tenants, .tenant, .requests, now) { return refusal }
                state.keys.charge(1, to: key.id, at: now)
                state.tenants.charge(1, to: key.share, at: now)
            }
            return nil
        }
        if let refusal { throw refusal.problem }
    }

    /// Counts the bytes of a body before they are read. Throws a problem with the time to wait if the key or its tenant is over its share.
    /// The bytes of other callers do not count here: their bodies are small, and their requests count.
    func count(bytes: Int, of caller: Caller) throws {
        guard case .key(let key) = caller, bytes > 0 else { return }
        let (now, tokens) = (now(), Self.kibibytes(bytes))
        let refusal = state.withLock { state -> Refusal? in
            if let refusal = Self.refusal(of: tokens, key.id, &state.bytesOfKeys, .key, .bytes, now) { return refusal }
            if let refusal = Self.refusal(of: tokens, key.share, &state.bytesOfTenants, .tenant, .bytes, now) { return refusal }
            state.bytesOfKeys.charge(tokens, to: key.id, at: now)
            state.bytesOfTenants.charge(tokens, to: key.share, at: now)
            return nil
        }
        if let refusal { throw refusal.problem }
    }

    /// Checks the bytes of a caller before it sends a body of unknown length. Throws a problem with the time to wait if the key or its tenant
    /// has sent more than its share, with bodies of any kind.
    func admitUnknownLength(of caller: Caller) throws {
        guard case .key(let key) = caller else { return }
        let now = now()
        let refusal = state.withLock { state -> Refusal? in
            if let refusal = Self.refusal(of: 1, key.id, &state.bytesOfKeys, .key, .bytes, now) { return refusal }
            return Self.refusal(of: 1, key.share, &state.bytesOfTenants, .tenant, .bytes, now)
        }
        if let refusal { throw refusal.problem }
    }

    /// Counts a part of a body of unknown length, also if the body breaks off later. The next body waits for it.
    ///
    /// - Parameter before: the bytes of the body that were counted already.
    func charge(bytes: Int, after before: Int = 0, to caller: Caller) {
        guard case .key(let key) = caller else { return }
        let (now, tokens) = (now(), Self.kibibytes(before + bytes) - Self.kibibytes(before))
        guard tokens > 0 else { return }
        state.withLock { state in
            state.bytesOfKeys.charge(tokens, to: key.id, at: now)
            state.bytesOfTenants.charge(tokens, to: key.share, at: now)
        }
    }

    private static func kibibytes(_ bytes: Int) -> Int { (bytes + 1023) / 1024 }

    private struct Refusal {
        let wait: Duration
        let share: UsedShare

        var problem: Problem { Problem.rateLimited(share, retryAfter: wait) }
    }

    /// Nil if the caller has the tokens.
    private static func refusal<Key: Hashable & Sendable>(
        of tokens: Int, _ key: Key, _ buckets: inout TokenBuckets<Key>, _ owner: UsedShare.Owner, _ unit: UsedShare.Unit, _ now: Timestamp
    ) -> Refusal? {
        let wait = buckets.wait(for: tokens, of: key, at: now)
        guard wait > .zero else { return nil }
        // The buckets of bytes count KiB.
        let scale = unit == .bytes ? 1024 : 1
        let share = UsedShare(
            of: owner, unit, used: buckets.used(by: key, at: now) * scale, limit: buckets.limit.burst * scale,
            perSecond: buckets.limit.perSecond * scale)
        return Refusal(wait: wait, share: share)
    }
}

extension CallerKey {
    /// The tenant for which the key counts.
    var share: String { tenant ?? Store.everyTenant }
}
