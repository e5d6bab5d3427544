import Synchronization
import TidingsCore

/// The failed logins of each address. An address with too many may not try further credentials for a while.
///
/// A login fails if the credentials are forged or guessed: no issuer signed the token, or no key has the secret. A token that has expired is
/// no such attempt. Credentials that were found good a moment ago are not tried again, so an address that others share stays open for those
/// who are in.
final class FailedLogins: Sendable {
    /// Programs hold credentials, and a program does not mistype. Fifty programs behind one address may hold old ones.
    static let perAddress = TokenBucket.Limit(perSecond: 5, burst: 50)
    /// Addresses that are remembered. Addresses beyond it share one limit.
    static let remembered = 50_000

    private let now: @Sendable () -> Timestamp
    private let buckets: Mutex<TokenBuckets<ClientAddress?>>

    init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        buckets = Mutex(TokenBuckets(Self.perAddress, remembered: Self.remembered, at: now()))
    }

    /// Throws a problem if the address had too many failed logins.
    fileprivate func admit(_ client: ClientAddress?) throws {
        let now = now()
        let (wait, used) = buckets.withLock { ($0.wait(for: 1, of: client, at: now), $0.used(by: client, at: now)) }
        guard wait > .zero else { return }
        let share = UsedShare(
            of: .address, .logins, used: used, limit: Self.perAddress.burst, perSecond: Self.perAddress.perSecond)
        throw Problem.rateLimited(share, retryAfter: wait)
    }

    fileprivate func count(_ client: ClientAddress?) {
        let now = now()
        buckets.withLock { $0.charge(1, to: client, at: now) }
    }

    fileprivate func takeBack(_ client: ClientAddress?) {
        let now = now()
        buckets.withLock { $0.giveBack(1, to: client, at: now) }
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

    /// Takes ``failed()`` back: the credentials were good after all.
    func hasNotFailed() { failures?.takeBack(client) }
}
