import TidingsContracts
public import TidingsCore
import TidingsPostgres
public import TidingsTimeZones

/// The transaction in which a batch of intents becomes rows: ``claim(_:zones:)``, the caller's decision, ``write(_:)``.
///
/// The claimed keys, the facts and the written rows belong together, so the decision is made inside the transaction. The decision must be
/// pure, because the transaction may run again.
public struct IntakeTransaction {
    fileprivate let store: Store
    fileprivate let transaction: PostgresTransaction
    fileprivate let expectsDuplicates: Bool

    /// Claims the idempotency keys of a batch. In the same round trip, reads the database's clock, the facts of the recipients, and the
    /// tombstones.
    ///
    /// Returns nil if an earlier try of this very batch was committed, though its answer was lost. Then nothing is left to write.
    ///
    /// - Parameter named: people whose tombstones count besides those of the recipients: they stand in refused events, or in the data of an
    ///   intent.
    public func claim(
        _ claims: IntakeClaims, zones: TimeZoneDatabase, naming named: Set<RecipientKey> = []
    ) async throws -> ClaimedIntents? {
        guard !claims.all.isEmpty || !named.isEmpty else {
            return ClaimedIntents(now: store.clock.now(), all: [], facts: [:], erased: [])
        }
        var trip = RoundTrip(running: [Store.byIndex, Tombstones.beginWriting])
        let claimed = trip.ask(claims.insert(expectingDuplicates: expectsDuplicates))
        let clock = trip.ask(store.databaseClock)
        let facts = trip.ask(FactsQuery.rows(of: claims.recipients))
        let erased = trip.ask(Tombstones.among(claims.recipients.union(named)))
        let found = try await transaction.send(trip)
        let now = try found[clock]
        store.clock.correct(now)
        let first = Set(try found[claimed])
        store.duplicates.note(duplicates: first.count < claims.keyCount)
        let owners = try await owners(of: claims.keys(except: first))
        guard !claims.wereCommittedBefore(owners) else { return nil }
        return ClaimedIntents(
            now: now, all: claims.all.map { ClaimedIntent(claim: $0, standing: $0.standing(first: first, owners: owners)) },
            facts: try FactsQuery.facts(in: found[facts], zones: zones, around: now), erased: Set(try found[erased]))
    }

    /// Writes everything that follows from a batch, and returns the packs to publish after the commit.
    ///
    /// Throws ``UnknownProjection`` if the type of an intent has a projection that is not among `projections`.
    public func write(_ write: consuming IntakeWrite, projections: Projections = Projections()) async throws -> IntakeResult {
        let projected = try projections.statements(for: write.projected)
        let packs = write.finishPacks { store.clock.nextID() }
        if write.notifications.rows.rowCount > 0 {
            try await transaction.copyIn(NotificationRows.target, rows: write.notifications.rows)
        }
        try await transaction.pipeline(write.statements(packs: packs) + projected)
        return write.result
    }

    private func owners(of keys: [Digest128]) async throws -> [Digest128: IntakeClaims.Owner] {
        guard !keys.isEmpty else { return [:] }
        let owners = try await transaction.query(
            .rows("select key, notification_id, content_hash from tidings.idempotency_keys where key = any(\(keys.map(\.uuid)))") { row in
                let (key, id, hash) = try row.decode((PostgresUUID, NotificationID, PostgresUUID).self)
                return (Digest128(key), IntakeClaims.Owner(id: id, contentHash: Digest128(hash)))
            })
        return Dictionary(owners) { _, last in last }
    }
}

extension Store {
    /// Runs `body` in the transaction of a batch of intents. When this returns, the batch may be acknowledged.
    ///
    /// `body` runs again if the transaction conflicts, or if a key was taken and no duplicate was expected (``DuplicateWatch``). The same
    /// batch again changes nothing: its keys are taken, and it counts as duplicates. An error that is about the data means that some intent
    /// cannot be stored. The caller halves the batch to find it.
    public func intake<Result: Sendable>(_ body: (IntakeTransaction) async throws -> Result) async throws -> Result {
        func attempt(expectingDuplicates: Bool) async throws -> Result {
            try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
                try await body(IntakeTransaction(store: self, transaction: transaction, expectsDuplicates: expectingDuplicates))
            }
        }
        do {
            return try await attempt(expectingDuplicates: duplicates.areExpected)
        } catch let error as PostgresError where IntakeClaims.isTakenKey(error) {
            return try await attempt(expectingDuplicates: true)
        }
    }
}

/// The answer to a claim: the standing of each intent in the order of the batch, and the facts of its recipient.
public struct ClaimedIntents: Sendable {
    /// The database's clock in this transaction.
    public let now: Timestamp
    public let all: [ClaimedIntent]
    fileprivate let facts: [RecipientKey: RecipientFacts]
    /// The people of the batch that are erased.
    public let erased: Set<RecipientKey>

    /// The facts of an intent's recipient. A person who was never seen has default facts.
    public func facts(of intent: Intent) -> RecipientFacts {
        facts[RecipientKey(intent)] ?? .unseen(tenant: intent.tenant, recipient: intent.recipient)
    }

    /// Whether the recipient of an intent is erased, or one of the people that its data names.
    public func namesErased(_ intent: Intent, naming named: [RecipientKey] = []) -> Bool {
        !erased.isEmpty && (erased.contains(RecipientKey(intent)) || named.contains(where: erased.contains))
    }
}

/// An intent with the id of its notification, and whether it is the first of its key.
public struct ClaimedIntent: Sendable {
    let claim: IntakeClaims.Claim
    public let standing: IntakeClaims.Standing

    public var intent: Intent { claim.decoded.intent }
}
