import TidingsCore
import TidingsProvider
import TidingsTestSupport

@testable import TidingsPipeline

/// Deliveries to the paths of one host or of several, in virtual time: gates, retries and releases as in production, and no network, no database and no
/// waiting. An hour takes about a second.
///
/// A delivery goes to any of the processes, as from a queue. A refused delivery asks again at the time that the gate names, and up to
/// ``longestRelease`` later. A call that finds no room is refused after the patience of the gate, although it might have found room before.
struct GateSimulation {
    struct Path {
        let name: String
        /// A delivery comes in each interval. The first comes at once.
        let interval: Duration
        /// The number of deliveries that come together.
        var together = 1
        var host = "shop.example"
    }

    struct Answer {
        let result: SendResult
        var after = Duration.milliseconds(50)
    }

    /// The result for the deliveries of one path.
    struct Story {
        var created = 0
        var delivered = 0
        var calls = 0
        /// The number of refusals by a breaker.
        var refusals = 0
        /// The number of deliveries that failed because no attempt was left.
        var exhausted = 0
        /// The arrival of each delivery that was delivered, and the time from there to its call.
        fileprivate var waits: [(arrival: Timestamp, wait: Duration)] = []

        /// The longest time from the arrival of a delivery to its call, among those that were delivered.
        var latest: Duration { latest(from: .distantPast) }

        /// The same among those that arrived at this time or later.
        func latest(from time: Timestamp) -> Duration { waits.lazy.filter { $0.arrival >= time }.map(\.wait).max() ?? .zero }
    }

    private struct Delivery {
        let path: Path
        let number: Int
        let createdAt: Timestamp
        var attempt = 1
    }

    private enum Step {
        case arrive(Path)
        case ask(Delivery)
        case end(Delivery, process: Int, beganAt: Timestamp, SendResult)
    }

    static let start = Timestamp(microseconds: 1_800_000_000_000_000)
    /// The releaser looks every 200 ms, and the pack takes its way through the broker.
    static let longestRelease = Releaser.interval + .milliseconds(100)
    /// The limits of webhooks.
    static let limits = ProviderLimits(
        maximumBodyBytes: 1, maximumConcurrency: 128, maximumConcurrencyPerHost: 16, spareCallsPerHost: ProviderLimits.spareCalls,
        sendTimeout: .seconds(15))
    /// A delivery expires so long after it came. It bounds the number of deliveries that wait.
    static let life = Duration.seconds(600)

    private let policy = CategoryPolicy.standard(for: .transactional)
    private let answer: (String, _ delivery: Int, Timestamp) -> Answer
    private var rooms: [SendRoom]
    private var random = SplitMix64(state: 37)
    /// Sorted by time, the next step last.
    private var agenda: [(time: Timestamp, step: Step)] = []
    private var numbers = 0
    private(set) var stories: [String: Story] = [:]

    /// - Parameter answer: the answer of the host to a call.
    init(
        processes: Int = 1, _ paths: [Path], answer: @escaping (_ path: String, _ delivery: Int, Timestamp) -> Answer
    ) {
        self.answer = answer
        rooms = (0..<processes).map { _ in
            var room = SendRoom(Self.limits, now: Self.start)
            _ = room.divide(among: processes, now: Self.start)
            return room
        }
        for (place, path) in paths.enumerated() { plan(.arrive(path), at: Self.start.adding(.milliseconds(300 * place))) }
    }

    mutating func run(for time: Duration) {
        let end = Self.start.adding(time)
        while let next = agenda.last, next.time < end {
            agenda.removeLast()
            perform(next.step, at: next.time)
        }
    }

    private mutating func perform(_ step: Step, at now: Timestamp) {
        switch step {
        case .arrive(let path):
            for _ in 0..<path.together {
                numbers += 1
                stories[path.name, default: Story()].created += 1
                ask(Delivery(path: path, number: numbers, createdAt: now), at: now)
            }
            plan(.arrive(path), at: now.adding(path.interval))
        case .ask(let delivery): ask(delivery, at: now)
        case .end(let delivery, let process, let beganAt, let result):
            _ = rooms[process].leave(
                Self.call(delivery, askedAt: beganAt), evidence: result.evidence, requestedPause: result.requestedPause, now: now)
            conclude(delivery, result, beganAt: beganAt, at: now)
        }
    }

    private mutating func ask(_ delivery: Delivery, at now: Timestamp) {
        guard now < delivery.createdAt.adding(Self.life) else { return }
        let process = random.below(rooms.count)
        let call = Self.call(delivery, askedAt: now)
        switch rooms[process].ask(call, hasPlace: false, isUrgent: true, now: now) {
        case .granted:
            stories[delivery.path.name]?.calls += 1
            let answer = answer(delivery.path.name, delivery.number, now)
            plan(.end(delivery, process: process, beganAt: now, answer.result), at: now.adding(answer.after))
        case .refused(let wait, let refusal):
            if refusal == .breakerOpen { stories[delivery.path.name]?.refusals += 1 }
            planRelease(of: delivery, at: now.adding(wait))
        case .full:
            let later = now.adding(SendGate.patience)
            planRelease(of: delivery, at: later.adding(rooms[process].comeBack(call, isUrgent: true, now: later)))
        }
    }

    private mutating func conclude(_ delivery: Delivery, _ result: SendResult, beganAt: Timestamp, at now: Timestamp) {
        let step = nextStep(
            after: result.outcome, attempt: delivery.attempt, policy: policy, now: now, expiresAt: delivery.createdAt.adding(Self.life),
            random: Double(random.below(1_000)) / 1_000)
        switch step {
        case .settle(.delivered, _):
            stories[delivery.path.name]?.delivered += 1
            stories[delivery.path.name]?.waits.append((delivery.createdAt, beganAt - delivery.createdAt))
        case .settle(_, .retriesExhausted): stories[delivery.path.name]?.exhausted += 1
        case .settle, .failOver: break
        case .retry(let time, _, _):
            var delivery = delivery
            delivery.attempt += 1
            planRelease(of: delivery, at: time)
        }
    }

    private mutating func planRelease(of delivery: Delivery, at time: Timestamp) {
        let latest = Int(Self.longestRelease / .milliseconds(1))
        plan(.ask(delivery), at: time.adding(.milliseconds(random.below(latest))))
    }

    private mutating func plan(_ step: Step, at time: Timestamp) {
        var (low, high) = (0, agenda.count)
        while low < high {
            let middle = (low + high) / 2
            if agenda[middle].time > time { low = middle + 1 } else { high = middle }
        }
        agenda.insert((time, step), at: low)
    }

    private static func call(_ delivery: Delivery, askedAt: Timestamp) -> GateCall {
        let parts = CallParts(
            endpoint: Breaker.Part(delivery.path.name), delivery: Breaker.Part(delivery.number), isFirstAttempt: delivery.attempt == 1)
        return GateCall(host: delivery.path.host, parts: parts, askedAt: askedAt)
    }
}
