public import TidingsCore
public import TidingsJSON
import TidingsPostgres
public import TidingsTimeZones

/// Changes to a person's settings. Nil keeps a setting. The caller checks the values.
public struct RecipientChanges: Sendable {
    public var timeZone: String?
    /// The quiet hours in minutes of the day. `.some(nil)` removes them.
    public var quietHours: QuietHours??
    public var market: String??
    public var enableChannels: [Channel] = []
    public var disableChannels: [Channel] = []
    public var enableCategories: [Category] = []
    public var disableCategories: [Category] = []
    public var enableTypes: [String] = []
    public var disableTypes: [String] = []
    /// `.some(nil)` removes the webhook.
    public var webhook: WebhookEndpoint??

    public init() {}
}

/// The address and secrets of a person's webhook.
public struct WebhookEndpoint: Sendable {
    public var url: String
    /// Signing secrets, `whsec_…`, the current one first. An empty list keeps the stored secrets.
    public var secrets: [String]

    public init(url: String, secrets: [String]) {
        self.url = url
        self.secrets = secrets
    }
}

extension Store {
    /// The id of a person's webhook endpoint. A person has at most one.
    public static let webhookEndpointID = "webhook"
}

extension Store.Recipients {
    /// Changes a person's settings and creates the person if needed. Tidings judges every earlier decision for the person again before it
    /// sends. Throws ``RecipientErased``.
    ///
    /// A person may not change the market and the webhook: the process changes them.
    public func change(_ recipient: String, tenant: String, _ changes: RecipientChanges) async throws {
        let (person, quiet) = (RecipientKey(tenant: tenant, id: recipient), changes.quietHours)
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var trip = RoundTrip()
            let isErased = trip.lookForTombstone(of: person)
            trip.run([
                Store.beginPerson(person),
                """
                insert into tidings.recipients (tenant, id, changed_at) values (\(tenant), \(recipient), tidings.clock()) on conflict do nothing
                """,
                """
                update tidings.recipients set changed_at = tidings.clock(), time_zone = coalesce(\(changes.timeZone), time_zone),
                    quiet_start = case when \(quiet == nil) then quiet_start else \(quiet?.map { Int16($0.startMinute) }) end,
                    quiet_end = case when \(quiet == nil) then quiet_end else \(quiet?.map { Int16($0.endMinute) }) end,
                    disabled_channels = \(Self.merge("disabled_channels", changes.disableChannels.map(\.rawValue),
                        changes.enableChannels.map(\.rawValue))),
                    disabled_categories = \(Self.merge("disabled_categories", changes.disableCategories.map(\.rawValue),
                        changes.enableCategories.map(\.rawValue))),
                    enabled_types = \(Self.merge("enabled_types", changes.enableTypes, changes.disableTypes)),
                    disabled_types = \(Self.merge("disabled_types", changes.disableTypes, changes.enableTypes))
                where tenant = \(tenant) and id = \(recipient)
                """,
                Store.LocalPlans.wakePlanned(of: recipient, tenant: tenant),
            ])
            trip.run(Self.changesOfOperators(changes, recipient, tenant))
            if try await transaction.send(trip)[isErased] { throw RecipientErased() }
        }
    }

    /// The statements for the settings that a person may not change. Empty if none of them changes.
    private static func changesOfOperators(_ changes: RecipientChanges, _ recipient: String, _ tenant: String) -> [SQL] {
        var statements: [SQL] = []
        if let market = changes.market {
            statements.append("update tidings.recipients set market = \(market) where tenant = \(tenant) and id = \(recipient)")
        }
        if let webhook = changes.webhook {
            statements.append(Store.Addresses.setting(webhook: webhook, of: RecipientKey(tenant: tenant, id: recipient)))
        }
        return statements.isEmpty ? [] : [Store.endPerson] + statements
    }

    /// The array column with the elements of `adding` and without the elements of `removing`. No element repeats.
    private static func merge(_ column: String, _ adding: [String], _ removing: [String]) -> SQL {
        """
        array(select distinct e from unnest(\(unsafe: column) || \(adding)) e where e <> all(\(removing)) order by e)
        """
    }

    /// The person's settings, for an operator to read. A webhook's secrets are counted and not shown, and e-mail addresses and telephone
    /// numbers are masked. Nil if Tidings has never seen the person.
    public func row(_ recipient: String, tenant: String) async throws -> JSON? {
        let person = RecipientKey(tenant: tenant, id: recipient)
        let rows = try await store.report(Self.settings(of: person, with: .secrets, as: "'secrets', cardinality(e.secrets)"))
        guard let row = rows.first, var members = row.objectValue else { return nil }
        members["endpoints"] = try AddressMask.maskContacts(in: try row.column("endpoints"))
        return .object(members)
    }

    /// The person's settings, for a backend. Runs with the rights of the person, who may not read the secrets of a webhook. Nil if Tidings has
    /// never seen the person.
    ///
    /// - Parameter isWhole: whether tokens and other addresses are whole. Otherwise they have the form of ``AddressMask``.
    public func settings(of person: RecipientKey, showingAddresses isWhole: Bool) async throws -> JSON? {
        let rows = try await store.report(Self.settings(of: person, with: .identity, as: "'identity', e.identity"), of: person)
        guard let row = rows.first, var members = row.objectValue else { return nil }
        members["endpoints"] = try AddressMask.mask(endpoints: try row.column("endpoints"), showingAddresses: isWhole)
        return .object(members)
    }

    /// - Parameters:
    ///   - column: a further column of each endpoint `e`.
    ///   - member: a name and an expression over the column, for a further member of each endpoint.
    private static func settings(of person: RecipientKey, with column: EndpointColumn, as member: SQL) -> SQL {
        let endpoints = EndpointRows.select(
            [.id, .channel, .address, .permission, .goneAt, column], tenant: "r.tenant", recipient: "r.id")
        return """
            select r.tenant, r.id as recipient_id, r.time_zone, to_char(make_interval(mins => r.quiet_start), 'HH24:MI') as quiet_hours_start,
                to_char(make_interval(mins => r.quiet_end), 'HH24:MI') as quiet_hours_end, r.market, r.disabled_channels,
                r.disabled_categories, r.enabled_types, r.disabled_types, r.changed_at,
                coalesce((select json_agg(json_build_object('id', e.id, 'channel', e.channel, 'address', e.address, 'permission', e.permission,
                    \(member), 'gone_at', e.gone_at) order by e.id) from (\(endpoints)) e), '[]') as endpoints
            from tidings.recipients r where r.tenant = \(person.tenant) and r.id = \(person.id)
            """
    }

    /// The person's present facts, with the offsets of the person's zone around the judged instant. The instant may lie in any year.
    public func facts(
        of recipient: String, tenant: String, zones: TimeZoneDatabase, around instant: Timestamp
    ) async throws -> RecipientFacts {
        let key = RecipientKey(tenant: tenant, id: recipient)
        let rows = try await pool.query(FactsQuery.rows(of: [key]))
        return try FactsQuery.facts(in: rows, zones: zones, around: instant)[key] ?? .unseen(tenant: tenant, recipient: recipient)
    }
}
