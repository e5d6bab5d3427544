import TidingsCore
import TidingsPostgres
import TidingsWire

/// Rows of `tidings.notifications`: written once, at acceptance, and never changed.
struct NotificationRows {
    private var ids: [PostgresUUID] = []
    private var tenants: [String] = []
    private var sources: [String] = []
    private var eventIDs: [String] = []
    private var recipients: [String] = []
    private var types: [String] = []
    private var categories: [String] = []
    private var lanes: [String] = []
    private var titles: [String?] = []
    private var bodies: [String?] = []
    private var data: [String] = []
    private var groupKeys: [String?] = []
    private var collapseKeys: [String?] = []
    private var markets: [String?] = []
    private var criticals: [Bool] = []
    private var channels: [String?] = []
    private var scheduledFor: [PostgresTimestamp?] = []
    private var expiresAt: [PostgresTimestamp] = []
    private var acceptedAt: [PostgresTimestamp] = []
    private var traceparents: [String?] = []
    private var planned: [Int16] = []
    private var decisions: [String] = []
    private var catalogue = ""

    mutating func add(_ claim: IntakeClaims.Claim, routed: RoutedIntent, catalogue hash: String, now: Timestamp) {
        let intent = claim.decoded.intent
        ids.append(claim.id.uuid)
        tenants.append(intent.tenant)
        sources.append(intent.source)
        eventIDs.append(intent.id)
        recipients.append(intent.recipient)
        types.append(intent.type)
        categories.append(routed.category.rawValue)
        lanes.append(routed.lane.rawValue)
        titles.append(intent.title)
        bodies.append(intent.body)
        data.append(intent.data)
        groupKeys.append(intent.groupKey)
        collapseKeys.append(intent.collapseKey)
        markets.append(intent.market)
        criticals.append(intent.critical)
        channels.append(intent.channels.map { $0.map(\.rawValue).joined(separator: ",") })
        scheduledFor.append(intent.scheduledFor?.timestamptz)
        expiresAt.append(routed.expiresAt.timestamptz)
        acceptedAt.append(now.timestamptz)
        traceparents.append(intent.traceparent)
        planned.append(Int16(routed.decision.deliveries.count))
        decisions.append(DecisionText.encode(routed.decision, notes: claim.decoded.notes))
        catalogue = hash
    }

    /// Nil when there is nothing to insert.
    var insert: SQL? {
        guard !ids.isEmpty else { return nil }
        return """
            insert into tidings.notifications
                (id, tenant, source, event_id, recipient_id, type, category, lane, title, body, data, group_key, collapse_key, market,
                 critical, channels, scheduled_for, expires_at, accepted_at, traceparent, planned, decision, catalogue)
            select id, tenant, source, event_id, recipient_id, type, category, lane, title, body, data, group_key, collapse_key, market,
                critical, string_to_array(channels, ','), scheduled_for, expires_at, accepted_at, traceparent, planned, decision, \(catalogue)
            from unnest(\(ids), \(tenants), \(sources), \(eventIDs), \(recipients), \(types), \(categories), \(lanes), \(titles), \(bodies),
                \(data), \(groupKeys), \(collapseKeys), \(markets), \(criticals), \(channels), \(scheduledFor), \(expiresAt), \(acceptedAt),
                \(traceparents), \(planned), \(decisions))
                as given(id, tenant, source, event_id, recipient_id, type, category, lane, title, body, data, group_key, collapse_key, market,
                 critical, channels, scheduled_for, expires_at, accepted_at, traceparent, planned, decision)
            """
    }
}
