import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The ids that the HTTP API promises before an event goes to the broker. The first request of a key decides its id.
extension Store {
    /// Reserves the ids of many requests in one transaction. The answers have the order of the requests.
    ///
    /// A key that a router has accepted has the id of its notification, also if the event came another way. So a repeated request gets the
    /// same ids, and a crash after this call changes nothing.
    public func reserve(_ requests: [ReservationRequest]) async throws -> [ReservationAnswer] {
        let batch = ReservationBatch(requests) { clock.nextID() }
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let names = try await Self.record(batch.names, in: transaction)
            let isReused = requests.map { request in request.named.map { names.fingerprints[$0.name] != $0.fingerprint } ?? false }
            let asked = batch.asked { !isReused[$0] }
            let found = try await reserve(asked, in: transaction)
            clock.correct(found.now)
            let answers = try requests.indices.map { position in
                try isReused[position] ? .nameReused : batch.answer(to: requests[position], owners: found.owners)
            }
            try await Self.takeBack(from: requests, answers, new: found.new, newNames: names.new, in: transaction)
            return answers
        }
    }

    /// Records the names of requests. Returns the fingerprint that each name has, and the names that are new.
    private static func record(
        _ names: [NamedRequest], in transaction: PostgresTransaction
    ) async throws -> (fingerprints: [NamedRequest.Name: [UInt8]], new: Set<NamedRequest.Name>) {
        guard !names.isEmpty else { return ([:], []) }
        let (callers, keys) = (names.map(\.caller), names.map(\.key))
        let answers = try await transaction.pipeline([
            """
            insert into tidings.idempotent_requests (caller, key, fingerprint, created_at)
            select *, tidings.clock() from unnest(\(callers), \(keys), \(names.map(\.fingerprint))) as asked(caller, key, fingerprint)
            on conflict do nothing returning caller, key
            """,
            """
            select r.caller, r.key, r.fingerprint from unnest(\(callers), \(keys)) as asked(caller, key)
            join tidings.idempotent_requests r on r.caller = asked.caller and r.key = asked.key
            """,
        ])
        let new = try answers[0].rows.map { row in
            let (caller, key) = try row.decode((String, String).self)
            return NamedRequest.Name(caller: caller, key: key)
        }
        var fingerprints: [NamedRequest.Name: [UInt8]] = [:]
        for row in answers[1].rows {
            let (caller, key, fingerprint) = try row.decode((String, String, [UInt8]).self)
            fingerprints[NamedRequest.Name(caller: caller, key: key)] = fingerprint
        }
        return (fingerprints, Set(new))
    }

    /// Reserves new ids for the keys that have none. Returns the owner of each key, the new keys, and the database's time.
    private func reserve(
        _ asked: [ReservationBatch.Asked], in transaction: PostgresTransaction
    ) async throws -> (owners: [Digest128: ReservationBatch.Owner], new: Set<Digest128>, now: Timestamp) {
        let keys = asked.map(\.intent.idempotencyKey.uuid)
        let answers = try await transaction.pipeline([
            Self.byIndex,
            """
            insert into tidings.reservations (key, id, tenant, source, event_id, content_hash, reserved_at)
            select *, tidings.clock() from unnest(\(keys), \(asked.map(\.id.uuid)), \(asked.map(\.intent.intent.tenant)),
                \(asked.map(\.intent.intent.source)), \(asked.map(\.intent.intent.id)), \(asked.map(\.intent.contentHash.uuid)))
                as asked(key, id, tenant, source, event_id, content_hash)
            on conflict do nothing returning key
            """,
            "select key, id, content_hash from tidings.reservations where key = any(\(keys))",
            // The key of a cancelled promise belongs to no notification.
            """
            select k.key, k.notification_id, k.content_hash from tidings.idempotency_keys k where k.key = any(\(keys))
                and not exists (select from tidings.reservations r where r.key = k.key and r.cancelled_at is not null)
            """,
            clockQuery,
        ])
        var owners: [Digest128: ReservationBatch.Owner] = [:]
        // In this order: the notification of a key takes precedence over a reservation.
        for row in [answers[2], answers[3]].lazy.flatMap(\.rows) {
            let (key, id, hash) = try row.decode((PostgresUUID, NotificationID, PostgresUUID).self)
            owners[Digest128(key)] = ReservationBatch.Owner(id: id, contentHash: Digest128(hash))
        }
        let new = try answers[1].rows.map { Digest128(try $0.decode(PostgresUUID.self)) }
        return (owners, Set(new), try readClock(answers[4].rows[0]))
    }

    /// Deletes the new rows of refused requests. Otherwise a corrected request would meet the content of the refused one.
    private static func takeBack(
        from requests: [ReservationRequest], _ answers: [ReservationAnswer], new: Set<Digest128>, newNames: Set<NamedRequest.Name>,
        in transaction: PostgresTransaction
    ) async throws {
        var (kept, refused): (Set<Digest128>, Set<Digest128>) = ([], [])
        var (keptNames, refusedNames): (Set<NamedRequest.Name>, Set<NamedRequest.Name>) = ([], [])
        for (request, answer) in zip(requests, answers) {
            switch answer {
            case .reserved:
                kept.formUnion(request.intents.lazy.map(\.idempotencyKey))
                if let named = request.named { keptNames.insert(named.name) }
            case .conflict:
                refused.formUnion(request.intents.lazy.map(\.idempotencyKey))
                if let named = request.named { refusedNames.insert(named.name) }
            case .nameReused: break
            }
        }
        let keys = refused.intersection(new).subtracting(kept).map(\.uuid)
        let names = refusedNames.intersection(newNames).subtracting(keptNames)
        guard !keys.isEmpty || !names.isEmpty else { return }
        try await transaction.pipeline([
            "delete from tidings.reservations where key = any(\(keys))",
            """
            delete from tidings.idempotent_requests r using unnest(\(names.map(\.caller)), \(names.map(\.key))) as gone(caller, key)
            where r.caller = gone.caller and r.key = gone.key
            """,
        ])
    }
}
