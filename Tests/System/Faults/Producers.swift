import Foundation
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsTestSupport

/// A producer that publishes intents at a steady rate and keeps a ledger of those that the broker confirmed.
protocol LedgerKeeper: Sendable {
    /// Publishes until ``stop()``, then until every offered intent is confirmed.
    func run() async throws
    func stop() async throws
    /// Returns when the ledger holds this many ids.
    func confirmed(atLeast count: Int) async throws
    /// The ids of the events that the broker confirmed.
    func ledger() async throws -> [String]
}

/// The recipients and channels of the intents that fault tests publish.
enum FaultLoad {
    /// The intents published per second, under which every promise must hold. TIDINGS_TEST_RATE sets more, for a faster machine or build.
    static let perSecond = ProcessInfo.processInfo.environment["TIDINGS_TEST_RATE"].flatMap { Int($0) } ?? 650
    /// One intent in this many also goes to a webhook.
    static let webhookShare = 10
    static let people = 40
    static let webhooks = 9
    /// Slow answers keep calls in flight whenever a process dies. Answers that fail at first leave deliveries that wait for their retry.
    static let answers = ["ok", "slow/200", "fail/1"]
    /// The answers for rows that measure the recovery. With a third of the calls failing, five failures in a row are common. The
    /// measurement would then include the pauses of the receiver's circuit breaker.
    static let answersThatNeverFail = ["ok", "slow/200"]

    /// Gives their webhooks to the people who have one.
    static func prepare(_ system: TestSystem, receiver: Receiver, like answers: [String] = answers) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in 0..<webhooks {
                let path = "\(answers[person % answers.count])/\(person)"
                group.addTask { try await system.setWebhook(of: "hook-\(person)", to: receiver.url + path) }
            }
            try await group.waitForAll()
        }
    }

    /// The distribution of the same load over time.
    enum Shape: Sendable {
        /// A few intents every moment. Each webhook delivery is in a pack of its own.
        case spread
        /// Many intents at once. Their webhook deliveries share one pack, fast and slow ones together, so that a dying worker leaves the
        /// pack half settled.
        case bursts

        /// The time between two looks at the clock. A longer time makes a steady rate more bursty.
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

    /// The intents of one lane that are published together.
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

/// A producer in Swift. Intents that the broker did not confirm are published again with the same source and id, as the documentation tells
/// producers.
actor SteadyProducer: LedgerKeeper {
    /// The pause before refused intents are published again.
    private static let pause = Duration.milliseconds(100)

    private let producer: Producer
    private let source: String
    private let shape: FaultLoad.Shape
    nonisolated let perSecond: Int
    private var isStopping = false
    private var ids: [String] = []
    /// The time of each confirm, in the order of ``ids``.
    private var confirmedAt: [Timestamp] = []
    private var elsewhere: Set<String> = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(url: String, source: String, shape: FaultLoad.Shape = .spread, perSecond: Int = FaultLoad.perSecond) throws {
        producer = try Producer(url: url)
        self.source = source
        self.shape = shape
        self.perSecond = perSecond
    }

    func run() async {
        let began = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            var offered = 0
            while !isStopping {
                let due = Int((ContinuousClock.now - began) / .seconds(1) * Double(perSecond))
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
            confirmedAt += settled.map { _ in Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
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

    /// The confirmed ids, each with the time of its confirm.
    func confirms() -> (ids: [String], at: [Timestamp]) { (ids, confirmedAt) }

    /// Publishes intents again that were confirmed before, as `tidings reconcile` asks. Returns when all of them are confirmed.
    static func publishAgain(_ ids: [String], url: String, source: String, shape: FaultLoad.Shape = .spread) async throws {
        let producer = try Producer(url: url)
        var open = ids.compactMap { Int($0.dropFirst(source.count + 1)) }.map { shape.intent($0, source: source) }
        while !open.isEmpty {
            let results = await producer.publish(open)
            open = zip(open, results).filter { $0.1 != .confirmed }.map(\.0)
            if !open.isEmpty { try await Task.sleep(for: pause) }
        }
        await producer.close()
    }

    /// Adds intents that another producer had confirmed.
    func alsoConfirmed(_ more: [String]) { elsewhere.formUnion(more) }

    private func wake() {
        for reader in waiting where reader.count <= ids.count { reader.continuation.resume() }
        waiting.removeAll { $0.count <= ids.count }
    }
}
