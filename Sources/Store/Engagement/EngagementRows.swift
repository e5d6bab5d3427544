import TidingsCore
import TidingsPostgres

/// The facts about one event that the database knows.
struct EngagementFacts: Sendable {
    /// The id of the device, if the person has it.
    let device: String?
    /// The type of the notification, if the person has it, or has its inbox entry.
    let type: String?
    /// The provider of the delivery that the event is about.
    let provider: String?
    let market: String?

    init(_ row: PostgresRow) throws {
        (device, type, provider, market) = try row.decode((String?, String?, String?, String?).self)
    }
}

/// The rows of a request with events, and the statements that write them. Of equal events only the first has a row.
struct EngagementRows {
    private let person: RecipientKey
    private let defaultMarket: String
    private var rows: [(event: EngagementEvent, key: EngagementKey, facts: EngagementFacts)] = []

    init(
        _ events: [EngagementEvent], _ keys: [EngagementKey], _ facts: [EngagementFacts], person: RecipientKey, defaultMarket: String
    ) {
        self.person = person
        self.defaultMarket = defaultMarket
        var known: Set<EngagementKey> = []
        for (event, (key, facts)) in zip(events, zip(keys, facts)) where known.insert(key).inserted { rows.append((event, key, facts)) }
    }

    /// One row for each event, in the order of the events. Runs with the rights of the person.
    ///
    /// The delivery of an event is the one to its device, else the first to a device that arrived, else the first that arrived at all. Each
    /// `limit 1` makes PostgreSQL look up one notification at a time, in the partition of its day.
    static func facts(of events: [EngagementEvent], by person: RecipientKey) -> SQL {
        """
        select e.id, coalesce(n.type, i.type), d.provider,
            coalesce(case when d.ordinal is not null then m.market end, e.market,
                case when n.id is not null then coalesce(n.decision::json ->> 'market', 'default') end, own.market)
        from \(events.relation(
            "told", [Column("notification_id", \.notification), Column("device", \.device)], numbered: "place"))
        left join lateral (
            select id, type, decision from tidings.own_notifications
            where id = told.notification_id and tenant = \(person.tenant) and recipient_id = \(person.id) limit 1
        ) n on true
        -- An inbox entry outlives its notification.
        left join lateral (
            select type from tidings.inbox
            where tenant = \(person.tenant) and recipient_id = \(person.id) and notification_id = told.notification_id limit 1
        ) i on n.id is null
        left join lateral (
            select x.ordinal, x.provider from tidings.own_deliveries x
            where x.notification_id = n.id and x.provider <> '' and x.state in ('sent', 'delivered')
            order by coalesce(x.endpoint = told.device, false) desc, x.channel = any(\(Store.deviceChannels)) desc, x.ordinal limit 1
        ) d on true
        left join lateral (
            select coalesce(
                (select coalesce(k.decision::json ->> 'market', 'default') from tidings.own_decisions k
                    where k.notification_id = n.id and k.ordinal = d.ordinal order by k.at desc limit 1),
                n.decision::json #>> array['deliveries', d.ordinal::text, 'market'], n.decision::json ->> 'market', 'default') as market
        ) m on d.ordinal is not null
        left join lateral (
            select id, market from tidings.endpoints
            where tenant = \(person.tenant) and recipient_id = \(person.id) and id = told.device and channel = 'push' limit 1
        ) e on true
        left join lateral (select market from tidings.recipients where tenant = \(person.tenant) and id = \(person.id) limit 1) own on true
        order by told.place
        """
    }

    /// Locks the row that counts the events of the person's day, and begins it anew on a new day. Returns the number of events so far.
    var openDay: SQL {
        """
        insert into tidings.engagement_days as d (tenant, recipient_id, day, n)
        values (\(person.tenant), \(person.id), (tidings.clock() at time zone 'UTC')::date, 0)
        on conflict (tenant, recipient_id) do update set day = excluded.day, n = case when d.day = excluded.day then d.n else 0 end
        returning n
        """
    }

    /// Adds the events that are not stored yet, and returns their keys. A time that cannot be right is stored as told, and does not count.
    var insert: SQL {
        """
        insert into tidings.engagement (tenant, recipient_id, notification_id, key, event, occurred_at, told_at, received_at, device_id,
            type, provider, market, detail)
        select \(person.tenant), \(person.id), told.notification_id, told.key, told.event,
            case when told.at between moment.at - make_interval(secs => \(Double(Store.engagementOldest.components.seconds)))
                    and moment.at + make_interval(secs => \(Double(Store.engagementAhead.components.seconds)))
                then least(told.at, moment.at) else moment.at end,
            told.at, moment.at, told.device, told.type, told.provider, told.market, told.detail
        from \(rows.relation("told", columns)),
            (select tidings.clock() as at) moment
        on conflict do nothing
        returning notification_id, key
        """
    }

    private var columns: [Column<(event: EngagementEvent, key: EngagementKey, facts: EngagementFacts)>] {
        [
            Column("notification_id", \.key.notification), Column("key", \.key.hash), Column("event", \.event.kind.rawValue),
            Column("at", \.event.at), Column("device", \.facts.device), Column("type", \.facts.type),
            Column("provider", \.facts.provider), Column("market") { [defaultMarket] in $0.facts.market ?? defaultMarket },
            Column("detail", \.event.detail),
        ]
    }

    /// Counts stored events of the person's day.
    func count(_ stored: [EngagementKey]) -> SQL {
        """
        update tidings.engagement_days set n = n + \(Int32(stored.count))
        where tenant = \(person.tenant) and recipient_id = \(person.id)
        """
    }

    /// Counts stored events without their person.
    func tally(_ stored: [EngagementKey]) -> SQL {
        """
        insert into tidings.engagement_tally (day, tenant, event, type, provider, market, n)
        select (e.occurred_at at time zone 'UTC')::date, \(person.tenant), e.event, coalesce(e.type, ''), coalesce(e.provider, ''),
            e.market, count(*)
        from \(stored.relation("stored", [Column("notification_id", \.notification), Column("key", \.hash)]))
        cross join lateral (
            select g.occurred_at, g.event, g.type, g.provider, g.market from tidings.engagement g
            where g.tenant = \(person.tenant) and g.recipient_id = \(person.id) and g.notification_id = stored.notification_id
                and g.key = stored.key limit 1
        ) e
        group by 1, 3, 4, 5, 6
        """
    }
}
