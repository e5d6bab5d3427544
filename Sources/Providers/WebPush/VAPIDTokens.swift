import Synchronization
import TidingsCore

/// Caches the `authorization` header for each push service, so that one signature serves many messages.
final class VAPIDTokens: Sendable {
    /// In seconds: a token of this age is replaced. Half of a token's life, so that no token expires while its request is under way.
    static let renewalAge: Int64 = VAPIDIdentity.tokenLife / 2
    /// The most push services in the cache. A full cache drops the service with the oldest token. In practice a handful of services exist.
    /// The limit is needed because anybody can register a subscription at a host of their own.
    static let rememberedOrigins = 1_000

    private struct Signed {
        var authorization: String
        var at: Timestamp
    }

    private struct State {
        var signed: [String: Signed] = [:]
        /// The origins by the age of their tokens, the oldest first.
        var inOrder: [String] = []
    }

    private let identity: VAPIDIdentity
    private let state = Mutex(State())

    init(_ identity: VAPIDIdentity) {
        self.identity = identity
    }

    /// Returns the header; see ``VAPIDIdentity/authorization(for:at:)``. Signs while holding the lock: that takes less time than two tasks
    /// signing the same token.
    func authorization(for origin: String, now: Timestamp) -> String {
        state.withLock { state in
            // Check for a clock that was set back: otherwise a token could outlive the push service's limit.
            if let known = state.signed[origin], known.at <= now, now < known.at.adding(.seconds(Self.renewalAge)) {
                return known.authorization
            }
            if state.signed[origin] != nil {
                state.inOrder.removeAll { $0 == origin }
            } else if state.inOrder.count == Self.rememberedOrigins {
                state.signed[state.inOrder.removeFirst()] = nil
            }
            let authorization = identity.authorization(for: origin, at: now)
            state.signed[origin] = Signed(authorization: authorization, at: now)
            state.inOrder.append(origin)
            return authorization
        }
    }

    /// The number of push services in the cache.
    var count: Int { state.withLock { $0.signed.count } }
}
