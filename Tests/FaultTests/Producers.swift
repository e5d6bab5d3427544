import Foundation
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsTestSupport

/// Whoever publishes intents at a steady rate and keeps a ledger of what the broker confirmed.
protocol LedgerKeeper: Sendable {
    /// Publishes until ``stop()``, then until everything offered is confirmed.
    func run() async throws
    func stop() async throws
    /// Returns when the ledger holds this many ids.
    func confirmed(atLeast count: Int) async throws
    /// The ids of the events that the broker confirmed.
    func ledger() async throws -> [String]
}

/// The recipients and channels of the intents that fault tests publish.
enum FaultLoad {
    /// Published per second: the load under which everything must hold. More by TIDINGS_TEST_RATE, for a machine or a build that is faster.
    static let perSecond = ProcessInfo.processInfo.environment["TIDINGS_TEST_RATE"].flatMap { Int($0) } ?? 650
    /// One intent in so many also goes to a webhook.
    static let webhookShare = 10
    static let people = 40
    static let webhooks = 9
    /// Slow ones, so that calls are in flight whenever something dies; some that fail at first, so that work waits for its retry.
    private static let answers = ["ok", "slow/200", "fail/1"]

    /// Gives the people with webhooks theirs.
    static func prepare(_ system: TestSystem, receiver: Receiver) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in 0..<webhooks {
                let path = "\(answers[person % answers.count])/\(person)"
                group.addTask { try await system.setWebhook(of: "hook-\(person)", to: receiver.url + path) }
            }
            try await group.waitForAll()
        }
    }

    static func intent(_ number: Int, source: String) -> IntentEvent {
        let isUrgent = number.isMultiple(of: 2)
        let hasWebhook = number % webhookShare < 2 && number / webhookShare % 2 == 0
        return IntentEvent(
            source: source, id: "\(source)-\(number)", type: isUrgent ? "orderUpdate" : "social",
            category: isUrgent ? .transactional : .social,
            recipients: [hasWebhook ? "hook-\(number / webhookShare / 2 % webhooks)" : "person-\(number % people)"],
            title: "Number \(number)", channels: hasWebhook ? [.inApp, .webhook] : [.inApp])
    }
}

/// A producer in Swift. What the broker did not confirm it publishes again with the same source and id, as producers are told to.
actor SteadyProducer: LedgerKeeper {
    /// Between two looks at the clock: how bursty a steady rate is.
    private static let tick = Duration.milliseconds(20)

    private let client: TidingsClient
    private let source: String
    private var isStopping = false
    private var ids: [String] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(url: String, source: String) throws {
        client = try TidingsClient(url: url)
        self.source = source
    }

    func run() async {
        let began = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            var offered = 0
            while !isStopping {
                let due = Int((ContinuousClock.now - began) / .seconds(1) * Double(FaultLoad.perSecond))
                if due > offered {
                    let numbers = offered..<due
                    offered = due
                    group.addTask { await self.publish(numbers.map { FaultLoad.intent($0, source: self.source) }) }
                }
                try? await Task.sleep(for: Self.tick)
            }
        }
        await client.close()
    }

    private func publish(_ intents: [IntentEvent]) async {
        var open = intents
        while !open.isEmpty {
            let results = await client.publish(open)
            let settled = zip(open, results).filter { $0.1 == .confirmed }.map(\.0.id)
            ids += settled
            let known = Set(settled)
            open = open.filter { !known.contains($0.id) }
            wake()
        }
    }

    func stop() { isStopping = true }

    func confirmed(atLeast count: Int) async {
        guard ids.count < count else { return }
        await withCheckedContinuation { waiting.append((count, $0)) }
    }

    func ledger() -> [String] { ids }

    private func wake() {
        for reader in waiting where reader.count <= ids.count { reader.continuation.resume() }
        waiting.removeAll { $0.count <= ids.count }
    }
}
