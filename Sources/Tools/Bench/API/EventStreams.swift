import Histogram
import NIOCore
import Synchronization
import TidingsServer
import TidingsWaiting

/// The open event streams of a measurement.
final class EventStreams: Sendable {
    private struct State {
        var channels: [any Channel] = []
        /// For each stream, the moments of the events that named new items: one for each item.
        var told: [[ContinuousClock.Instant]]
        var ended: Set<Int> = []
        var incomplete = 0
        var isClosing = false
    }

    private let state: Mutex<State>
    /// The outcome of the opening of each stream: nil when its first event has come, or the reason why none came.
    private let openings: [OneShot<String?>]

    /// Streams that are opened at once. Each takes two queries.
    private static let openedAtOnce = 256

    private init(_ count: Int) {
        state = Mutex(State(told: Array(repeating: [], count: count)))
        openings = (0..<count).map { _ in OneShot() }
    }

    /// Opens a stream for each request. Returns when each has its first event, and throws if one has none.
    static func open(_ requests: [BenchRequest], to server: LoopbackServer, within limit: Duration) async throws -> EventStreams {
        let streams = EventStreams(requests.count)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Ends the wait for streams that do not open. Cancelled when all are open.
                group.addTask { await streams.giveUp(after: limit) }
                try await streams.openAll(requests, to: server)
                group.cancelAll()
            }
        } catch {
            await streams.close()
            throw error
        }
        return streams
    }

    private func openAll(_ requests: [BenchRequest], to server: LoopbackServer) async throws {
        let slots = Slots(Self.openedAtOnce)
        try await withThrowingDiscardingTaskGroup { group in
            for (number, request) in requests.enumerated() {
                await slots.reserve()
                // A stream that did not open has ended the measurement.
                guard !group.isCancelled else { break }
                // The slots bound the tasks, and the group awaits all of them.
                group.addTask {
                    defer { slots.giveBack() }
                    try await self.open(number, request, to: server)
                }
            }
        }
    }

    private func open(_ number: Int, _ request: BenchRequest, to server: LoopbackServer) async throws {
        let channel = try await server.connect {
            EventStreamHandler(request) { note in self.receive(note, from: number) }
        }
        state.withLock { $0.channels.append(channel) }
        guard let problem = await openings[number].valueUnlessCancelled() else { throw CancellationError() }
        if let problem { throw Failure(.bad, "a stream did not open: \(problem)") }
    }

    private func giveUp(after limit: Duration) async {
        // Time itself is awaited.
        do { try await Task.sleep(for: limit) } catch { return }
        for opening in openings { opening.set("no event came within \(limit)") }
    }

    private func receive(_ note: EventStreamHandler.Note, from number: Int) {
        let now = ContinuousClock.now
        switch note {
        case .event(let new, let isComplete):
            state.withLock { state in
                state.told[number] += repeatElement(now, count: new)
                if !isComplete { state.incomplete += 1 }
            }
            openings[number].set(nil)
        case .ended(let reason):
            state.withLock { state in
                if !state.isClosing { state.ended.insert(number) }
            }
            openings[number].set(reason)
        }
    }

    /// The number of new items that events have named.
    var told: Int { state.withLock { state in state.told.reduce(0) { $0 + $1.count } } }

    func close() async {
        let channels = state.withLock { state in
            state.isClosing = true
            return state.channels
        }
        for channel in channels { try? await channel.close().get() }
    }

    /// The outcome of a measurement.
    struct Outcome: Sendable {
        /// Microseconds from the producer's confirm to the event.
        var waits = VisibilityPoll.noWaits
        /// Items that no event named, and items that were named more often than they were confirmed.
        var untold = 0
        var doubled = 0
        /// Events that did not name everything.
        var incomplete = 0
        /// Streams that were open no longer.
        var ended = 0
    }

    /// Compares the events with the confirms. A person's items are told in the order in which they were confirmed.
    ///
    /// - Parameter confirmed: the moments of the confirms of each stream's person, in their order.
    func outcome(of confirmed: [[ContinuousClock.Instant]]) -> Outcome {
        state.withLock { state in
            var outcome = Outcome(incomplete: state.incomplete, ended: state.ended.count)
            for (confirmed, told) in zip(confirmed, state.told) {
                for (confirm, event) in zip(confirmed, told) { outcome.waits.record(VisibilityPoll.microseconds(event - confirm)) }
                outcome.untold += max(0, confirmed.count - told.count)
                outcome.doubled += max(0, told.count - confirmed.count)
            }
            return outcome
        }
    }
}
