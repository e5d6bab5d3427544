import Synchronization
import TidingsCore

/// The provider token of one provider, cached as text. The token is signed when it is first needed, and again before Apple refuses it as
/// too old. One token serves every connection and both environments.
///
/// Apple refuses a token that is more than an hour old (403 `ExpiredProviderToken`). Apple also refuses a connection whose token changes
/// more than once in 20 minutes (429 `TooManyProviderTokenUpdates`).
final class ProviderTokens: Sendable {
    /// A token of this age is replaced. 45 minutes lie between Apple's two limits, with a quarter of an hour left for clocks that differ.
    static let refreshAge = Duration.seconds(45 * 60)
    /// A token younger than this is never replaced, whatever Apple answers.
    static let shortestLife = Duration.seconds(20 * 60)

    private struct Held {
        var text: String
        var signedAt: Timestamp
    }

    private let identity: SigningIdentity
    private let held = Mutex<Held?>(nil)

    init(_ identity: SigningIdentity) { self.identity = identity }

    /// Returns the token to send with.
    func current(at now: Timestamp) -> String {
        held.withLock { held in
            // A token dated far in the future was signed before the clock was set back. Sign another one, because Apple would count the age
            // from a wrong time.
            if let held, (.zero - Self.shortestLife..<Self.refreshAge).contains(now - held.signedAt) { return held.text }
            return sign(&held, at: now)
        }
    }

    /// Returns the token to use instead of one that Apple calls expired. Returns nil if that token was signed recently: then the clocks
    /// differ, and Apple would refuse a new token too.
    func replacement(of refused: String, at now: Timestamp) -> String? {
        held.withLock { held in
            if let held, held.text != refused { return held.text }
            if let held, now - held.signedAt <= Self.shortestLife { return nil }
            return sign(&held, at: now)
        }
    }

    private func sign(_ held: inout Held?, at now: Timestamp) -> String {
        let text = identity.token(at: now)
        held = Held(text: text, signedAt: now)
        return text
    }
}
