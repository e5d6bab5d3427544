import TidingsCore
import TidingsPostgres

/// A row of `tidings.local_requests`.
struct LocalRequest {
    let id: NotificationID
    let ordinal: Int
    let intent: Intent
    let acceptedAt: Timestamp
    let content: String
    /// The end state of the delivery, in which it ends once the device has confirmed the removal. Nil while the notification may be shown.
    let end: (state: DeliveryState, reason: ReasonCode)?
    /// The version of the plan in which ``told`` last changed. 0 if ``told`` never changed.
    var version: Int64
    var told: LocalPlanItem.Told?

    /// The columns that ``init(_:)`` reads, of the table alias `r`.
    static let columns: SQL = """
        r.notification_id, r.ordinal, r.tenant, r.recipient_id, r.type, r.market, r.content, r.collapse_key, r.scheduled_for, r.expires_at,
            r.accepted_at, r.in_plan, r.version, r.fires_at, r.zone, r.confirmed_at is not null as is_confirmed, r.ends_as, r.end_reason
        """

    /// A condition on the table alias `r`: the notification may still be told or taken back, and the device has not shown it.
    static let isPending: SQL = """
        (r.in_plan or r.ends_as is null)
            and not (r.in_plan and r.confirmed_at is not null and coalesce(r.fires_at, '-infinity') <= (select tidings.clock()))
        """

    init(_ row: PostgresRow) throws {
        id = try row.decode("notification_id")
        ordinal = try row.decode("ordinal")
        var intent = Intent(
            tenant: try row.decode("tenant"), source: "", id: "", type: try row.decode("type"), recipient: try row.decode("recipient_id"))
        intent.market = try row.decode("market")
        intent.content.collapseKey = try row.decode("collapse_key")
        intent.scheduledFor = try row.decode("scheduled_for")
        intent.expiresAt = try row.decode("expires_at", as: Timestamp.self)
        self.intent = intent
        content = try row.decode("content")
        acceptedAt = try row.decode("accepted_at")
        version = try row.decode("version")
        if try row.decode("in_plan", as: Bool.self) {
            told = LocalPlanItem.Told(
                at: try row.decode("fires_at"), zone: try row.decode("zone", as: String?.self) ?? "",
                isConfirmed: try row.decode("is_confirmed"))
        }
        let reason = try row.decode("end_reason", as: ReasonCode?.self)
        end = try row.decode("ends_as", as: DeliveryState?.self).map { ($0, reason ?? .internalError) }
    }

    /// The notification as it is judged for the device. `facts` are those of the device's person.
    func item(on device: String, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp) -> LocalPlanItem {
        LocalPlanItem(
            id: id, collapseKey: intent.collapseKey, told: told,
            verdict: verdict(on: device, facts: facts, catalogue: catalogue, pauses: pauses, now: now))
    }

    private func verdict(on device: String, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp) -> LocalVerdict {
        if let end { return .end(end.state, end.reason) }
        // The device has moved to another person, so it must not show the notification.
        guard RecipientKey(intent) == RecipientKey(tenant: facts.tenant, id: facts.recipient) else {
            return .end(.suppressed, .endpointGone)
        }
        return judgeLocal(intent, on: device, facts: facts, catalogue: catalogue, pauses: pauses, now: now, acceptedAt: acceptedAt)
    }
}
