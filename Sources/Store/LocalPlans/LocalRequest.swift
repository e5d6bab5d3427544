import TidingsCore
import TidingsPostgres

/// A row of `tidings.local_requests`.
struct LocalRequest {
    let id: NotificationID
    let ordinal: Int
    let intent: Intent
    let acceptedAt: Timestamp
    let content: String
    /// What it is to end as, once the device has heard of it.
    let end: (state: DeliveryState, reason: ReasonCode)?
    /// Of the plan in which ``told`` last changed; 0 when it never did.
    var version: Int64
    var told: LocalPlanItem.Told?

    /// The columns that ``init(_:)`` reads, of the table alias `r`.
    static let columns: SQL = """
        r.notification_id, r.ordinal, r.tenant, r.recipient_id, r.type, r.market, r.content, r.collapse_key, r.scheduled_for, r.expires_at,
            r.accepted_at, r.in_plan, r.version, r.fires_at, r.zone, r.confirmed_at is not null, r.ends_as, r.end_reason
        """

    /// Of the table alias `r`: it may still be told, or taken back; the device has not shown it.
    static let isPending: SQL = """
        (r.in_plan or r.ends_as is null)
            and not (r.in_plan and r.confirmed_at is not null and coalesce(r.fires_at, '-infinity') <= (select tidings.clock()))
        """

    init(_ row: PostgresRow) throws {
        id = NotificationID(try row.decode(0, as: PostgresUUID.self))
        ordinal = Int(try row.decode(1, as: Int16.self))
        var intent = Intent(
            tenant: try row.decode(2, as: String.self), source: "", id: "", type: try row.decode(4, as: String.self),
            recipient: try row.decode(3, as: String.self))
        intent.market = try row.decode(5, as: String?.self)
        intent.content.collapseKey = try row.decode(7, as: String?.self)
        intent.scheduledFor = try row.decode(8, as: PostgresTimestamp?.self).map(Timestamp.init)
        intent.expiresAt = Timestamp(try row.decode(9, as: PostgresTimestamp.self))
        self.intent = intent
        content = try row.decode(6, as: String.self)
        acceptedAt = Timestamp(try row.decode(10, as: PostgresTimestamp.self))
        version = try row.decode(12, as: Int64.self)
        if try row.decode(11, as: Bool.self) {
            told = LocalPlanItem.Told(
                at: try row.decode(13, as: PostgresTimestamp?.self).map(Timestamp.init), zone: try row.decode(14, as: String?.self) ?? "",
                isConfirmed: try row.decode(15, as: Bool.self))
        }
        let (state, reason) = (try row.decode(16, as: String?.self), try row.decode(17, as: String?.self))
        end = state.flatMap(DeliveryState.init(rawValue:)).map { ($0, reason.flatMap(ReasonCode.init(rawValue:)) ?? .internalError) }
    }

    /// As it is judged for the device, whose person is `facts`.
    func item(on device: String, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp) -> LocalPlanItem {
        LocalPlanItem(
            id: id, collapseKey: intent.collapseKey, told: told,
            verdict: verdict(on: device, facts: facts, catalogue: catalogue, pauses: pauses, now: now))
    }

    private func verdict(on device: String, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp) -> LocalVerdict {
        if let end { return .end(end.state, end.reason) }
        // The device has moved to somebody else.
        guard RecipientKey(intent) == RecipientKey(tenant: facts.tenant, id: facts.recipient) else {
            return .end(.suppressed, .endpointGone)
        }
        return judgeLocal(intent, on: device, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt)
    }
}
