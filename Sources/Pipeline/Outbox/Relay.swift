public import Logging
public import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
public import TidingsMetrics
public import TidingsStore
import TidingsWaiting

/// Publishes the events that producers enqueued with `tidings_api.enqueue` in their own transactions.
///
/// A turn claims events by lease, publishes them, and deletes the events that the broker confirmed. No transaction is open while the broker
/// answers. If a relay dies meanwhile, its lease ends and the events are published again. Their ids make the second ones duplicates.
/// Several relays share the work.
public struct Relay: Sendable {
    /// The pause after a turn with less than a full batch. An enqueued event waits at most this long before a relay publishes it.
    package static let interval = Duration.milliseconds(200)
    /// The longest pause after turns in which the broker took nothing. The pause doubles from ``interval``, so that the tries last longer
    /// than a failover.
    package static let longestPause = Duration.seconds(5)
    private static let backoff = Backoff(base: interval, cap: longestPause)
    /// The pause between two tries of events that the broker refused more than ``Store/outboxTries`` times.
    package static let refusedInterval = Duration.seconds(10)
    /// The number of events of one turn. Their ids fit into one row of claims, which holds at most 400.
    package static let batch = 200
    /// The bytes of a turn's events together. One more event may exceed it. Each event is in memory three times until it is confirmed.
    package static let maximumBytes = 4 << 20
    /// The time between two measurements of the outbox.
    package static let measureInterval = Duration.seconds(5)
    /// The number of characters of a type in a routing key.
    private static let longestTypeInKey = 50

    private let store: Store
    private let catalogues: CatalogueSource
    private let publisher: AMQPPublisher
    private let watch: WorkWatch
    private let progress: ProgressWatch
    private let metrics: Metrics
    private let logger: Logger

    /// - Parameters:
    ///   - watch: watches for the confirms.
    ///   - progress: watches whether turns go on.
    public init(
        store: Store, catalogues: CatalogueSource, publisher: AMQPPublisher, watch: WorkWatch = WorkWatch(),
        progress: ProgressWatch = ProgressWatch(), metrics: Metrics, logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.publisher = publisher
        self.watch = watch
        self.progress = progress
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            // Each loop ends when the task is cancelled, and the group awaits all of them.
            for part in OutboxPart.allCases { group.addTask { await turns(of: part) } }
            group.addTask { await measure() }
        }
    }

    private func turns(of part: OutboxPart) async {
        var walk = OutboxWalk(relay: store.clock.nextID(), part: part)
        // Turns in a row of which the broker took nothing. An error of the database changes nothing here.
        var (refusedTurns, reminder) = (0, Reminder())
        while !Task.isCancelled {
            do {
                let turn = try await progress.during("relay \(part)") { try await self.turn(&walk) }
                reminder = Reminder()
                if turn.isFull, turn.confirmed > 0 { continue }
                refusedTurns = turn.refused > 0 && turn.confirmed == 0 ? refusedTurns + 1 : 0
            } catch {
                logger.cannot("relay enqueued events", error, isDue: reminder.isDue())
            }
            // The first refused turn already doubles the interval.
            let pause = part == .refused ? Self.refusedInterval : Self.backoff.pause(afterFailure: refusedTurns + 1)
            // Nothing signals a new row, because NOTIFY would serialise the producers' commits. The stop cancels the sleep.
            try? await Task.sleep(for: pause)
        }
        let relay = walk.relay
        await notCancelled { try await store.outbox.releaseEvents(relay: relay) }
    }

    private func turn(_ walk: inout OutboxWalk) async throws -> (confirmed: Int, refused: Int, isFull: Bool) {
        await mayHang(.relay)
        let began = walk.begin()
        let turn = try await store.outbox.claimEvents(
            walk.part, relay: walk.relay, after: walk.position, limit: Self.batch, bytes: Self.maximumBytes)
        walk.goOn(from: turn.last, began: began)
        guard !turn.events.isEmpty else { return (0, 0, turn.isFull) }
        let types = catalogues.current.catalogue.types
        let messages = turn.events.map { Self.message($0, category: types[$0.type]?.category ?? .system) }
        let answers = await watch.publish(messages, by: publisher)
        var (confirmed, refused): ([EnqueuedEvent], [EnqueuedEvent]) = ([], [])
        for (event, answer) in zip(turn.events, answers) {
            switch answer {
            case .confirmed: confirmed.append(event)
            // This failure comes only from the stop of this process, so it is no try of the event.
            case .failed(.stopped): break
            case .returned, .nacked, .failed: refused.append(event)
            }
        }
        if let example = zip(turn.events, answers).first(where: { $0.1 != .confirmed && $0.1 != .failed(.stopped) }) {
            logger.warning(
                "the broker did not take enqueued events, trying again",
                metadata: ["events": "\(refused.count)", "example": "\(example.0.id)", "answer": "\(example.1)"])
        }
        await settle(confirmed: confirmed, refused: refused)
        metrics.eventsRelayed.add(confirmed.count)
        return (confirmed.count, refused.count, turn.isFull)
    }

    /// Tries until the database has recorded the result. The broker's confirms are known, and without the record the events would be
    /// published again.
    private func settle(confirmed: [EnqueuedEvent], refused: [EnqueuedEvent]) async {
        guard !confirmed.isEmpty || !refused.isEmpty else { return }
        var (failures, reminder) = (0, Reminder())
        while !Task.isCancelled {
            do {
                return try await store.outbox.settleEvents(confirmed: confirmed, refused: refused)
            } catch {
                logger.cannot("delete published events", error, isDue: reminder.isDue())
            }
            failures += 1
            ProgressWork.current?.step()
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.backoff.pause(afterFailure: failures))
        }
        await notCancelled { try await store.outbox.settleEvents(confirmed: confirmed, refused: refused) }
    }

    /// Runs the last statements of a relay that stops. A cancelled task gets no connection, so they run in a task of their own.
    private func notCancelled(_ body: @escaping @Sendable () async throws -> Void) async {
        let last = Task { try await body() }
        do {
            try await last.value
        } catch {
            logger.warning("enqueued events wait for the end of their lease", metadata: ["error": "\(error)"])
        }
    }

    /// Sets the metrics of the outbox, also while the broker takes nothing.
    private func measure() async {
        var reminder = Reminder()
        while !Task.isCancelled {
            do {
                let level = try await store.outbox.level()
                metrics.outboxWaiting.set(level.waiting)
                metrics.outboxOldest.set(level.oldestSeconds)
                metrics.outboxRefused.set(level.refused)
                reminder = Reminder()
            } catch {
                logger.cannot("measure the outbox", error, isDue: reminder.isDue())
            }
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.measureInterval)
        }
    }

    /// Returns the message of an event. An unknown type is published like any other, and the router refuses it with a reason that an
    /// operator can read. Only the first word of the routing key counts, so a long type is cut there. The protocol allows 255 bytes.
    private static func message(_ event: EnqueuedEvent, category: Category) -> OutgoingMessage {
        OutgoingMessage(
            exchange: QueueNames.intentsExchange,
            routingKey: QueueNames.routingKey(category: category, type: String(event.type.prefix(longestTypeInKey))),
            body: Array(event.event.utf8), contentType: "application/cloudevents+json", messageID: event.id,
            headers: event.producer.map { [QueueNames.producerHeader: .string(ProducerEntry.databasePrefix + $0)] } ?? [:])
    }
}

/// The position that one loop of a relay has reached.
///
/// A turn continues where the turn before ended. From time to time a turn begins at the front of the outbox, to find events whose
/// transaction committed late and events that another relay left. Such a turn may take long: entries of published events stay at the front
/// until the table is vacuumed. So the next turn from the front begins only after ten times the duration of the last turn from the front.
private struct OutboxWalk {
    let relay: NotificationID
    let part: OutboxPart
    private(set) var position: OutboxPosition?
    private var frontAt = ContinuousClock.now

    /// The factor of the wait for the next turn from the front. At least nine tenths of the time remain for turns whose cost does not
    /// depend on the front.
    private static let share = 10

    init(relay: NotificationID, part: OutboxPart) {
        self.relay = relay
        self.part = part
    }

    mutating func begin() -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        if frontAt <= now { position = nil }
        return now
    }

    mutating func goOn(from last: OutboxPosition?, began: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        if position == nil { frontAt = now + (now - began) * Self.share }
        position = last ?? position
    }
}
