import Synchronization
import TidingsStore
import TidingsWeb

/// Verifies the keys of backends. A key is remembered for a moment, so a revoked key ends within ``memory``.
final class KeyCheck: Sendable {
    /// The time for which a verified key, or a wrong one, is remembered.
    static let memory = Duration.seconds(5)
    /// Good keys that are remembered. As many wrong ones are.
    static let remembered = 1_000

    private struct Remembered {
        /// Nil: the key is not good.
        let key: CallerKey?
        let at: ContinuousClock.Instant
    }

    /// Wrong keys have a memory of their own: a flood of them must not drive good keys out.
    private struct State {
        var good: [String: Remembered] = [:]
        var wrong: [String: Remembered] = [:]
    }

    private let desk: KeyDesk
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the clock that measures ``memory``.
    init(_ desk: KeyDesk, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.desk = desk
        self.now = now
    }

    /// Whether a bearer token has the form of a key.
    static func isKey(_ text: String) -> Bool { text.hasPrefix(APIKeyText.prefix) }

    /// Throws a ``Problem`` if the key is not good now.
    func key(_ text: String, _ login: Login) async throws -> CallerKey {
        let now = now()
        let known = state.withLock { $0.good[text] ?? $0.wrong[text] }
        if let known, now - known.at < Self.memory {
            guard let key = known.key else { throw Self.wrong }
            return key
        }
        // A key that was good at its last look-up has no share in the failed logins of others behind its address.
        if known?.key == nil { try login.begin() }
        guard let parsed = APIKeyText(text) else {
            // A text of another form costs no query. It may be long, so it is not remembered.
            login.failed()
            throw Self.wrong
        }
        let found = try await desk.key(parsed)
        let entry = Remembered(key: found, at: now)
        state.withLock { state in
            state.good[text] = nil
            if found == nil { Self.remember(text, entry, in: &state.wrong) } else { Self.remember(text, entry, in: &state.good) }
        }
        guard let key = found else {
            login.failed()
            throw Self.wrong
        }
        return key
    }

    private static let wrong = BearerToken.invalid("The key is not known, has expired or was revoked.")

    private static func remember(_ text: String, _ key: Remembered, in memory: inout [String: Remembered]) {
        if memory.count >= remembered { memory.removeAll() }
        memory[text] = key
    }
}
