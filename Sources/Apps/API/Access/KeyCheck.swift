import Synchronization
import TidingsStore

/// Verifies the keys of backends. A good key is remembered for a moment, so a revoked key ends within ``memory``.
final class KeyCheck: Sendable {
    /// The time for which a verified key is remembered.
    static let memory = Duration.seconds(5)
    /// Keys that are remembered.
    static let remembered = 1_000

    private struct Remembered {
        let key: CallerKey
        let at: ContinuousClock.Instant
    }

    private let store: Store
    private let known = Mutex<[String: Remembered]>([:])

    init(store: Store) { self.store = store }

    /// Whether a bearer token has the form of a key.
    static func isKey(_ text: String) -> Bool { text.hasPrefix(APIKeyText.prefix) }

    /// Throws a ``Problem`` if the key is not good now.
    func key(_ text: String) async throws -> CallerKey {
        let now = ContinuousClock.now
        if let known = known.withLock({ $0[text] }), now - known.at < Self.memory { return known.key }
        guard let parsed = APIKeyText(text), let key = try await store.authenticate(parsed) else {
            known.withLock { $0[text] = nil }
            throw BearerToken.invalid("The key is not known, has expired or was revoked.")
        }
        known.withLock { known in
            if known.count >= Self.remembered { known.removeAll() }
            known[text] = Remembered(key: key, at: now)
        }
        return key
    }
}
