import TidingsCore

/// The state of every connection to the APNs stand-in: its team, its key, and its provider token with the time of the last change.
struct APNsConnections: Sendable {
    /// The most connections in memory. The oldest one is dropped first, and counts as a new connection afterwards.
    static let limit = 1_000
    /// A token that changes sooner than this after the last change is refused. The connection keeps the earlier token.
    static let shortestTokenLife = Duration.seconds(1_200)

    private struct Bound {
        var token: APNsProviderToken
        var changedAt: Timestamp
    }

    private var bound: [Int: Bound] = [:]
    private var inOrder: [Int] = []

    /// Throws if the connection may not carry a request under this token. The first token binds the connection to a team and a key. Apple
    /// documents no reason for the token of another team; the stand-in answers `InvalidProviderToken`.
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
