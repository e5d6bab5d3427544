import TidingsContracts
public import TidingsCore
import TidingsPostgres
public import TidingsTimeZones

extension Store {
    /// Writes a batch of intents in one transaction: who came first, the recipients' facts, the decision of `decide`, and everything that
    /// follows from it. When this returns, the batch may be acknowledged.
    ///
    /// - `decide` and `refuseConflict` are pure and may run again when the transaction is retried. The latter makes the refusal of the
    ///   intent at `position`, whose key was used before with other content.
    /// - The same batch again changes nothing: its keys are taken, and it counts as duplicates.
    /// - An error with a permanent verdict means that some intent cannot be stored: the caller halves the batch to find it.
    public func take(
        _ batch: IntakeBatch, catalogue: Catalogue, zones: TimeZoneDatabase,
        decide: @escaping @Sendable (Intent, RecipientFacts, Timestamp) -> RoutedIntent,
        refuseConflict: @escaping @Sendable (_ position: Int, _ existing: NotificationID?) -> RefusedEvent
    ) async throws -> IntakeResult {
        let claims = IntakeClaims(batch.intents) { clock.nextID() }
        func attempt(expectingDuplicates: Bool) async throws -> IntakeResult {
            try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { connection in
                var write = IntakeWrite(catalogue: catalogue, refused: batch.refused)
                guard !batch.intents.isEmpty else {
                    _ = try await connection.pipeline(write.statements(packs: [], now: clock.now()))
                    return write.result
                }
                let claim = claims.insert(expectingDuplicates: expectingDuplicates)
                let answers = try await connection.pipeline([Self.byIndex, claim, Self.clockQuery, FactsQuery.sql(for: claims.recipients)])
                let now = try answers[2].rows.first.map { Timestamp(try $0.decode(0, as: PostgresTimestamp.self)) } ?? clock.now()
                clock.correct(now)
                let first = Set(try answers[1].rows.map { Digest128(try $0.decode(0, as: PostgresUUID.self)) })
                duplicates.saw(any: first.count < claims.keyCount)
                let owners = try await owners(of: claims.keys(except: first), on: connection)
                if claims.wereCommittedBefore(owners) { return IntakeResult() }
                let facts = try FactsQuery.decode(answers[3], zones: zones, around: now)
                var packs = PackBuilder()
                for (position, claim) in claims.all.enumerated() {
                    switch claim.standing(first: first, owners: owners) {
                    case .first:
                        let known = facts[RecipientKey(claim.decoded.intent)]
                        let routed = decide(
                            claim.decoded.intent,
                            known ?? .unseen(tenant: claim.decoded.intent.tenant, recipient: claim.decoded.intent.recipient), now)
                        write.accept(claim, routed: routed, now: now, packs: &packs)
                    case .duplicate: write.countDuplicate()
                    case .conflict(let existing): write.refuse(refuseConflict(position, existing))
                    }
                }
                let finished = packs.finish { clock.nextID() }
                if write.notifications.rows.rowCount > 0 {
                    _ = try await connection.copyIn(NotificationRows.target, rows: write.notifications.rows)
                }
                _ = try await connection.pipeline(write.statements(packs: finished, now: now))
                write.result.packs = finished
                return write.result
            }
        }
        do {
            return try await attempt(expectingDuplicates: duplicates.areExpected)
        } catch let error as PostgresError where IntakeClaims.isTakenKey(error) {
            return try await attempt(expectingDuplicates: true)
        }
    }

    static let clockQuery: SQL = "select tidings.clock()"

    private func owners(of keys: [Digest128], on connection: PostgresConnection) async throws -> [Digest128: IntakeClaims.Owner] {
        guard !keys.isEmpty else { return [:] }
        let result = try await connection.query(
            "select key, notification_id, content_hash from tidings.idempotency_keys where key = any(\(keys.map(\.uuid)))")
        var owners: [Digest128: IntakeClaims.Owner] = [:]
        for row in result.rows {
            let (key, id, hash) = try row.decode((PostgresUUID, PostgresUUID, PostgresUUID).self)
            owners[Digest128(key)] = IntakeClaims.Owner(id: NotificationID(id), contentHash: Digest128(hash))
        }
        return owners
    }
}
