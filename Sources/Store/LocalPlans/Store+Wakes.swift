public import TidingsCore
import TidingsPostgres

/// A device whose app is to be woken, so that it asks for its plan.
public struct DeviceToWake: Sendable {
    public let tenant: String
    public let recipient: String
    public let endpoint: Endpoint
    /// The stored word of the platform. Unlike that of ``endpoint``, it may be one that this version does not know.
    public let platform: String?
    public let environment: String?
    /// The market of the person.
    public let market: String?
    /// The instant at which the wake was asked for, by a clock that also counts sleep. The database took it later.
    let askedAt: ContinuousClock.Instant

    /// Whether a push that begins at `now` and takes at most `duration` ends within the lease of the wake. After the lease, an erasure of
    /// the person no longer waits for the push.
    public func hasTime(forCall duration: Duration, at now: ContinuousClock.Instant = .now) -> Bool {
        now + duration + PackClaims.callSlack < askedAt + .seconds(Store.leaseSeconds)
    }

    /// Whether the person may have been erased since the wake was taken, as for a claim (``PackClaims/needsAnotherLook(at:)``).
    public func needsAnotherLook(at now: ContinuousClock.Instant = .now) -> Bool { now - askedAt > PackClaims.freshness }
}

extension Store {
    /// Seconds for which changes gather before one wake.
    package static let wakeGatheringSeconds = 0.5
    /// The shortest time between two wakes of one device, in seconds. Platforms hold back an app that is woken often.
    package static let wakeSpacingSeconds = 60.0
}

extension Store.LocalPlans {
    /// Asks for a wake of each device in the rows `tenant, device_id` of a query. A device with a waiting wake gets no second one.
    static func wake(_ devices: SQL) -> SQL {
        """
        insert into tidings.local_wakes (tenant, device_id, due_at)
        select w.tenant, w.device_id, greatest((select tidings.clock()) + make_interval(secs => \(Store.wakeGatheringSeconds)),
            coalesce(p.woken_at + make_interval(secs => \(Store.wakeSpacingSeconds)), '-infinity'))
        from (select distinct * from (\(devices)) asked) w
        left join tidings.local_plans p on p.tenant = w.tenant and p.device_id = w.device_id
        order by 1, 2 on conflict do nothing
        """
    }

    /// Asks for a wake of the person's devices whose plan may change with the new settings.
    static func wakePlanned(of recipient: String?, tenant: String) -> SQL {
        wake(
            """
            select e.tenant, e.id as device_id from tidings.endpoints e
            where e.tenant = \(tenant) and e.recipient_id = \(recipient) and e.channel = 'push' and e.gone_at is null
                and exists (select from tidings.local_requests r where r.tenant = e.tenant and r.device_id = e.id
                    and \(LocalRequest.isPending))
            """)
    }

    /// Takes up to `limit` wakes that are due. The transaction deletes them: if the process dies before it sends a wake, the wake is lost.
    /// The app asks for its plan when it starts, so it only gets the plan later. A device of an erased person is not woken.
    public func takeWakes(limit: Int) async throws -> [DeviceToWake] {
        let askedAt = ContinuousClock.now
        let result = try await pool.query(
            """
            with due as (
                select tenant, device_id from tidings.local_wakes where due_at <= (select tidings.clock())
                order by due_at limit \(Int64(limit)) for update skip locked
            ), gone as (
                delete from tidings.local_wakes w using due d where w.tenant = d.tenant and w.device_id = d.device_id
                returning w.tenant, w.device_id
            ), device as materialized (
                select e.tenant, e.recipient_id, e.id, e.provider, e.address, e.market, \(PlatformColumn.value()) as platform,
                    e.environment, e.gone_at
                from gone join tidings.endpoints e on e.channel = 'push' and e.tenant = gone.tenant and e.id = gone.device_id
                where not \(Tombstones.isErased(tenant: "e.tenant", recipient: "e.recipient_id"))
            ), woken as (
                insert into tidings.local_plans (tenant, device_id, woken_at)
                select distinct tenant, id, (select tidings.clock()) from device order by 1, 2
                on conflict (tenant, device_id) do update set woken_at = excluded.woken_at
            )
            select d.tenant, d.recipient_id, d.id, d.provider, d.address, d.market, d.platform, d.environment, r.market as market_of_person
            from device d join tidings.recipients r on r.tenant = d.tenant and r.id = d.recipient_id where d.gone_at is null
            """)
        return try result.rows.map { row in
            let platform = try row.decode("platform", as: String?.self)
            return DeviceToWake(
                tenant: try row.decode("tenant"), recipient: try row.decode("recipient_id"),
                endpoint: Endpoint(
                    id: try row.decode("id"), channel: .push, provider: try row.decode("provider"), address: try row.decode("address"),
                    platform: platform.flatMap(DevicePlatform.init(rawValue:)), market: try row.decode("market")),
                platform: platform, environment: try row.decode("environment"), market: try row.decode("market_of_person"),
                askedAt: askedAt)
        }
    }
}
