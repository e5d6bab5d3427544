public import TidingsContracts
public import TidingsCore
import TidingsPostgres
public import TidingsTimeZones

extension Store {
    /// The largest number of notifications of one device that one sync judges: far more than a plan can hold. Notifications that the device
    /// was told come first, then the soonest.
    package static let localLook: Int64 = 500
}

extension Store.LocalPlans {
    /// The changes of a device's plan since a version that the device has. Nil if there is no such device, or if it does not belong to
    /// `owner`.
    ///
    /// Each notification is judged again with the present facts, in the device's own time zone, else in the zone of its person. If the
    /// judgement changes the plan, the plan gets a new version.
    ///
    /// The update holds the whole plan, with `reset`, if `since` is nil, unknown or forgotten. This is also the case if more than
    /// ``localLook`` notifications were taken back since then.
    ///
    /// The statements have the rights of `owner`, if there is one. Deliveries belong to the pipeline, so the process moves them.
    public func sync(
        of device: String, tenant: String, owner: String? = nil, since: Int64?, catalogue: Catalogue, zones: TimeZoneDatabase
    ) async throws -> LocalPlanUpdate? {
        try await pool.transaction(retryAmbiguous: true) { transaction in
            guard let plan = try await OpenPlan(device: device, tenant: tenant, owner: owner, in: transaction) else { return nil }
            clock.correct(plan.now)
            let key = RecipientKey(tenant: tenant, id: plan.owner)
            var look = RoundTrip()
            let requests = look.ask(plan.requests)
            let factsOfOwner = look.ask(FactsQuery.rows(of: [key]))
            let pauses = look.ask(Store.Pausing.pausesInForce)
            let found = try await transaction.send(look)
            let facts = try FactsQuery.facts(in: found[factsOfOwner], zones: zones, around: plan.now)[key]
            var sync = LocalSync(
                plan, try found[requests], facts: facts ?? .unseen(tenant: tenant, recipient: plan.owner),
                catalogue: catalogue, pauses: try found[pauses], zones: zones)
            sync.judge()
            var change = RoundTrip(running: sync.statements)
            let takenBack = change.ask(plan.takenBack(since: since ?? .max))
            change.run(plan.byProcess(sync.moves))
            let removed = try await transaction.send(change)[takenBack]
            // Check again: this sync may have forgotten versions too.
            let isKnown = plan.knows(since) && (since ?? 0) >= sync.forgotten
            return sync.update(since: isKnown && removed.count <= Store.localLook ? since : nil, removed: removed)
        }
    }
}

/// A device's plan under a row lock, so that only one sync or confirmation runs at a time.
struct OpenPlan {
    let device: String
    let tenant: String
    let owner: String
    /// Whether the transaction has the rights of the owner.
    private let isAsOwner: Bool
    /// The zone that the device reported. Nil if it reported none.
    let zone: String?
    let version: Int64
    let acked: Int64
    let forgotten: Int64
    let now: Timestamp

    /// Opens the plan. Nil if there is no such device, or if it does not belong to `owner`. The lock of the device keeps it until the new
    /// plan is committed: an erasure must find the plan.
    ///
    /// - Parameter owner: the person whose rights the transaction has from now on. Nil: it keeps those of the process.
    init?(device: String, tenant: String, owner: String?, in transaction: PostgresTransaction) async throws {
        var trip = RoundTrip()
        if let owner { trip.run(Store.beginPerson(RecipientKey(tenant: tenant, id: owner))) }
        trip.run(
            """
            insert into tidings.local_plans (tenant, device_id)
            select e.tenant, e.id from tidings.endpoints e where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device)
                and not exists (select from tidings.local_plans p where p.tenant = e.tenant and p.device_id = e.id)
            for key share of e on conflict do nothing
            """)
        let opening: SQL = """
            select e.recipient_id, e.time_zone, p.version, p.acked_version, p.forgotten_version, tidings.clock()
            from tidings.local_plans p
            join tidings.endpoints e on e.channel = 'push' and e.tenant = p.tenant and e.id = p.device_id
            where p.tenant = \(tenant) and p.device_id = \(device) and (\(owner) is null or e.recipient_id = \(owner)) for update of p
            """
        let opened = trip.ask(.first(opening) { try $0.decode((String, String?, Int64, Int64, Int64, PostgresTimestamp).self) })
        guard let (person, zone, version, acked, forgotten, now) = try await transaction.send(trip)[opened] else { return nil }
        isAsOwner = owner != nil
        (self.device, self.tenant, self.owner, self.zone) = (device, tenant, person, zone)
        (self.version, self.acked, self.forgotten, self.now) = (version, acked, forgotten, Timestamp(now))
    }

    /// The statements of moved deliveries, with the rights of the process. Empty if no delivery moves.
    func byProcess(_ moves: LocalMoves) -> [SQL] {
        let statements = moves.statements
        return isAsOwner && !statements.isEmpty ? [Store.endPerson] + statements : statements
    }

    /// Whether all changes after a version are known.
    func knows(_ since: Int64?) -> Bool {
        since.map { (forgotten...version).contains($0) } ?? false
    }

    /// The notifications that the device was told and has not shown yet, and those that it may be told.
    var requests: Statement<[LocalRequest]> {
        let query: SQL = """
            select \(LocalRequest.columns) from tidings.local_requests r
            where r.tenant = \(tenant) and r.device_id = \(device) and \(LocalRequest.isPending)
            order by r.in_plan desc, r.scheduled_for nulls first, r.notification_id limit \(Store.localLook)
            """
        return .rows(query, LocalRequest.init)
    }

    func takenBack(since: Int64) -> Statement<[NotificationID]> {
        let query: SQL = """
            select r.notification_id from tidings.local_requests r
            where r.tenant = \(tenant) and r.device_id = \(device) and not r.in_plan and r.version > \(since)
            order by r.notification_id limit \(Store.localLook + 1)
            """
        return .rows(query) { try $0.decode(NotificationID.self) }
    }
}
