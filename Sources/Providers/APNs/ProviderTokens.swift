import Synchronization
import TidingsCore

/// The provider token of one provider: signed when it is first needed, kept as text, and signed anew before Apple takes it no longer. One
/// token serves every connection and both environments.
///
/// Apple refuses a token that is more than an hour old (403 `ExpiredProviderToken`), and a connection whose token changes more than once in
/// 20 minutes (429 `TooManyProviderTokenUpdates`).
final class ProviderTokens: Sendable {
    /// From this age on a token is replaced: between Apple's two limits, with a quarter of an hour left for clocks that differ.
    static let refreshAge = Duration.seconds(45 * 60)
    /// No token is replaced before this age, whatever Apple answers.
    static let shortestLife = Duration.seconds(20 * 60)

    private struct Held {
        var text: String
        var signedAt: Timestamp
    }

    private let identity: SigningIdentity
    private let held = Mutex<Held?>(nil)

    init(_ identity: SigningIdentity) { self.identity = identity }

    /// The token to send with.
    func current(at now: Timestamp) -> String {
        held.withLock { held in
            // One that seems to come from far ahead was signed before the clock was set back; Apple would count its age from a wrong time.
            if let held, (.zero - Self.shortestLife..<Self.refreshAge).contains(now - held.signedAt) { return held.text }
            return sign(&held, at: now)
        }
    }

    /// The token to send with instead of one that Apple calls expired; nil when that one was signed so recently that the clocks differ and
    /// another would be refused as well.
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
