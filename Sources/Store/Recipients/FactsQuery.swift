import TidingsCore
import TidingsPostgres
import TidingsTimeZones

/// Reads the facts of many recipients in one query. The facts are not cached, because a preference must count from the moment of its
/// change.
enum FactsQuery {
    /// The range of zone data around the judged instant: 2 days before and 3 years after. The longest schedule is two years ahead.
    static let secondsBehind: Int64 = 2 * 86_400
    static let secondsAhead: Int64 = 3 * 366 * 86_400

    /// The columns of an endpoint that a decision needs.
    private static let endpointColumns: [EndpointColumn] = [.id, .channel, .provider, .address, .permission, .platform, .goneAt, .market]

    /// The rows of recipients, for ``facts(in:zones:around:)``.
    static func rows(of recipients: Set<RecipientKey>) -> Statement<PostgresRows> {
        let query: SQL = """
            select r.tenant, r.id, r.time_zone, r.quiet_start, r.quiet_end, r.disabled_channels, r.disabled_categories, r.enabled_types,
                r.disabled_types, r.market, r.changed_at, e.id as endpoint, e.channel, e.provider, e.address, e.permission,
                e.platform, e.gone_at is not null as is_gone, e.market as endpoint_market
            from \(Array(recipients).relation("asked"))
            join tidings.recipients r on r.tenant = asked.tenant and r.id = asked.recipient_id
            left join lateral (\(EndpointRows.select(endpointColumns, tenant: "r.tenant", recipient: "r.id"))) e on true
            order by r.tenant, r.id, e.id
            """
        return .rows(query)
    }

    /// - Parameter now: the instant around which the zones are read. The clock of the same round trip tells it.
    static func facts(
        in rows: PostgresRows, zones: TimeZoneDatabase, around now: Timestamp
    ) throws -> [RecipientKey: RecipientFacts] {
        var facts: [RecipientKey: RecipientFacts] = [:]
        for row in rows {
            let key = RecipientKey(tenant: try row.decode("tenant"), id: try row.decode("id"))
            if facts[key] == nil { facts[key] = try recipient(key, row, zones: zones, around: now) }
            if let endpoint = try endpoint(row) { facts[key]?.endpoints.append(endpoint) }
        }
        return facts
    }

    private static func recipient(
        _ key: RecipientKey, _ row: PostgresRow, zones: TimeZoneDatabase, around now: Timestamp
    ) throws -> RecipientFacts {
        var facts = RecipientFacts.unseen(tenant: key.tenant, recipient: key.id)
        facts.zone = zone(try row.decode("time_zone"), in: zones, around: now)
        let start = try row.decode("quiet_start", as: Int?.self)
        let end = try row.decode("quiet_end", as: Int?.self)
        if let start, let end, start != end { facts.preferences.quietHours = QuietHours(startMinute: start, endMinute: end) }
        facts.preferences.disabledChannels = Set(try row.decode("disabled_channels", as: [String].self).compactMap(Channel.init(rawValue:)))
        facts.preferences.disabledCategories = Set(
            try row.decode("disabled_categories", as: [String].self).compactMap(Category.init(rawValue:)))
        for type in try row.decode("enabled_types", as: [String].self) { facts.preferences.types[type] = true }
        for type in try row.decode("disabled_types", as: [String].self) { facts.preferences.types[type] = false }
        facts.market = try row.decode("market")
        facts.version = try row.decode("changed_at", as: PostgresTimestamp.self).microseconds
        return facts
    }

    /// A stored zone with its offsets around an instant. The offsets end at the years 1 and 9999, if these are nearer than the usual range.
    static func zone(_ name: String, in zones: TimeZoneDatabase, around instant: Timestamp) -> Zone {
        let (first, last) = (TimeZoneDatabase.instants.lowerBound, TimeZoneDatabase.instants.upperBound)
        let from = min(max(instant.wholeSeconds - secondsBehind, first), last)
        let through = max(min(instant.wholeSeconds + secondsAhead, last), from)
        do {
            return .known(try zones.offsets(for: name, from: from, through: through))
        } catch {
            // The time zone database tells its roles about an unknown name, and they log each name once.
            return .unknown(name)
        }
    }

    private static func endpoint(_ row: PostgresRow) throws -> Endpoint? {
        guard let id = try row.decode("endpoint", as: String?.self),
            let channel = Channel(rawValue: try row.decode("channel", as: String.self))
        else { return nil }
        return Endpoint(
            id: id, channel: channel, provider: try row.decode("provider"), address: try row.decode("address"),
            platform: try row.decode("platform", as: String?.self).flatMap(DevicePlatform.init(rawValue:)),
            permission: Permission(rawValue: try row.decode("permission")) ?? .notDetermined, market: try row.decode("endpoint_market"),
            isGone: try row.decode("is_gone"))
    }
}
