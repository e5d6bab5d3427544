import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Endpoints that a provider reported as gone for good. An endpoint that was registered after that time is a new one and stays.
struct EndpointsGone {
    private var tenants: [String] = []
    private var recipients: [String] = []
    private var endpoints: [String?] = []
    private var times: [PostgresTimestamp] = []

    init() {}

    init(_ settlements: [Settlement]) {
        for settlement in settlements {
            guard let time = settlement.endpointGoneAt else { continue }
            add(tenant: settlement.entry.tenant, recipient: settlement.entry.recipient, endpoint: settlement.entry.endpoint, at: time)
        }
    }

    mutating func add(tenant: String, recipient: String, endpoint: String?, at time: Timestamp) {
        tenants.append(tenant)
        recipients.append(recipient)
        endpoints.append(endpoint)
        times.append(time.timestamptz)
    }

    /// Nil if there are none.
    var update: SQL? {
        guard !tenants.isEmpty else { return nil }
        return """
            with gone as (
                update tidings.endpoints e set gone_at = (select tidings.clock()), changed_at = (select tidings.clock()), gone_reason = 'endpointGone'
                from unnest(\(tenants), \(recipients), \(endpoints), \(times)) as told(tenant, recipient_id, id, at)
                where e.tenant = told.tenant and e.recipient_id = told.recipient_id and e.id = told.id and e.gone_at is null
                    and coalesce(e.registered_at <= told.at, true)
                returning e.tenant, e.recipient_id
            )
            update tidings.recipients r set changed_at = (select tidings.clock()) from gone where r.tenant = gone.tenant and r.id = gone.recipient_id
            """
    }
}
