public import TidingsCore
public import TidingsPostgres

/// The result of one turn at the erasures.
public enum ErasureProgress: Sendable, Hashable {
    /// No erasure is due.
    case idle
    /// A step went on. The next turn may come at once.
    case working
    /// The erasure waits for a transaction or a call.
    case waiting
    case done(NotificationID)
}

extension Store {
    /// Rows that one turn of an erasure looks at, for each table.
    package static let erasureBatch: Int64 = 500
    /// Notifications that one turn of an erasure deletes with everything about them.
    package static let erasureNotifications: Int64 = 100
    /// Refused events, or dead letters, that one turn of an erasure reads, beside the limit of their bytes.
    package static let erasureRefusedRows: Int64 = 50
    /// The bytes of these. One more row may exceed it. Each byte is in memory some times.
    package static let erasureRefusedBytes: Int64 = 1 << 20
    /// The pause of an erasure that waits for a transaction or a call to end. Other erasures go on meanwhile.
    package static let erasurePause = Duration.milliseconds(500)
}

extension Store.Erasures {
    /// Takes one small step of a running erasure, in one transaction with the progress of the erasure. So an erasure goes on where it was,
    /// whichever process dies. Several releasers may call this at once: each works on another erasure.
    ///
    /// Every step finds its work by a condition that holds until the work is done, so that a repetition does no harm.
    ///
    /// - Parameter projections: the modules whose tables may hold people.
    /// - Throws: ``ErasureFailure`` if a turn cannot succeed. Nothing of the turn is done, and the erasure is due again at once.
    public func advance(_ projections: Projections = Projections()) async throws -> ErasureProgress {
        let picked = TakenRows<NotificationID>()
        do {
            return try await advance(projections, picked)
        } catch let error as PostgresError where [.permanent, .retry].contains(error.retryability) {
            guard let erasure = picked.only else { throw error }
            throw ErasureFailure(erasure: erasure, cause: error)
        }
    }

    private func advance(_ projections: Projections, _ picked: TakenRows<NotificationID>) async throws -> ErasureProgress {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            picked.set([])
            var trip = RoundTrip(running: [Store.byIndex])
            let due = trip.ask(.rows(RunningErasure.pick))
            let now = trip.ask(store.databaseClock)
            let found = try await transaction.send(trip)
            guard let row = try found[due].first else { return .idle }
            clock.correct(try found[now])
            // Before the rest of the row: a row that cannot be read must be named.
            picked.set([try row.decode("id")])
            var erasure = try RunningErasure(row)
            let turn = ErasureTurn(erasure: erasure, projections: projections, transaction: transaction)
            let outcome = try await turn.run()
            try await transaction.pipeline(erasure.statements(after: outcome))
            return switch outcome.then {
            case .again: .working
            case .wait: .waiting
            case .next: erasure.isLastStep ? .done(erasure.id) : .working
            }
        }
    }
}

/// An erasure whose turn failed for a reason of its own.
public struct ErasureFailure: Error {
    public let erasure: NotificationID
    public let cause: PostgresError
}

extension Store.Erasures {
    /// Puts an erasure off after a failure, so that it does not keep others from their turn.
    public func postpone(_ id: NotificationID, by pause: Duration) async throws {
        _ = try await pool.query(
            """
            update tidings.erasures set waits_for = 'failed', due_at = tidings.clock() + make_interval(secs => \(pause / .seconds(1)))
            where id = \(id.uuid) and state = 'running'
            """)
    }
}

/// One turn at an erasure.
struct ErasureTurn {
    let erasure: RunningErasure
    let projections: Projections
    let transaction: PostgresTransaction

    var person: RecipientKey { erasure.person }
    var tables: [PersonalTable] { PersonalPlaces.tables + projections.personalTables }

    /// The position as an id. Ids of the outbox are of another version than those of notifications.
    var startID: SQL { "coalesce(nullif(\(erasure.position), ''), '00000000-0000-0000-0000-000000000000')::uuid" }

    func run() async throws -> RunningErasure.Outcome {
        switch erasure.step {
        case .transactions: try await waitForTransactions()
        case .mentions: try await eraseMentions()
        case .notifications: try await eraseNotifications()
        case .devices: try await eraseDevices()
        case .rows: try await eraseRows()
        case .enqueued: try await eraseEnqueued()
        case .refused: try await eraseRefused()
        case .dead: try await eraseDead()
        }
    }

    /// Sets the barrier in the first turn: this transaction is younger than the commit of the tombstone, so a transaction that saw no
    /// tombstone is older than this one. See ``Tombstones``. Transactions in other databases of the server store nothing here.
    private func waitForTransactions() async throws -> RunningErasure.Outcome {
        var trip = RoundTrip()
        let looking: SQL = """
            select barrier is not null, barrier is not null and (barrier <= pg_snapshot_xmin(pg_current_snapshot()) or not exists (
                select from pg_snapshot_xip(pg_current_snapshot()) as older where older < barrier and not \(Self.isElsewhere("older"))))
            from tidings.erasures where id = \(erasure.id.uuid)
            """
        let barrier = trip.ask(.one(looking) { try $0.decode((Bool, Bool).self) })
        trip.run("update tidings.erasures set barrier = coalesce(barrier, pg_current_xact_id()) where id = \(erasure.id.uuid)")
        let (isSet, isPassed) = try await transaction.send(trip)[barrier]
        if isPassed { return RunningErasure.Outcome(then: .next) }
        return RunningErasure.Outcome(then: isSet ? .wait("transactions") : .again(position: "", leftBehind: 0))
    }

    /// The condition that a running transaction is known to be in another database. The lock on its id is taken after the id, so a
    /// transaction without one counts for this database.
    private static func isElsewhere(_ transaction: SQL) -> SQL {
        """
        exists (select from pg_locks l join pg_stat_activity a on a.pid = l.pid
            where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = \(transaction)::xid
                and a.datid <> (select d.oid from pg_database d where d.datname = current_database()))
        """
    }

    // MARK: Rows

    /// The person's requests in the plans of devices, and then the devices with their plans. A device that has moved to another person gets
    /// its whole plan with its next request, so that its app forgets the notifications of this person.
    private func eraseDevices() async throws -> RunningErasure.Outcome {
        let requests = try await forgetRequests(
            Self.some("local_requests", with: person, in: "recipient_id"),
            of: "r.tenant = \(person.tenant) and r.recipient_id = \(person.id)")
        guard requests == 0 else {
            return RunningErasure.Outcome(counts: ["local_requests": requests], then: .again(position: "", leftBehind: 0))
        }
        // A sync that opens a plan holds the row of the device until its commit, so the next statements see its plan. A person has few
        // devices: see Store.devicesPerPerson.
        let owned: SQL = """
            select e.id from tidings.endpoints e
            where e.tenant = \(person.tenant) and e.recipient_id = \(person.id) and e.channel = 'push' order by e.id for update
            """
        let devices = try await transaction.query(.rows(owned) { try $0.decode(String.self) })
        if try await isWaking(devices) { return RunningErasure.Outcome(then: .wait("calls")) }
        var outcome = RunningErasure.Outcome(then: .next)
        for table in tables {
            guard case .deletesWithDevice(let column) = table.erasure else { continue }
            outcome.counts[table.name] = try await transaction.query(
                .count("delete from tidings.\(unsafe: table.name) where tenant = \(person.tenant) and \(unsafe: column) = any(\(devices))"))
        }
        outcome.counts["endpoints"] = try await transaction.query(
            .count("delete from tidings.endpoints where tenant = \(person.tenant) and recipient_id = \(person.id) and id = any(\(devices))")
        )
        return outcome
    }

    /// Whether a worker may be waking one of the person's devices: its lease began before the tombstone and has not ended. The lock waits for
    /// a worker that is taking a wake, so that the next statement sees the time of the wake.
    private func isWaking(_ devices: [String]) async throws -> Bool {
        var trip = RoundTrip()
        trip.run(
            """
            select from tidings.local_wakes w where w.tenant = \(person.tenant) and w.device_id = any(\(devices))
            order by w.device_id for update
            """)
        let waking: SQL = """
            select exists (select from tidings.local_plans p where p.tenant = \(person.tenant) and p.device_id = any(\(devices))
                and p.woken_at > (select tidings.clock()) - make_interval(secs => \(Double(Store.leaseSeconds))))
            """
        let isWaking = trip.ask(.value(waking, as: Bool.self))
        return try await transaction.send(trip)[isWaking]
    }

    /// Deletes the requests for which `condition` holds. Returns their number. The version of each plan grows, and all earlier ones are
    /// forgotten. The plans of all requests in `range` are locked first: only a sync changes a request, under this lock.
    func forgetRequests(_ condition: SQL, of range: SQL) async throws -> Int {
        var trip = RoundTrip()
        trip.run(
            """
            select from tidings.local_plans p join (select distinct r.tenant, r.device_id from tidings.local_requests r
                where \(range)) held on held.tenant = p.tenant and held.device_id = p.device_id
            order by p.tenant, p.device_id for update of p
            """)
        let forgotten = trip.ask(.value(Self.deleteRequests(condition), as: Int.self))
        return try await transaction.send(trip)[forgotten]
    }

    private static func deleteRequests(_ condition: SQL) -> SQL {
        """
        with gone as (
            delete from tidings.local_requests r where \(condition) returning r.tenant, r.device_id
        ), told as (
            update tidings.local_plans p set version = p.version + 1, forgotten_version = p.version + 1
            from (select distinct tenant, device_id from gone) g where p.tenant = g.tenant and p.device_id = g.device_id
            returning p.tenant, p.device_id
        ), woken as (
            \(Store.LocalPlans.wake("select tenant, device_id from told"))
        )
        select count(*) from gone
        """
    }

    /// The rest of the inbox, and then one statement for each column that names the person. The step ends when no row is left. A row that
    /// another transaction changed meanwhile may be neither deleted nor gone, so the deleted rows do not tell.
    private func eraseRows() async throws -> RunningErasure.Outcome {
        let entries = try await deleteOwnEntries()
        guard entries == 0 else { return RunningErasure.Outcome(counts: ["inbox": entries], then: .again(position: "", leftBehind: 0)) }
        let columns = tables.flatMap { table -> [(table: String, column: String)] in
            guard case .deletesPerson(let columns) = table.erasure else { return [] }
            return columns.map { (table: table.name, column: $0) }
        }
        var trip = RoundTrip()
        let deleted = columns.map { place in
            trip.ask(
                .count("delete from tidings.\(unsafe: place.table) r where \(Self.some(place.table, with: person, in: place.column))"))
        }
        let left: [SQL] = columns.map { place in
            """
            exists (select from tidings.\(unsafe: place.table) r
                where r.tenant = \(person.tenant) and r.\(unsafe: place.column) = \(person.id))
            """
        }
        let isLeft = trip.ask(.value("select \(left.joined(separator: " or "))", as: Bool.self))
        let found = try await transaction.send(trip)
        var outcome = RunningErasure.Outcome(then: try found[isLeft] ? .again(position: "", leftBehind: 0) : .next)
        for (place, count) in zip(columns, deleted) { outcome.counts[place.table, default: 0] += try found[count] }
        return outcome
    }

    /// The condition that `r` is one of some rows of a person. A ctid is unique in a partition only, so the person is asked for twice.
    static func some(_ table: String, with person: RecipientKey, in column: String) -> SQL {
        """
        r.tenant = \(person.tenant) and r.\(unsafe: column) = \(person.id) and r.ctid = any(array(
            select s.ctid from tidings.\(unsafe: table) s where s.tenant = \(person.tenant) and s.\(unsafe: column) = \(person.id)
            limit \(Store.erasureBatch)))
        """
    }

    /// Walks along the whole outbox once: an index would cost producers time with every event. An event that comes meanwhile is dropped by
    /// its router.
    private func eraseEnqueued() async throws -> RunningErasure.Outcome {
        let step: SQL = """
            with looked_at as materialized (
                select o.id, o.event from tidings.outgoing o where o.id > \(startID) order by o.id limit \(Store.erasureBatch)
            ), gone as (
                delete from tidings.outgoing o using looked_at l where o.id = l.id
                    and l.event::json -> 'data' ->> 'recipient' = \(person.id)
                    and coalesce(l.event::json -> 'data' ->> 'tenant', \(Intent.defaultTenant)) = \(person.tenant)
                returning o.id
            )
            select (select id::text from looked_at order by id desc limit 1), (select count(*) from gone)
            """
        let (last, gone) = try await transaction.query(.one(step) { try $0.decode((String?, Int).self) })
        guard let last else { return RunningErasure.Outcome(counts: ["outgoing": gone], then: .next) }
        return RunningErasure.Outcome(counts: ["outgoing": gone], then: .again(position: last, leftBehind: 0))
    }
}
