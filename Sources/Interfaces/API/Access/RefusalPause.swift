import Synchronization
import TidingsWeb

/// The pause before a caller is told that its share is used up, or that the key of its token is not known. A client that asks again at once
/// would cost the time of others with every refusal; with the pause, each of its connections costs one refusal in a second.
///
/// The caller has no share of anything while it waits: its body is not read, and nothing is in work for it. Only its connection is open,
/// and connections have bounds of their own. A refusal waits for its second even if the client leaves.
final class RefusalPause: Sendable {
    /// A client that keeps to Retry-After waits for at least as long anyway.
    static let length = Duration.seconds(1)
    /// The refusals that wait at once, about as many as a process has connections. With one more, the refusal is told at once.
    static let mostWaiting = 10_000

    private let waiting = Mutex(0)
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: waits for a time. It throws if the task is cancelled.
    init(sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }) { self.sleep = sleep }

    /// Waits before the problem is told, if it is of these kinds (``Problem/isPaused``).
    func wait(for problem: Problem) async {
        guard problem.isPaused, enter() else { return }
        // The time itself is awaited.
        try? await sleep(Self.length)
        waiting.withLock { $0 -= 1 }
    }

    private func enter() -> Bool {
        waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
    }
}
