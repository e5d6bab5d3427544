public import Logging
public import TidingsAMQP
import TidingsCore
import TidingsPostgres
public import TidingsStore
public import TidingsWire

/// Turns messages into committed notifications and refusals.
public struct Intake: Sendable {
    private let store: Store
    private let catalogues: CatalogueSource
    private let zones: TimeZoneDatabase
    private let counter: WorkCounter
    private let logger: Logger

    /// The longest pause between two tries while the database is away.
    private static let longestPause = Duration.seconds(5)

    public init(store: Store, catalogues: CatalogueSource, zones: TimeZoneDatabase, counter: WorkCounter, logger: Logger) {
        self.store = store
        self.catalogues = catalogues
        self.zones = zones
        self.counter = counter
        self.logger = logger
    }

    /// Commits everything that follows from the messages, and returns the packs to publish.
    ///
    /// While the database is away this waits and tries again. An error of the data itself halves the batch until the message that causes it is
    /// alone: that one is refused, its neighbours go on. Throws only when the task is cancelled.
    public func take(_ messages: [AMQPMessage]) async throws -> [Pack] {
        var pause = Duration.milliseconds(100)
        while true {
            do {
                return try await takeOnce(messages)
            } catch let error as PostgresError where error.isMissingPartition {
                // Nobody has made the day's partitions, and that is no fault of the messages.
                logger.error("a partition is missing, making it", metadata: ["error": "\(error)"])
                try? await store.makePartitions()
            } catch let error as PostgresError where error.verdict == .permanent && error.kind == .server {
                return try await bisect(messages, because: error)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                logger.error("cannot commit a batch, trying again", metadata: ["error": "\(error)", "messages": "\(messages.count)"])
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func takeOnce(_ messages: [AMQPMessage]) async throws -> [Pack] {
        let compiled = catalogues.current
        let decoded = DecodedMessages(messages, decoder: IntentDecoder(catalogue: compiled), now: store.clock.now())
        return try await commit(decoded, catalogue: compiled.catalogue)
    }

    private func commit(_ decoded: DecodedMessages, catalogue: Catalogue) async throws -> [Pack] {
        let result = try await store.take(
            decoded.batch, catalogue: catalogue, zones: zones,
            decide: { intent, facts, now in decide(intent, facts: facts, catalogue: catalogue, now: now) },
            refuseConflict: { position, existing in
                decoded.refusal(
                    of: position, .idempotencyConflict,
                    "this source and id were used before with other content"
                        + (existing.map { ": notification \($0)" } ?? ", in the same batch"))
            })
        counter.add(result.accepted + result.duplicates + result.rejected)
        return result.packs
    }

    private func bisect(_ messages: [AMQPMessage], because error: PostgresError) async throws -> [Pack] {
        guard messages.count > 1 else { return try await refuse(messages, because: error) }
        let middle = messages.count / 2
        return try await take(Array(messages[..<middle])) + take(Array(messages[middle...]))
    }

    /// The database will never take this message: it becomes a row an operator can read and replay.
    private func refuse(_ messages: [AMQPMessage], because error: PostgresError) async throws -> [Pack] {
        logger.error("a message cannot be stored", metadata: ["error": "\(error)"])
        let compiled = catalogues.current
        var decoded = DecodedMessages(messages, decoder: IntentDecoder(catalogue: compiled), now: store.clock.now())
        decoded.refuseAll(.internalError, "the database refuses it: \(error.sqlState ?? "")")
        return try await commit(decoded, catalogue: compiled.catalogue)
    }
}

/// The pure decision, with what the catalogue says of the type.
func decide(_ intent: Intent, facts: RecipientFacts, catalogue: Catalogue, now: Timestamp) -> RoutedIntent {
    let decision = route(intent, facts: facts, catalogue: catalogue, now: now, acceptedAt: now)
    guard let type = catalogue.types[intent.type] else {
        return RoutedIntent(decision: decision, category: .system, lane: .bulk, expiresAt: now)
    }
    return RoutedIntent(
        decision: decision, category: type.category, lane: catalogue.lane(of: type),
        expiresAt: catalogue.expiry(of: intent, type: type, acceptedAt: now))
}

extension PostgresError {
    /// PostgreSQL reports a row without a partition as a violated check, and names no constraint.
    var isMissingPartition: Bool { sqlState == "23514" && constraint == nil }
}
