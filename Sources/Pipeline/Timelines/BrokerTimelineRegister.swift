import Synchronization
public import TidingsAMQP
import TidingsContracts
public import TidingsPostgres
public import TidingsStore

/// The register of timelines at the broker, which all processes share.
///
/// The exchange `tidings.timelines` has a binding for each old timeline, with ``key(of:)`` as its key. A question is a message with the key of
/// the asked timeline. The broker returns it, unless the timeline is old. So the answers need no consumer, no process can take a note back by
/// mistake, and the notes outlive every process.
///
/// PostgreSQL begins with timeline 1. The binding of timeline 0 shows that there are notes about a cluster.
public final class BrokerTimelineRegister: TimelineRegister {
    /// The longest wait for an answer. A broker that is well answers within milliseconds.
    public static let patience = Duration.seconds(2)
    /// The timelines below a new one that are noted as old. Earlier ones were noted by the promotions before.
    package static let notedBelow: UInt32 = 32
    /// The timelines from an accepted one on that are no longer old. A restore goes back by fewer promotions.
    package static let acceptedAbove: UInt32 = 1_000

    private let publisher: AMQPPublisher
    private let control: AMQPControl
    private let questions = Atomic(0)

    /// - Parameter log: events of the connection that asks.
    public static func make(
        configuration: AMQPConfiguration, log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> BrokerTimelineRegister {
        var configuration = configuration
        // An attempt to connect blocks the questions.
        configuration.connectTimeout = min(configuration.connectTimeout, patience)
        return BrokerTimelineRegister(
            publisher: try AMQPPublisher.make(
                configuration: configuration, connectionName: "tidings timelines", maximumRepublishes: 0, log: log),
            control: try AMQPControl.make(configuration: configuration, connectionName: "tidings timelines noted"))
    }

    private init(publisher: AMQPPublisher, control: AMQPControl) {
        self.publisher = publisher
        self.control = control
    }

    public func close() async {
        await publisher.close()
        await control.close()
    }

    /// The question has no body. A broker with an alarm stops reading a connection after the header of its first message, which is the whole
    /// message then. So the first question of a process is answered even during an alarm, and the process can start.
    public func answer(about timeline: PostgresTimeline) async -> TimelineAnswer {
        let question = OutgoingMessage(
            exchange: QueueNames.timelines, routingKey: Self.key(of: timeline), body: [],
            contentType: "text/plain", messageID: "timeline-\(questions.add(1, ordering: .relaxed).newValue)")
        return switch await publisher.publish([question], timeout: Self.patience)[0] {
        case .returned(code: Self.noRoute, text: _): .current
        case .confirmed: .old
        case .returned, .nacked, .failed: .unknown
        }
    }

    public func hasNotes(about system: UInt64) async -> Bool? {
        switch await answer(about: PostgresTimeline(system: system, number: 0)) {
        case .old: true
        case .current: false
        case .unknown: nil
        }
    }

    /// Binds the lower timelines, the lowest first. So if the process dies meanwhile, a timeline that is noted has no gap below it.
    ///
    /// Timeline 0 is among them, also for timeline 1. So a missing right to bind is found at the first start, and not at the first failover.
    public func note(_ timeline: PostgresTimeline) async -> Bool {
        let lower = [0] + (max(1, timeline.number - min(timeline.number, Self.notedBelow))..<max(1, timeline.number))
        do throws(AMQPError) {
            do throws(AMQPError) {
                for number in lower { try await control.bind(Self.binding(of: timeline.system, number)) }
            } catch {
                guard case .channelClosed(code: 404, _) = error else { throw error }
                // The queue or the exchange was deleted, and the notes with it.
                try await declare()
                for number in lower { try await control.bind(Self.binding(of: timeline.system, number)) }
            }
            await control.close()
            return true
        } catch {
            await control.close()
            return false
        }
    }

    /// Makes a timeline current although a later one was noted, after a restore. Asks the broker to forget ``acceptedAbove`` timelines.
    ///
    /// A process that still uses a later timeline notes it again, and then the accepted one is old again.
    public func accept(_ timeline: PostgresTimeline) async throws(AMQPError) {
        for number in timeline.number..<(timeline.number + Self.acceptedAbove) {
            try await control.unbind(Self.binding(of: timeline.system, number))
        }
    }

    private func declare() async throws(AMQPError) {
        let (exchange, queue) = (ExchangeSpec.timelines, QueueSpec.timelines)
        func values(_ values: [String: TopologyValue]) -> [String: AMQPValue] {
            values.mapValues { value in
                switch value {
                case .int(let number): .int(number)
                case .string(let text): .string(text)
                }
            }
        }
        try await control.declareQueue(
            QueueDeclaration(name: queue.name, arguments: values(queue.arguments), placement: values(queue.placement)))
        try await control.declareExchange(
            ExchangeDeclaration(name: exchange.name, kind: exchange.kind.rawValue, durable: exchange.durable))
    }

    private static func binding(of system: UInt64, _ number: UInt32) -> Binding {
        Binding(
            queue: QueueNames.timelines, exchange: QueueNames.timelines,
            routingKey: key(of: PostgresTimeline(system: system, number: number)))
    }

    /// The key of a timeline, which an operator reads in the list of bindings: `7448562081373126729/3`.
    private static func key(of timeline: PostgresTimeline) -> String { timeline.description }

    /// The reply code of AMQP 0-9-1 for a message that no queue takes.
    private static let noRoute = 312
}
