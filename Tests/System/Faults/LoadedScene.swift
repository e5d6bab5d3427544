import TidingsTestSupport

/// A system whose producer publishes all the time.
protocol LoadedScene: Sendable {
    var crew: Crew { get }
    var producer: SteadyProducer { get }
}

extension LoadedScene {
    /// The longest wait for expected progress.
    static var longestWait: Duration { .seconds(180) }

    /// Returns when `count` more intents are confirmed: by default one second of load.
    func moreConfirmed(_ count: Int? = nil) async throws {
        try await confirmed(atLeast: await producer.count + (count ?? producer.perSecond))
    }

    func confirmed(atLeast count: Int) async throws {
        let isReached = try await reached(within: Self.longestWait, every: .milliseconds(100)) { await producer.count >= count }
        guard isReached else {
            throw TestSystemError(message: "only \(await producer.count) of \(count) intents are confirmed: \(await crew.lastWords)")
        }
    }

    /// Waits while the fault lasts.
    func holds(_ duration: Duration) async throws { try await Task.sleep(for: duration) }
}
