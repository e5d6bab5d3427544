public import Logging
public import TidingsAMQP
import TidingsCatalogue
public import TidingsContracts
import TidingsCore
public import TidingsMetrics
import TidingsPostgres
public import TidingsStore
public import TidingsTimeZones
import TidingsWaiting

/// Turns messages into committed notifications and refusals.
public struct Intake: Sendable {
    private let store: Store
    private let catalogues: CatalogueSource
    private let zones: TimeZoneDatabase
    private let trusted: String
    private let projections: Projections
    private let topics: Set<String>
    private let signals: InboxSignals
    private let metrics: Metrics
    private let logger: Logger

    /// The longest pause between two tries while the database is away.
    package static let longestPause = Duration.seconds(5)
    private static let backoff = Backoff(base: .milliseconds(100), cap: longestPause)

    /// - Parameters:
    ///   - trusted: the AMQP user of the roles themselves.
    ///   - topics: the names of the topics that event streams follow. The people of a projection with such a name are announced.
    public init(
        store: Store, catalogues: CatalogueSource, zones: TimeZoneDatabase, trusted: String, projections: Projections,
        topics: Set<String>, signals: InboxSignals, metrics: Metrics, logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.zones = zones
        self.trusted = trusted
        self.projections = projections
        self.topics = topics
        self.signals = signals
        self.metrics = metrics
        self.logger = logger
    }

    /// Commits everything that follows from the messages, and returns the packs to publish. For messages that ask for very many
    /// notifications, the packs of all portions but the last go to `early` before the next portion is committed. Held together, they would
    /// fill the memory.
    ///
    /// While the database is away, or refuses for a reason of its own such as a missing grant, this waits and tries again. If the database
    /// will never take the values of a batch, the batch is halved until the faulty intent is alone. That intent is refused, and its
    /// neighbours continue. Throws if the task is cancelled, or if even a refusal cannot be stored.
    ///
    /// Messages that ask for very many notifications are committed in portions. A crash between two portions is harmless: the broker
    /// redelivers the messages, and the committed part is recognised.
    public func receive(_ messages: [AMQPMessage], early: ([Pack]) async -> Void) async throws -> [Pack] {
        let compiled = catalogues.current
        let pieces = DecodedMessages.pieces(
            of: messages, decoder: IntentDecoder(catalogue: compiled), trusted: trusted, now: store.clock.now())
        var packs: [Pack] = []
        for decoded in pieces {
            for portion in decoded.portions {
                await early(packs)
                packs = try await commit(portion, of: decoded, compiled.catalogue)
            }
        }
        return packs
    }

    /// The publisher of a message, if somebody vouches for it.
    func producer(of message: AMQPMessage) -> String? {
        message.producer(trusted: trusted, catalogue: catalogues.current.catalogue)
    }

    /// The headers of a message that a replay of the whole message sends, as JSON text.
    func replayHeaders(of message: AMQPMessage) -> String? {
        let isVouched = message.isVouched(trusted: trusted, catalogue: catalogues.current.catalogue)
        return ReplayHeaders.text(of: message, withIDs: isVouched)
    }

    private func commit(_ portion: IntakePortion, of decoded: DecodedMessages, _ catalogue: Catalogue) async throws -> [Pack] {
        var (failures, reminder) = (0, Reminder())
        while true {
            do {
                return try await write(portion, of: decoded, catalogue)
            } catch let error as PostgresError where error.isMissingPartition {
                // No releaser has made the day's partitions. This is no fault of the messages.
                logger.error("a partition is missing, making it", metadata: ["error": "\(error)"])
                do { try await store.upkeep.makePartitions() } catch {
                    logger.error("cannot make the partition, trying again", metadata: ["error": "\(error)"])
                }
            } catch let error as PostgresError where error.isAboutTheData {
                return try await bisect(portion, of: decoded, catalogue, because: error)
            } catch let error as UnknownProjection {
                return try await bisect(portion, of: decoded, catalogue, because: error)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.log(
                    level: reminder.isDue() ? .error : .debug, "cannot commit a batch, trying again",
                    metadata: ["error": "\(error)", "intents": "\(portion.intents.count)"])
            }
            failures += 1
            ProgressWork.current?.step()
            // Gives the database time to recover. The stop cancels the sleep.
            try await Task.sleep(for: Self.backoff.pause(afterFailure: failures))
        }
    }

    private func write(_ portion: IntakePortion, of decoded: DecodedMessages, _ catalogue: Catalogue) async throws -> [Pack] {
        let began = ContinuousClock.now
        let pauses = catalogues.pauses
        let batch = decoded.batch(of: portion)
        let claims = IntakeClaims(batch.intents) { store.clock.nextID() }
        let told = batch.intents.map { projections.people(in: $0.intent, projection: catalogue.types[$0.intent.type]?.projection) }
        let named = decoded.people(beside: portion).union(told.joined())
        let result = try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: zones, naming: named) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: batch.refused, erased: claimed.erased, now: claimed.now)
            for (position, one) in claimed.all.enumerated() {
                switch one.standing {
                case _ where claimed.namesErased(one.intent, naming: told[position]): write.drop(one)
                case .first:
                    let facts = claimed.facts(of: one.intent)
                    write.accept(one, routed: decide(one.intent, facts: facts, catalogue: catalogue, pauses: pauses, now: claimed.now))
                case .duplicate: write.countDuplicate()
                case .conflict(let existing):
                    write.refuse(decoded.conflict(of: portion.intents.lowerBound + position, with: existing))
                }
            }
            return try await intake.write(write, projections: projections)
        }
        record(result, took: ContinuousClock.now - began)
        signals.announce(result.arrivals)
        signals.announce(result.projected.filter { topics.contains($0.projection) }.compactMap(InboxSignal.Person.init))
        return result.packs
    }

    private func record(_ result: IntakeResult, took: Duration) {
        metrics.intents[.accepted].add(result.accepted)
        metrics.intents[.duplicate].add(result.duplicates)
        metrics.intents[.rejected].add(result.rejected)
        metrics.intents[.erased].add(result.erased)
        metrics.batchDuration[.route].observe(took)
        logger.debug(
            "routed a batch",
            metadata: [
                "accepted": .stringConvertible(result.accepted), "duplicates": .stringConvertible(result.duplicates),
                "rejected": .stringConvertible(result.rejected), "erased": .stringConvertible(result.erased),
                "packs": .stringConvertible(result.packs.count), "firstPack": "\(result.packs.first?.id.description ?? "")",
                "lastPack": "\(result.packs.last?.id.description ?? "")", "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
            ])
    }

    private func bisect(
        _ portion: IntakePortion, of decoded: DecodedMessages, _ catalogue: Catalogue, because error: any Error
    ) async throws -> [Pack] {
        guard portion.refused.isEmpty else {
            // Refusals consist only of values that can be stored. Writing them alone shows whether the intents are the cause.
            guard !portion.intents.isEmpty else { throw error }
            let packs = try await commit(IntakePortion(intents: portion.intents), of: decoded, catalogue)
            return packs + (try await commit(IntakePortion(refused: portion.refused), of: decoded, catalogue))
        }
        guard portion.intents.count > 1 else { return try await refuse(portion.intents.lowerBound, of: decoded, catalogue, because: error) }
        let middle = portion.intents.lowerBound + portion.intents.count / 2
        let first = try await commit(IntakePortion(intents: portion.intents.lowerBound..<middle), of: decoded, catalogue)
        return first + (try await commit(IntakePortion(intents: middle..<portion.intents.upperBound), of: decoded, catalogue))
    }

    /// Refuses an intent that the database will never take, or whose projection is not part of this binary. It becomes a row that an
    /// operator can read and replay.
    private func refuse(
        _ position: Int, of decoded: DecodedMessages, _ catalogue: Catalogue, because error: any Error
    ) async throws -> [Pack] {
        logger.error("an intent cannot be stored", metadata: ["error": "\(error)"])
        let text = error is UnknownProjection ? "\(error)" : "the database refuses it: \(error)"
        let refusal = decoded.refusal(of: position, .internalError, text)
        return try await commit(IntakePortion(refused: [refusal]), of: decoded, catalogue)
    }
}

extension InboxSignal.Person {
    /// The change of a projection. Nil if its name is no name of a topic.
    fileprivate init?(_ projected: ProjectedPerson) {
        guard let kind = InboxSignal.Kind(rawValue: projected.projection) else { return nil }
        self.init(tenant: projected.tenant, recipient: projected.recipient, kind: kind)
    }
}

/// Returns the decision, with the catalogue's values for the type. The decision is pure.
func decide(_ intent: Intent, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp) -> RoutedIntent {
    let decision = route(intent, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: now)
    guard let type = catalogue.types[intent.type] else {
        return RoutedIntent(decision: decision, category: .system, lane: .bulk, expiresAt: now)
    }
    return RoutedIntent(
        decision: decision, category: type.category, lane: catalogue.lane(of: type),
        expiresAt: catalogue.expiry(of: intent, type: type, acceptedAt: now), projection: type.projection)
}
