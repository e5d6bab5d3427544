import Synchronization
import Testing
import TidingsTestSupport

@testable import TidingsAMQP

/// An offer returns at once whatever the broker does, and every message is counted as published or dropped.
@Suite(.timeLimit(.minutes(Patience.scaled(2)))) struct AnnouncerTests {
    private static let exchange = ExchangeDeclaration(name: Broker.unique("announcer"), kind: "fanout", durable: false)

    private static func message(_ text: String, bytes: Int = 0) -> OutgoingMessage {
        OutgoingMessage(
            exchange: exchange.name, routingKey: "", body: Array(text.utf8) + [UInt8](repeating: 7, count: bytes), messageID: "")
    }

    @Test func aBufferHasTwoLimitsAndWakesOnce() {
        let size = Self.message("m").encodedSize
        var buffer = AnnouncementBuffer(maximumMessages: 3, maximumBytes: 10 * size)
        let offers = (0..<4).map { _ in buffer.offer(Self.message("m")) }
        #expect(offers == [.taken(wakes: true), .taken(wakes: false), .taken(wakes: false), .dropped])
        buffer.woke()
        buffer.removeFirst()
        // Two messages are left, so eight of the ten sizes.
        let bySize = [8, 7].map { buffer.offer(Self.message("m", bytes: $0 * size)) }
        #expect(bySize == [.dropped, .taken(wakes: true)])
        let dropped = buffer.removeAll()
        #expect(dropped == 3 && buffer.isEmpty)
        buffer.isOpen = false
        let whileClosed = buffer.offer(Self.message("m"))
        buffer.isOpen = true
        let afterwards = buffer.offer(Self.message("m", bytes: 8 * size))
        #expect(whileClosed == .dropped && afterwards == .taken(wakes: false), "an earlier offer has woken the announcer")
    }

    @Test func everyMessageIsDroppedAtOnceIfNoBrokerListens() async throws {
        // No process listens on port 1 of the loopback.
        var configuration = AMQPConfiguration(host: "127.0.0.1", port: 1)
        configuration.reconnect = ReconnectPolicy(base: .seconds(60), cap: .seconds(120))
        let (counts, log) = (Counts(), EventLog())
        let announcer = try AMQPAnnouncer.make(
            configuration: configuration, connectionName: "test announcer", exchange: Self.exchange, report: counts.report, log: log.record)
        announcer.offer(Self.message("first"))
        await log.first { if case .disconnected = $0 { true } else { false } }
        await counts.reaches(dropped: 1)
        #expect(!announcer.accepts)
        for _ in 0..<1_000 { announcer.offer(Self.message("more")) }
        #expect(counts.now == Counts.Value(published: 0, dropped: 1_001), "without waiting for the next attempt")
        await announcer.close()
        let attempts = log.events.count { if case .disconnected = $0 { true } else { false } }
        #expect(attempts == 1)
    }

    @Test(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"))
    func theAnnouncerConnectsWithTheFirstOfferAndAgainAfterALoss() async throws {
        var configuration = try Broker.configuration()
        let proxy = try FaultProxy(to: configuration.port)
        defer { proxy.close() }
        (configuration.host, configuration.port) = ("127.0.0.1", proxy.port)
        let (counts, log) = (Counts(), EventLog())
        let announcer = try AMQPAnnouncer.make(
            configuration: configuration, connectionName: "test announcer", exchange: Self.exchange, report: counts.report, log: log.record)
        #expect(announcer.accepts && log.events.isEmpty)
        for number in 0..<10 { announcer.offer(Self.message("m\(number)")) }
        await counts.reaches(published: 10)
        let seen = log.events.count
        proxy.reset()
        await log.first(after: seen) { if case .connected = $0 { true } else { false } }
        // The event of the connection comes before its first turn has ended, so the first offers may still be dropped.
        while !announcer.accepts { await Task.yield() }
        announcer.offer(Self.message("again"))
        await counts.reaches(published: 11)
        await announcer.close()
        announcer.offer(Self.message("late"))
        #expect(counts.now == Counts.Value(published: 11, dropped: 1))
    }

    /// A peer that reads nothing fills the buffer of the socket and then the announcer's. Each further offer is dropped.
    @Test(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"))
    func aStalledPeerDelaysNoOffer() async throws {
        var configuration = try Broker.configuration()
        let proxy = try FaultProxy(to: configuration.port)
        defer { proxy.close() }
        (configuration.host, configuration.port) = ("127.0.0.1", proxy.port)
        let counts = Counts()
        let announcer = try AMQPAnnouncer.make(
            configuration: configuration, connectionName: "test announcer", exchange: Self.exchange, maximumMessages: 10,
            report: counts.report)
        announcer.offer(Self.message("before"))
        await counts.reaches(published: 1)
        proxy.stall()
        var offered = 1
        while counts.now.dropped == 0, offered < 100_000 {
            announcer.offer(Self.message("m", bytes: 100_000))
            offered += 1
        }
        #expect(counts.now.dropped > 0, "\(offered) messages of 100 KB were taken")
        proxy.thaw()
        await announcer.close()
        #expect(counts.now.published + counts.now.dropped == offered)
    }
}

/// The ends of messages that an announcer reports.
final class Counts: Sendable {
    struct Value: Equatable {
        var published = 0
        var dropped = 0
    }

    private struct State {
        var value = Value()
        var waiters: [(wanted: Value, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Value { state.withLock(\.value) }

    @Sendable func report(_ outcome: AMQPAnnouncer.Outcome, _ count: Int) {
        let ready = state.withLock { state in
            switch outcome {
            case .published: state.value.published += count
            case .dropped: state.value.dropped += count
            }
            let value = state.value
            let ready = state.waiters.filter { value.published >= $0.wanted.published && value.dropped >= $0.wanted.dropped }
            state.waiters.removeAll { value.published >= $0.wanted.published && value.dropped >= $0.wanted.dropped }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until at least so many messages have ended.
    func reaches(published: Int = 0, dropped: Int = 0) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.value.published >= published && state.value.dropped >= dropped { return true }
                state.waiters.append((Value(published: published, dropped: dropped), continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
