import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTimeZones

/// One sync of a device's plan: the judgement of its notifications, the changes that follow, and the update for the device.
struct LocalSync {
    private let plan: OpenPlan
    private var requests: [LocalRequest]
    private let items: [LocalPlanItem]
    /// The zone of the device. If the device reported none, the zone of its person.
    private let zone: Zone
    private var version: Int64
    private var told: [(id: NotificationID, at: Timestamp?)] = []
    private var takenBack: [(id: NotificationID, end: DeliveryState?, reason: ReasonCode?)] = []
    /// Notifications that the device does not have. Either it was never told of them, or it has confirmed their removal.
    private var absent: [NotificationID] = []
    private(set) var forgotten: Int64
    /// The deliveries that end, because the device was never told of them, or has confirmed their removal.
    private(set) var moves = LocalMoves()

    init(
        _ plan: OpenPlan, _ requests: [LocalRequest], facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, zones: TimeZoneDatabase
    ) {
        self.plan = plan
        self.requests = requests
        version = plan.version
        forgotten = plan.forgotten
        // If the device's zone is unknown, do not use the zone of the person: the device reads its own calendar. Such a device is told
        // intervals, which are right in any zone.
        zone = plan.zone.map { FactsQuery.zone($0, in: zones, around: plan.now) } ?? facts.zone
        items = requests.map { $0.item(on: plan.device, facts: facts, catalogue: catalogue, pauses: pauses, now: plan.now) }
    }

    mutating func judge() {
        let changes = localPlanChanges(items, zone: zone.name, now: plan.now)
        let isNews = zip(requests, changes).contains { request, change in
            if case .tell = change { return true }
            return change != .none && request.told != nil
        }
        if isNews { version += 1 }
        for (position, change) in changes.enumerated() {
            let (id, ordinal) = (requests[position].id, requests[position].ordinal)
            let mayBeThere = requests[position].told != nil || requests[position].version > plan.acked
            switch change {
            case .none: continue
            case .tell(let at):
                requests[position].told = LocalPlanItem.Told(at: at, zone: zone.name, isConfirmed: false)
                requests[position].version = version
                told.append((id, at))
            case .takeBack(let state, let reason) where mayBeThere:
                takenBack.append((id, state, reason))
                requests[position].told = nil
            case .takeBack(let state, let reason):
                guard let state, let reason else { continue }
                absent.append(id)
                forgotten = max(forgotten, requests[position].version)
                moves.add(DeliveryKey(id, ordinal), state, reason)
            }
        }
    }

    /// The statements that change the plan. ``moves`` has those of the deliveries.
    var statements: [SQL] {
        let (tenant, device) = (plan.tenant, plan.device)
        return [
            """
            update tidings.local_requests r set in_plan = true, version = \(version), fires_at = n.at, zone = \(zone.name), confirmed_at = null
            from \(told.relation("n", [Column("id", \.id), Column("at", \.at)]))
            where r.tenant = \(tenant) and r.device_id = \(device) and r.notification_id = n.id
            """,
            // A removal that the device was told before keeps its version.
            """
            update tidings.local_requests r set in_plan = false, version = case when r.in_plan then \(version) else r.version end,
                ends_as = coalesce(n.state, r.ends_as), end_reason = coalesce(n.reason, r.end_reason)
            from \(takenBack.relation("n", [
                Column("id", \.id), Column("state") { $0.end?.rawValue }, Column("reason") { $0.reason?.rawValue },
            ]))
            where r.tenant = \(tenant) and r.device_id = \(device) and r.notification_id = n.id
            """,
            """
            delete from tidings.local_requests r
            where r.tenant = \(tenant) and r.device_id = \(device) and r.notification_id = any(\(absent.uuids))
            """,
            """
            update tidings.local_plans set version = \(version), forgotten_version = \(forgotten), synced_at = (select tidings.clock())
            where tenant = \(tenant) and device_id = \(device)
            """,
        ]
    }

    private var knownZone: String? {
        if case .known(let offsets) = zone { offsets.name } else { nil }
    }

    /// The update for the device since a version. Nil: the whole plan.
    func update(since: Int64?, removed: [NotificationID]) -> LocalPlanUpdate {
        let current = requests.filter { $0.told != nil && $0.told?.wasShown(by: plan.now) == false && $0.version > (since ?? .min) }
        let soonest = current.sorted { ($0.told?.at ?? .distantPast, $0.id) < ($1.told?.at ?? .distantPast, $1.id) }
        return LocalPlanUpdate(
            version: version, reset: since == nil,
            requests: soonest.compactMap { request in
                guard let content = LocalContent(stored: request.content) else { return nil }
                return LocalNotificationRequest(
                    identifier: request.id.description, content: content,
                    trigger: LocalTrigger(showing: request.told?.at, in: zone, now: plan.now))
            },
            removed: since == nil ? [] : removed.map(\.description), zone: knownZone)
    }
}
