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
    static let answers = ["ok", "slow/200", "fail/1"]
    /// Where the time to recover is measured. With a third of the calls failing, five in a row are common, and the pauses of the receiver's breaker
    /// would be measured too.
    static let answersThatNeverFail = ["ok", "slow/200"]

    /// Gives the people with webhooks theirs.
    static func prepare(_ system: TestSystem, receiver: Receiver, like answers: [String] = answers) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in 0..<webhooks {
                let path = "\(answers[person % answers.count])/\(person)"
                group.addTask { try await system.setWebhook(of: "hook-\(person)", to: receiver.url + path) }
            }
            try await group.waitForAll()
        }
    }

    /// How the same load is spread over time.
    enum Shape: Sendable {
        /// A few intents every moment, each webhook in a pack of its own.
        case spread
        /// Many at once, their webhooks together in one pack, fast and slow ones: whoever dies leaves it half settled.
        case bursts

        /// Between two looks at the clock: how bursty a steady rate is.
        var tick: Duration { self == .spread ? .milliseconds(20) : .milliseconds(200) }

        func intent(_ number: Int, source: String) -> IntentEvent {
            self == .spread ? FaultLoad.intent(number, source: source) : FaultLoad.burst(number, source: source)
        }
    }

    static func intent(_ number: Int, source: String) -> IntentEvent {
        let hasWebhook = number % webhookShare < 2 && number / webhookShare % 2 == 0
        return intent(
            number, source: source, isUrgent: number.isMultiple(of: 2), webhook: hasWebhook ? number / webhookShare / 2 % webhooks : nil)
    }

    /// Intents of one lane that come together.
    private static let burstSize = perSecond / 5

    private static func burst(_ number: Int, source: String) -> IntentEvent {
        let place = number % burstSize
        return intent(
            number, source: source, isUrgent: (number / burstSize).isMultiple(of: 2),
            webhook: place < burstSize / webhookShare ? place % webhooks : nil)
    }

    private static func intent(_ number: Int, source: String, isUrgent: Bool, webhook: Int?) -> IntentEvent {
        IntentEvent(
            source: source, id: "\(source)-\(number)", type: isUrgent ? "orderUpdate" : "social",
            category: isUrgent ? .transactional : .social, recipients: [webhook.map { "hook-\($0)" } ?? "person-\(number % people)"],
            title: "Number \(number)", channels: webhook == nil ? [.inApp] : [.inApp, .webhook])
    }
}

/// A producer in Swift. What the broker did not confirm it publishes again with the same source and id, as producers are told to.
actor SteadyProducer: LedgerKeeper {
    /// Before what was refused is published again.
    private static let pause = Duration.milliseconds(100)

    private let producer: Producer
    private let source: String
    private let shape: FaultLoad.Shape
    private var isStopping = false
    private var ids: [String] = []
    private var elsewhere: Set<String> = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(url: String, source: String, shape: FaultLoad.Shape = .spread) throws {
        producer = try Producer(url: url)
        self.source = source
        self.shape = shape
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
                    group.addTask { await self.publish(numbers.map { self.shape.intent($0, source: self.source) }) }
                }
                try? await Task.sleep(for: shape.tick)
            }
        }
        await producer.close()
    }

    private func publish(_ intents: [IntentEvent]) async {
        var open = intents
        while !open.isEmpty, !Task.isCancelled {
            let results = await producer.publish(open)
            let settled = zip(open, results).filter { $0.1 == .confirmed }.map(\.0.id)
            ids += settled
            let known = Set(settled)
            open = open.filter { !known.contains($0.id) }
            wake()
            if !open.isEmpty { try? await Task.sleep(for: Self.pause) }
        }
    }

    func stop() { isStopping = true }

    func confirmed(atLeast count: Int) async {
        guard ids.count < count else { return }
        await withCheckedContinuation { waiting.append((count, $0)) }
    }

    func ledger() -> [String] { ids + elsewhere }

    var count: Int { ids.count }

    /// What somebody else had confirmed counts as well.
    func alsoConfirmed(_ more: [String]) { elsewhere.formUnion(more) }

    private func wake() {
        for reader in waiting where reader.count <= ids.count { reader.continuation.resume() }
        waiting.removeAll { $0.count <= ids.count }
    }
}
