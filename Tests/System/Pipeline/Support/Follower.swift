import Logging
import Synchronization
import TidingsAMQP
import TidingsContracts
import TidingsMetrics
import TidingsPipeline
import TidingsTestSupport

/// A process that follows signals, in the test itself. Keeps all events, and lets a test wait for one.
final class Follower: Sendable {
    private struct State {
        var events: [SignalFeed.Event] = []
        var waiters: [(isEnough: @Sendable ([SignalFeed.Event]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    let metrics = Metrics(version: "test")
    private let state = Mutex(State())

    /// Runs `body` once the feed is connected: every signal from now on arrives.
    static func following<Result>(
        _ system: TestSystem, through proxy: FaultProxy? = nil, _ body: (Follower) async throws -> Result
    ) async throws -> Result {
        var configuration = try AMQPConfiguration(url: system.amqpURL)
        if let proxy { (configuration.host, configuration.port) = ("127.0.0.1", proxy.port) }
        let follower = Follower()
        let feed = try SignalFeed(configuration: configuration, metrics: follower.metrics, logger: Logger(label: "follower"))
        async let end: Void = feed.run { follower.record($0) }
        await follower.reaches { $0.contains(.gap) }
        do {
            let result = try await body(follower)
            await feed.stop()
            try await end
            return result
        } catch {
            await feed.stop()
            throw error
        }
    }

    var events: [SignalFeed.Event] { state.withLock(\.events) }

    /// The people of all changes so far.
    var people: [InboxSignal.Person] { Self.people(of: events) }

    static func people(of events: [SignalFeed.Event]) -> [InboxSignal.Person] {
        events.flatMap { event -> [InboxSignal.Person] in
            if case .changes(let people) = event { people } else { [] }
        }
    }

    /// Waits until a change of this person has arrived. Returns the first.
    func change(of recipient: String) async -> InboxSignal.Person? {
        await reaches { Self.people(of: $0).contains { $0.recipient == recipient } }
        return people.first { $0.recipient == recipient }
    }

    func reaches(_ isEnough: @escaping @Sendable ([SignalFeed.Event]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if isEnough(state.events) { return true }
                state.waiters.append((isEnough, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func record(_ event: SignalFeed.Event) {
        let ready = state.withLock { state in
            state.events.append(event)
            let events = state.events
            let ready = state.waiters.filter { $0.isEnough(events) }
            state.waiters.removeAll { $0.isEnough(events) }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
