import TidingsCore

/// What APNs remembers of each connection: the team it is bound to, the key, and the provider token with the time of its last change.
struct APNsConnections: Sendable {
    /// Connections that are remembered; the oldest is forgotten first, and then is like a new one.
    static let limit = 1_000
    /// A token that changes sooner than this after the last change is refused, and the one before it stays.
    static let shortestTokenLife = Duration.seconds(1_200)

    private struct Bound {
        var token: APNsProviderToken
        var changedAt: Timestamp
    }

    private var bound: [Int: Bound] = [:]
    private var inOrder: [Int] = []

    /// Throws what a connection may not carry under this token. The first token on it binds it to a team and a key. Apple documents no
    /// reason for the token of another team; here it is `InvalidProviderToken`.
    mutating func admit(_ token: APNsProviderToken, on connection: Int, now: Timestamp) throws(APNsFault) {
        guard let known = bound[connection] else {
            if inOrder.count == Self.limit { bound[inOrder.removeFirst()] = nil }
            inOrder.append(connection)
            bound[connection] = Bound(token: token, changedAt: now)
            return
        }
        guard token.teamID == known.token.teamID else { throw .invalidProviderToken }
        guard token.keyID == known.token.keyID else { throw .unrelatedKeyIDInToken }
        guard token.text != known.token.text else { return }
        guard now - known.changedAt >= Self.shortestTokenLife else { throw .tooManyProviderTokenUpdates }
        bound[connection] = Bound(token: token, changedAt: now)
    }
}
