import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Endpoints that a provider reported as gone for good. A device that was registered after that time is a new one and stays, and so does an
/// address that the person got after that time, such as another URL of the webhook. An address is suppressed until somebody lifts the
/// suppression or sets another one.
struct EndpointsGone {
    private struct Gone: Sendable {
        let tenant: String
        let recipient: String
        let endpoint: String?
        let time: Timestamp

        static let columns: [Column<Gone>] = [
            Column("tenant", \.tenant), Column("recipient_id", \.recipient), Column("id", \.endpoint), Column("at", \.time),
        ]
    }

    private var all: [Gone] = []

    init() {}

    init(_ settlements: [Settlement]) {
        for settlement in settlements {
            guard let time = settlement.endpointGoneAt else { continue }
            add(tenant: settlement.entry.tenant, recipient: settlement.entry.recipient, endpoint: settlement.entry.endpoint, at: time)
        }
    }

    mutating func add(tenant: String, recipient: String, endpoint: String?, at time: Timestamp) {
        all.append(Gone(tenant: tenant, recipient: recipient, endpoint: endpoint, time: time))
    }

    /// Nil if there are none.
    var update: SQL? {
        guard !all.isEmpty else { return nil }
        return """
            with told as (
                select * from \(all.relation("t", Gone.columns))
            ), devices as (
                update tidings.endpoints e set gone_at = (select tidings.clock()), changed_at = (select tidings.clock()), gone_reason = 'endpointGone'
                from told
                where e.tenant = told.tenant and e.recipient_id = told.recipient_id and e.id = told.id and e.gone_at is null
                    and coalesce(e.registered_at <= told.at, true)
                returning e.tenant, e.recipient_id
            ), addresses as (
                update tidings.addresses a set suppressed_at = (select tidings.clock()), suppressed_until = null,
                    suppressed_because = 'endpointGone', changed_at = (select tidings.clock())
                from told
                where a.tenant = told.tenant and a.recipient_id = told.recipient_id and a.id = told.id
                    and (a.suppressed_at is null or a.suppressed_until is not null) and a.created_at <= told.at
                returning a.tenant, a.recipient_id
            )
            update tidings.recipients r set changed_at = (select tidings.clock())
            from (select * from devices union select * from addresses) gone where r.tenant = gone.tenant and r.id = gone.recipient_id
            """
    }
}
