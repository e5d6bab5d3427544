import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The ids that the HTTP API promises before an event goes to the broker. The first request of a key decides its id.
extension Store {
    /// Reserves the ids of many requests in one transaction. The answers have the order of the requests.
    ///
    /// A key that a router has accepted has the id of its notification, also if the event came another way. So a repeated request gets the
    /// same ids, and a crash after this call changes nothing. A request that its caller has named gets the ids of its first answer.
    public func reserve(_ requests: [ReservationRequest]) async throws -> [ReservationAnswer] {
        let batch = ReservationBatch(requests) { clock.nextID() }
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let names = try await Self.record(batch.names, in: transaction)
            let earlier = requests.map { names.answer(to: $0) }
            let asked = batch.asked { earlier[$0] == nil }
            let found = try await reserve(asked, in: transaction)
            clock.correct(found.now)
            let answers = try requests.indices.map { position in
                try earlier[position] ?? batch.answer(to: requests[position], owners: found.owners)
            }
            try await Self.takeBack(from: requests, answers, new: found.new, newNames: names.new, in: transaction)
            try await Self.remember(answers, to: requests, new: names.new, in: transaction)
            return answers
        }
    }

    /// The names of requests that are recorded.
    private struct RecordedNames {
        /// The fingerprint of each name, and the ids of its answer. A new name has no ids yet.
        var requests: [NamedRequest.Name: (fingerprint: [UInt8], ids: [NotificationID])] = [:]
        /// The names that this transaction has recorded first.
        var new: Set<NamedRequest.Name> = []

        /// The answer to a request by its name alone. Nil if the request has no name, or if its name is new.
        func answer(to request: ReservationRequest) -> ReservationAnswer? {
            guard let named = request.named, let known = requests[named.name] else { return nil }
            guard known.fingerprint == named.fingerprint else { return .nameReused }
            // The numbers differ only if a version of another form has read the same body.
            guard !new.contains(named.name), known.ids.count == request.intents.count else { return nil }
            return .reserved(known.ids)
        }
    }

    /// Records the names of requests that are new.
    private static func record(_ names: [NamedRequest], in transaction: PostgresTransaction) async throws -> RecordedNames {
        var recorded = RecordedNames()
        guard !names.isEmpty else { return recorded }
        let (callers, keys) = (names.map(\.caller), names.map(\.key))
        let answers = try await transaction.pipeline([
            """
            insert into tidings.idempotent_requests (caller, key, fingerprint, created_at, notification_ids)
            select *, tidings.clock(), '{}'::uuid[] from unnest(\(callers), \(keys), \(names.map(\.fingerprint)))
                as asked(caller, key, fingerprint)
            on conflict do nothing returning caller, key
            """,
            """
            select r.caller, r.key, r.fingerprint, r.notification_ids from unnest(\(callers), \(keys)) as asked(caller, key)
            join tidings.idempotent_requests r on r.caller = asked.caller and r.key = asked.key
            """,
        ])
        for row in answers[0].rows {
            let (caller, key) = try row.decode((String, String).self)
            recorded.new.insert(NamedRequest.Name(caller: caller, key: key))
        }
        for row in answers[1].rows {
            let (caller, key, fingerprint, ids) = try row.decode((String, String, [UInt8], [NotificationID]).self)
            recorded.requests[NamedRequest.Name(caller: caller, key: key)] = (fingerprint, ids)
        }
        return recorded
    }

    /// Stores the ids of the first answer to each new name, in the transaction that promises these ids.
    private static func remember(
        _ answers: [ReservationAnswer], to requests: [ReservationRequest], new: Set<NamedRequest.Name>, in transaction: PostgresTransaction
    ) async throws {
        var promised: [NamedRequest.Name: [NotificationID]] = [:]
        for (request, answer) in zip(requests, answers) {
            if case .reserved(let ids) = answer, let named = request.named, new.contains(named.name) { promised[named.name] = ids }
        }
        guard !promised.isEmpty else { return }
        let names = promised.keys.sorted()
        // PostgreSQL has no array of arrays of different lengths. So each list of ids is a text.
        let ids = names.map { name in "{\((promised[name] ?? []).map(\.description).joined(separator: ","))}" }
        _ = try await transaction.query(
            """
            update tidings.idempotent_requests r set notification_ids = answered.ids::uuid[]
            from unnest(\(names.map(\.caller)), \(names.map(\.key)), \(ids)) as answered(caller, key, ids)
            where r.caller = answered.caller and r.key = answered.key
            """)
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
