import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Rows of `tidings.notifications`. They are written once, at acceptance, and never changed. COPY writes such wide rows at half the cost of
/// arrays.
struct NotificationRows {
    private(set) var rows = CopyBuffer()

    static let target: SQL = """
        tidings.notifications (id, tenant, source, event_id, recipient_id, type, category, lane, title, body, data, group_key, collapse_key,
            content_fields, market, critical, channels, scheduled_for, expires_at, accepted_at, traceparent, planned, decision, catalogue)
        """
    private static let columns = 24

    mutating func add(_ claim: IntakeClaims.Claim, routed: RoutedIntent, catalogue hash: String, now: Timestamp) {
        let intent = claim.decoded.intent
        rows.beginRow(fieldCount: Self.columns)
        rows.append(claim.id.uuid)
        rows.append(intent.tenant)
        rows.append(intent.source)
        rows.append(intent.id)
        rows.append(intent.recipient)
        rows.append(intent.type)
        rows.append(routed.category.rawValue)
        rows.append(routed.lane.rawValue)
        rows.append(intent.title)
        rows.append(intent.body)
        rows.append(intent.data)
        rows.append(intent.groupKey)
        rows.append(intent.collapseKey)
        rows.append(intent.content.furtherFields)
        rows.append(intent.market)
        rows.append(intent.critical)
        rows.append(intent.channels.map { $0.map(\.rawValue) })
        rows.append(intent.scheduledFor?.timestamptz)
        rows.append(routed.expiresAt.timestamptz)
        rows.append(now.timestamptz)
        rows.append(intent.traceparent)
        rows.append(Int16(routed.decision.deliveries.count))
        rows.append(DecisionText.encode(routed.decision, notes: claim.decoded.notes))
        rows.append(hash)
    }
}
