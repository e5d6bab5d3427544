public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// The result of a registration.
public struct RegisteredDevice: Sendable {
    public var deviceID: String
    /// The person who had the device before. Nil for a new device, and for a device that stayed with its person.
    public var movedFrom: String?
}

extension Store {
    /// The largest number of active devices of one person. Beyond it, the store retires the device whose app registered longest ago.
    public static let devicesPerPerson = 20
    /// The largest number of gone devices of one person that are kept for the record. Beyond it, the store deletes the oldest.
    public static let goneDevicesPerPerson = 20
}

extension Store.Recipients {
    /// Registers a device by its token, or confirms a known device. A setting that is nil keeps its value. A token that only one platform
    /// has decides about the platform.
    ///
    /// The identity of the token says which device is meant. The stored text becomes that of this token, such as the new keys of a
    /// browser's subscription.
    ///
    /// A token of another person moves to this person. A token that was gone becomes active again. Tidings judges every earlier decision
    /// for either person again before it sends. Throws ``RecipientErased``.
    ///
    /// The move concerns two people, so the process makes it. The rest has the rights of the person.
    public func register(
        token: DeviceToken, of recipient: String, tenant: String, _ settings: DeviceSettings
    ) async throws -> RegisteredDevice {
        let identity = token.identity
        let settings = settings.proven(by: token)
        let platform = settings.platform ?? .standard
        let person = RecipientKey(tenant: tenant, id: recipient)
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var look = RoundTrip()
            let isErased = look.lookForTombstone(of: person)
            look.run(Self.lock(token: identity, tenant: tenant))
            let owner = look.ask(
                .first("select e.recipient_id from tidings.endpoints e where \(Self.hasToken(identity, tenant: tenant))") {
                    try $0.decode(String.self)
                })
            let found = try await transaction.send(look)
            if try found[isErased] { throw RecipientErased() }
            let previous = try found[owner].flatMap { isSameText($0, recipient) ? nil : $0 }
            var change = RoundTrip(running: previous.map { Self.move(token: identity, tenant: tenant, from: $0, to: recipient) } ?? [])
            change.run([
                Store.beginPerson(person),
                """
                insert into tidings.recipients (tenant, id, changed_at) values (\(tenant), \(recipient), tidings.clock())
                on conflict (tenant, id) do update set changed_at = excluded.changed_at
                """,
            ])
            let registration: SQL = """
                insert into tidings.endpoints as e (tenant, recipient_id, id, channel, provider, address, permission, platform, environment,
                    market, time_zone, locale, app_version, registered_at, changed_at, token_identity)
                values (\(tenant), \(recipient), gen_random_uuid(), 'push', \(settings.provider ?? platform.standardProvider), \(token.text),
                    \((settings.permission ?? .authorized).rawValue), \(platform.rawValue),
                    \((settings.environment ?? .production).rawValue), \(settings.market ?? nil), \(settings.timeZone), \(settings.locale),
                    \(settings.appVersion), tidings.clock(), tidings.clock(), nullif(\(identity), \(token.text)))
                on conflict (tidings.token_hash(coalesce(token_identity, address)), tenant) where channel = 'push' do update set
                    address = excluded.address, token_identity = excluded.token_identity, \(Self.changes(settings, with: token)),
                    registered_at = excluded.registered_at, gone_at = null, gone_reason = null
                returning id
                """
            let id = change.ask(.value(registration, as: String.self))
            change.run([
                Self.retireOldest(of: recipient, tenant: tenant),
                Self.forgetGone(of: recipient, tenant: tenant),
                // Wake the device. If its person changed, it must forget the notifications of the previous person. A new zone or permission
                // changes what it shows.
                Store.LocalPlans.wake(
                    """
                    select e.tenant, e.id as device_id from tidings.endpoints e
                    where \(Self.hasToken(identity, tenant: tenant))
                        and exists (select from tidings.local_requests r where r.tenant = e.tenant and r.device_id = e.id)
                    """),
            ])
            return RegisteredDevice(deviceID: try await transaction.send(change)[id], movedFrom: previous)
        }
    }

    /// Puts changes of one token in sequence until the end of the transaction, so that each sees the owner that the one before has set.
    private static func lock(token identity: String, tenant: String) -> SQL {
        "select pg_advisory_xact_lock(hashtextextended(\(tenant) || '/' || \(identity), 0))"
    }

    /// Gives the device of a token to another person.
    private static func move(token identity: String, tenant: String, from previous: String, to recipient: String) -> [SQL] {
        [
            "update tidings.recipients set changed_at = tidings.clock() where tenant = \(tenant) and id = \(previous)",
            "update tidings.endpoints e set recipient_id = \(recipient) where \(hasToken(identity, tenant: tenant))",
        ]
    }

    /// Changes the settings of a device, including its token. Returns false if there is no such device, or if it does not belong to
    /// `owner`. A device that keeps the token of a browser has the platform `web`, whatever platform its app names.
    ///
    /// If another device has the token, the token moves to this device and the other device is deleted. It may be a device of another
    /// person, so the process deletes it.
    public func change(
        device: String, tenant: String, owner: String? = nil, token: DeviceToken?, _ settings: DeviceSettings
    ) async throws -> Bool {
        let isOwned: SQL = owner.map { "e.recipient_id = \($0)" } ?? "true"
        let settings = settings.proven(by: token)
        let taking = token.map { Self.take(token: $0.identity, tenant: tenant, for: device, if: isOwned) } ?? []
        var trip = RoundTrip(running: taking + Self.rights(of: owner, tenant: tenant))
        let change: SQL = """
            with changed as (
                update tidings.endpoints e set \(Self.changes(settings, with: token)), address = coalesce(\(token?.text), e.address),
                    token_identity = case when \(token == nil) then e.token_identity else nullif(\(token?.identity), \(token?.text)) end,
                    registered_at = case when \(token == nil) then e.registered_at else tidings.clock() end,
                    gone_at = case when \(token == nil) then e.gone_at end, gone_reason = case when \(token == nil) then e.gone_reason end
                where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device) and \(isOwned)
                returning e.tenant, e.recipient_id
            )
            update tidings.recipients r set changed_at = tidings.clock() from changed
            where r.tenant = changed.tenant and r.id = changed.recipient_id returning r.id
            """
        let isChanged = trip.ask(.exists(change))
        // Look at the device, too: a person sees the own notifications on a device that another person has now, and may not wake it.
        trip.run(
            Store.LocalPlans.wake(
                """
                select e.tenant, e.id as device_id from tidings.endpoints e
                where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device) and \(isOwned)
                    and exists (select from tidings.local_requests r where r.tenant = e.tenant and r.device_id = e.id
                        and \(LocalRequest.isPending))
                """))
        // Read committed: a change that waited for the lock of the token must see the owner that was set meanwhile.
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { [trip] transaction in
            try await transaction.send(trip)[isChanged]
        }
    }

    /// Deletes the other device that has a token, if the device that takes it is there.
    private static func take(token identity: String, tenant: String, for device: String, if isOwned: SQL) -> [SQL] {
        [
            lock(token: identity, tenant: tenant),
            """
            delete from tidings.endpoints other using tidings.endpoints e
            where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device) and \(isOwned)
                and other.channel = 'push' and other.tenant = \(tenant) and other.id <> \(device)
                and tidings.token_hash(coalesce(other.token_identity, other.address)) = tidings.token_hash(\(identity))
            """,
        ]
    }

    /// Takes the rights of the owner of a device. Empty without an owner: a command names a device alone.
    private static func rights(of owner: String?, tenant: String) -> [SQL] {
        owner.map { [Store.beginPerson(RecipientKey(tenant: tenant, id: $0))] } ?? []
    }

    /// Marks the device as gone, because its app asked for no more pushes. Returns false if there is no such device, if it is gone already,
    /// or if it does not belong to `owner`.
    public func unregister(device: String, tenant: String, owner: String? = nil) async throws -> Bool {
        let isOwned: SQL = owner.map { "recipient_id = \($0)" } ?? "true"
        var trip = RoundTrip()
        let statement: SQL = """
            with gone as (
                update tidings.endpoints set gone_at = tidings.clock(), changed_at = tidings.clock(), gone_reason = 'unregistered'
                where channel = 'push' and tenant = \(tenant) and id = \(device) and \(isOwned) and gone_at is null
                returning tenant, recipient_id
            )
            update tidings.recipients r set changed_at = tidings.clock() from gone where r.tenant = gone.tenant and r.id = gone.recipient_id
            returning r.id
            """
        let isGone = trip.ask(.exists(statement))
        return try await pool.send(trip, after: Self.rights(of: owner, tenant: tenant), asProof: true)[isGone]
    }

    /// The provider of the device that has one of these identities of a token. Nil if no device has one, if several devices have one, or if
    /// the device accepts any provider.
    public func issuer(ofTokens identities: Set<String>, tenant: String) async throws -> String? {
        let providers = try await pool.query(
            .rows(
                """
                select provider from tidings.endpoints where channel = 'push' and tenant = \(tenant)
                    and tidings.token_hash(coalesce(token_identity, address))
                        = any(array(select tidings.token_hash(t) from unnest(\(identities.sorted())) t))
                """
            ) { try $0.decode(String?.self) })
        return providers.count == 1 ? providers[0] : nil
    }

    /// The provider and the token of a device. Nil if there is no such device, or if it does not belong to `owner`.
    public func token(of device: String, tenant: String, owner: String? = nil) async throws -> (issuer: String?, text: String)? {
        let isOwned: SQL = owner.map { "recipient_id = \($0)" } ?? "true"
        var trip = RoundTrip()
        let token = trip.ask(
            .first(
                """
                select provider, address from tidings.endpoints
                where channel = 'push' and tenant = \(tenant) and id = \(device) and \(isOwned)
                """
            ) { (issuer: try $0.decode("provider", as: String?.self), text: try $0.decode("address", as: String.self)) })
        return try await pool.send(trip, after: Self.rights(of: owner, tenant: tenant))[token]
    }

    /// The person's rows of `tidings_ops.devices`, the latest registration first.
    public func devices(of recipient: String, tenant: String) async throws -> [JSON] {
        try await store.report(
            """
            select * from tidings_ops.devices d where d.tenant = \(tenant) and d.recipient_id = \(recipient)
            order by d.registered_at desc, d.device_id
            """)
    }

    /// The row of `tidings_ops.devices` of one device.
    public func device(_ id: String, tenant: String) async throws -> JSON? {
        try await store.report("select * from tidings_ops.devices d where d.tenant = \(tenant) and d.device_id = \(id)").first
    }

    /// Whether the row `e` is the device of a token.
    private static func hasToken(_ identity: String, tenant: String) -> SQL {
        """
        e.channel = 'push' and e.tenant = \(tenant)
            and tidings.token_hash(coalesce(e.token_identity, e.address)) = tidings.token_hash(\(identity))
        """
    }

    /// The assignments of an update of the row `e`. A setting that is nil keeps its value, except the platform of a browser that gets the
    /// token of a phone.
    ///
    /// - Parameter token: the new token of the device. Nil: it keeps its token.
    private static func changes(_ settings: DeviceSettings, with token: DeviceToken?) -> SQL {
        // The token of a browser proves the platform. With the token goes the proof, and the platform is that of a new device.
        let ofBrowser = token == nil ? DevicePlatform.web : settings.platform ?? .standard
        return """
            platform = case when \(PlatformColumn.isBrowser()) then \(ofBrowser.rawValue)
                else coalesce(\(settings.platform?.rawValue), e.platform) end, provider = coalesce(\(settings.provider), e.provider),
            environment = coalesce(\(settings.environment?.rawValue), e.environment),
            permission = coalesce(\(settings.permission?.rawValue), e.permission),
            market = case when \(settings.market == nil) then e.market else \(settings.market ?? nil) end,
            time_zone = coalesce(\(settings.timeZone), e.time_zone), locale = coalesce(\(settings.locale), e.locale),
            app_version = coalesce(\(settings.appVersion), e.app_version), changed_at = tidings.clock()
            """
    }

    private static func retireOldest(of recipient: String, tenant: String) -> SQL {
        """
        update tidings.endpoints set gone_at = tidings.clock(), changed_at = tidings.clock(), gone_reason = 'deviceLimit'
        where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient) and id in (
            select id from tidings.endpoints where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient) and gone_at is null
            order by registered_at desc nulls last, id offset \(Store.devicesPerPerson))
        """
    }

    private static func forgetGone(of recipient: String, tenant: String) -> SQL {
        """
        delete from tidings.endpoints where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient) and id in (
            select id from tidings.endpoints where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient)
                and gone_at is not null order by gone_at desc, id offset \(Store.goneDevicesPerPerson))
        """
    }
}

extension DeviceSettings {
    /// The settings with the platform that the token proves. For another token, the platform that the app names counts.
    fileprivate func proven(by token: DeviceToken?) -> DeviceSettings {
        guard let platform = token?.platform else { return self }
        var settings = self
        settings.platform = platform
        return settings
    }
}
