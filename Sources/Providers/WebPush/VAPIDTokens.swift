import Synchronization
import TidingsCore

/// The `authorization` header for each push service, signed once for many messages.
final class VAPIDTokens: Sendable {
    /// Seconds after which another is signed: half of a token's life, so that none expires on its way.
    static let renewalAge: Int64 = VAPIDIdentity.tokenLife / 2
    /// Push services that are remembered; the one whose token is oldest is forgotten first. There are a handful, but anybody can register a
    /// subscription at a host of their own.
    static let rememberedOrigins = 1_000

    private struct Signed {
        var authorization: String
        var at: Timestamp
    }

    private struct State {
        var signed: [String: Signed] = [:]
        /// By the age of their tokens, the oldest first.
        var inOrder: [String] = []
    }

    private let identity: VAPIDIdentity
    private let state = Mutex(State())

    init(_ identity: VAPIDIdentity) {
        self.identity = identity
    }

    /// See ``VAPIDIdentity/authorization(for:at:)``. Signed under the lock, which takes less time than doing it twice.
    func authorization(for origin: String, now: Timestamp) -> String {
        state.withLock { state in
            // A clock that was set back must not make a token outlive the push service's limit.
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

    /// How many push services are remembered.
    var count: Int { state.withLock { $0.signed.count } }
}
