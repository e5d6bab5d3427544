import Synchronization
import TidingsCore
import TidingsWeb

/// The failed logins of each address. An address with too many may not try further credentials for a while.
///
/// A login fails if the credentials are forged or guessed: no issuer signed the token, or no key has the secret. A token that has expired
/// is no such attempt, and a token whose key is not known counts only while it waits for a look at the keys. Credentials that were found
/// good a moment ago are not tried again, so an address that others share stays open for those who are in.
final class FailedLogins: Sendable {
    /// Programs hold credentials, and a program does not mistype. Fifty programs behind one address may hold old ones.
    static let perAddress = TokenBucket.Limit(perSecond: 5, burst: 50)
    /// Clients that no proxy names count together, and may be everybody. The limit bounds their work: 500 checks of a signature take less
    /// than a tenth of a core. A smaller limit would let one stranger keep every new login out.
    static let unnamed = TokenBucket.Limit(perSecond: 500, burst: 1_000)
    /// Addresses that are remembered. Addresses beyond it share one limit.
    static let remembered = 50_000

    private struct State {
        var named: TokenBuckets<ClientAddress>
        var unnamed: TokenBucket
    }

    private let now: @Sendable () -> Timestamp
    private let state: Mutex<State>

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        let start = now()
        let named = TokenBuckets<ClientAddress>(Self.perAddress, remembered: Self.remembered, at: start)
        state = Mutex(State(named: named, unnamed: TokenBucket(Self.unnamed, at: start)))
    }

    /// Throws a problem if the address had too many failed logins.
    fileprivate func admit(_ client: ClientAddress?) throws {
        let now = now()
        let (wait, used) = state.withLock { state -> (Duration, Int) in
            guard let client else { return (state.unnamed.wait(for: 1, at: now), state.unnamed.used(at: now)) }
            return (state.named.wait(for: 1, of: client, at: now), state.named.used(by: client, at: now))
        }
        guard wait > .zero else { return }
        let limit = client == nil ? Self.unnamed : Self.perAddress
        throw Problem.rateLimited(
            UsedShare(of: .address, .logins, used: used, limit: limit.burst, perSecond: limit.perSecond), retryAfter: wait)
    }

    fileprivate func count(_ client: ClientAddress?) {
        let now = now()
        state.withLock { state in
            guard let client else {
                _ = state.unnamed.reserve(1, by: 1, at: now)
                return
            }
            state.named.charge(1, to: client, at: now)
        }
    }

    fileprivate func takeBack(_ client: ClientAddress?) {
        let now = now()
        state.withLock { state in
            guard let client else { return state.unnamed.giveBack(1) }
            state.named.giveBack(1, to: client, at: now)
        }
    }
}

/// An attempt to prove who calls, from one address.
struct Login: Sendable {
    /// Nil sets no limit.
    let failures: FailedLogins?
    /// Nil: the address is not known.
    let client: ClientAddress?

    /// Called before credentials cost a query or the check of a signature. Throws a problem if the address had too many failed logins.
    func begin() throws { try failures?.admit(client) }

    func failed() { failures?.count(client) }

    /// Takes ``failed()`` back: nothing was guessed after all.
    func hasNotFailed() { failures?.takeBack(client) }
}
