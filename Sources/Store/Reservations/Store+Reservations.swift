import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The ids that the HTTP API promises before an event goes to the broker. The first request of a key decides its id.
extension Store.Reservations {
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
        var trip = RoundTrip()
        let recording: SQL = """
            insert into tidings.idempotent_requests (caller, key, fingerprint, created_at, notification_ids)
            select *, tidings.clock(), '{}'::uuid[] from \(names.relation("asked", [
                Column("caller", \.caller), Column("key", \.key), Column("fingerprint", \.fingerprint),
            ]))
            on conflict do nothing returning caller, key
            """
        let new = trip.ask(.rows(recording, NamedRequest.Name.init))
        let reading: SQL = """
            select r.caller, r.key, r.fingerprint, r.notification_ids from \(names.map(\.name).relation("asked", NamedRequest.Name.columns))
            join tidings.idempotent_requests r on r.caller = asked.caller and r.key = asked.key
            """
        let known = trip.ask(
            .rows(reading) { row in
                (
                    name: try NamedRequest.Name(row), fingerprint: try row.decode("fingerprint", as: [UInt8].self),
                    ids: try row.decode("notification_ids", as: [NotificationID].self)
                )
            })
        let found = try await transaction.send(trip)
        recorded.new = Set(try found[new])
        for request in try found[known] { recorded.requests[request.name] = (request.fingerprint, request.ids) }
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
        // PostgreSQL has no array of arrays of different lengths. So each list of ids is a text.
        _ = try await transaction.query(
            """
            update tidings.idempotent_requests r set notification_ids = answered.ids::uuid[]
            from \(Array(promised).relation("answered", [
                Column("caller", \.key.caller), Column("key", \.key.key),
                Column("ids") { "{" + $0.value.map(\.description).joined(separator: ",") + "}" },
            ]))
            where r.caller = answered.caller and r.key = answered.key
            """)
    }

    /// Reserves new ids for the keys that have none. Returns the owner of each key, the new keys, and the database's time.
    private func reserve(
        _ asked: [ReservationBatch.Asked], in transaction: PostgresTransaction
    ) async throws -> (owners: [Digest128: ReservationBatch.Owner], new: Set<Digest128>, now: Timestamp) {
        let keys = asked.map(\.intent.idempotencyKey.uuid)
        var trip = RoundTrip(running: [Store.byIndex])
        let reserving: SQL = """
            insert into tidings.reservations (key, id, tenant, source, event_id, content_hash, reserved_at)
            select *, tidings.clock() from \(asked.relation("asked", [
                Column("key", \.intent.idempotencyKey), Column("id", \.id), Column("tenant", \.intent.intent.tenant),
                Column("source", \.intent.intent.source), Column("event_id", \.intent.intent.id),
                Column("content_hash", \.intent.contentHash),
            ]))
            on conflict do nothing returning key
            """
        let new = trip.ask(.rows(reserving) { Digest128(try $0.decode(PostgresUUID.self)) })
        let reserved = trip.ask(Self.owners("select key, id, content_hash from tidings.reservations where key = any(\(keys))"))
        // The key of a cancelled promise belongs to no notification.
        let accepted = trip.ask(
            Self.owners(
                """
                select k.key, k.notification_id, k.content_hash from tidings.idempotency_keys k where k.key = any(\(keys))
                    and not exists (select from tidings.reservations r where r.key = k.key and r.cancelled_at is not null)
                """))
        let clock = trip.ask(store.databaseClock)
        let found = try await transaction.send(trip)
        // The notification of a key takes precedence over a reservation.
        let owners = try found[reserved].merging(found[accepted]) { _, accepted in accepted }
        return (owners, Set(try found[new]), try found[clock])
    }

    /// The owners of keys, from rows of a key, an id and a hash of the content.
    private static func owners(_ query: SQL) -> Statement<[Digest128: ReservationBatch.Owner]> {
        Statement<[(Digest128, ReservationBatch.Owner)]>.rows(query) { row in
            let (key, id, hash) = try row.decode((PostgresUUID, NotificationID, PostgresUUID).self)
            return (Digest128(key), ReservationBatch.Owner(id: id, contentHash: Digest128(hash)))
        }
        .map { Dictionary($0) { _, last in last } }
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
            delete from tidings.idempotent_requests r using \(Array(names).relation("gone", NamedRequest.Name.columns))
            where r.caller = gone.caller and r.key = gone.key
            """,
        ])
    }
}
