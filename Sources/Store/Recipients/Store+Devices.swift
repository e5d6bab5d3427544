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

    /// Registers a device by its token, or confirms a known device. A setting that is nil keeps its value.
    ///
    /// The identity of the token says which device is meant. The stored text becomes that of this token, such as the new keys of a
    /// browser's subscription.
    ///
    /// A token of another person moves to this person. A token that was gone becomes active again. Tidings judges every earlier decision
    /// for either person again before it sends. Throws ``RecipientErased``.
    public func register(
        token: DeviceToken, of recipient: String, tenant: String, _ settings: DeviceSettings
    ) async throws -> RegisteredDevice {
        let identity = token.identity
        let platform = settings.platform ?? .ios
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let ownership: [SQL] = [
                // Serialize registrations of the same token, so that the second registration sees the owner that the first one set.
                "select pg_advisory_xact_lock(hashtextextended(\(tenant) || '/' || \(identity), 0))",
                "select e.recipient_id from tidings.endpoints e where \(Self.hasToken(identity, tenant: tenant))",
            ]
            let look = Tombstones.look(for: RecipientKey(tenant: tenant, id: recipient))
            let found = try await transaction.pipeline(look + ownership)
            try Tombstones.refuse(found)
            let owner = try found[3].rows.first?.decode(String.self)
            let previous = owner.flatMap { $0.utf8.elementsEqual(recipient.utf8) ? nil : $0 }
            let results = try await transaction.pipeline([
                """
                insert into tidings.recipients (tenant, id, changed_at) values (\(tenant), \(recipient), tidings.clock())
                on conflict (tenant, id) do update set changed_at = excluded.changed_at
                """,
                "update tidings.recipients set changed_at = tidings.clock() where tenant = \(tenant) and id = \(previous)",
                """
                insert into tidings.endpoints as e (tenant, recipient_id, id, channel, provider, address, permission, platform, environment,
                    market, time_zone, locale, app_version, registered_at, changed_at, token_identity)
                values (\(tenant), \(recipient), gen_random_uuid(), 'push', \(settings.provider ?? platform.standardProvider), \(token.text),
                    \((settings.permission ?? .authorized).rawValue), \(platform.rawValue),
                    \((settings.environment ?? .production).rawValue), \(settings.market ?? nil), \(settings.timeZone), \(settings.locale),
                    \(settings.appVersion), tidings.clock(), tidings.clock(), nullif(\(identity), \(token.text)))
                on conflict (tidings.token_hash(coalesce(token_identity, address)), tenant) where channel = 'push' do update set
                    recipient_id = excluded.recipient_id, address = excluded.address, token_identity = excluded.token_identity,
                    \(Self.changes(settings)), registered_at = excluded.registered_at, gone_at = null, gone_reason = null
                returning id
                """,
                Self.retireOldest(of: recipient, tenant: tenant),
                Self.forgetGone(of: recipient, tenant: tenant),
                // Wake the device. If its person changed, it must forget the notifications of the previous person. A new zone or permission
                // changes what it shows.
                Self.wake(
                    """
                    select e.tenant, e.id as device_id from tidings.endpoints e
                    where \(Self.hasToken(identity, tenant: tenant))
                        and exists (select from tidings.local_requests r where r.tenant = e.tenant and r.device_id = e.id)
                    """),
            ])
            guard let id = try results[2].rows.first?.decode(String.self) else {
                throw PostgresError.decoding("a registered device has no id")
            }
            return RegisteredDevice(deviceID: id, movedFrom: previous)
        }
    }

    /// Changes the settings of a device, including its token. Returns false if there is no such device, or if it does not belong to
    /// `owner`.
    ///
    /// If another device has the token, the token moves to this device and the other device is deleted.
    public func change(
        device: String, tenant: String, owner: String? = nil, token: DeviceToken?, _ settings: DeviceSettings
    ) async throws -> Bool {
        let isOwned: SQL = owner.map { "e.recipient_id = \($0)" } ?? "true"
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            let results = try await transaction.pipeline([
                """
                delete from tidings.endpoints other using tidings.endpoints e
                where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device) and \(isOwned)
                    and other.channel = 'push' and other.tenant = \(tenant) and other.id <> \(device)
                    and tidings.token_hash(coalesce(other.token_identity, other.address)) = tidings.token_hash(\(token?.identity))
                """,
                """
                with changed as (
                    update tidings.endpoints e set \(Self.changes(settings)), address = coalesce(\(token?.text), e.address),
                        token_identity = case when \(token == nil) then e.token_identity
                            else nullif(\(token?.identity), \(token?.text)) end,
                        registered_at = case when \(token == nil) then e.registered_at else tidings.clock() end,
                        gone_at = case when \(token == nil) then e.gone_at end, gone_reason = case when \(token == nil) then e.gone_reason end
                    where e.channel = 'push' and e.tenant = \(tenant) and e.id = \(device) and \(isOwned)
                    returning e.tenant, e.recipient_id
                )
                update tidings.recipients r set changed_at = tidings.clock() from changed
                where r.tenant = changed.tenant and r.id = changed.recipient_id returning r.id
                """,
                Self.wake(
                    """
                    select r.tenant, r.device_id from tidings.local_requests r
                    where r.tenant = \(tenant) and r.device_id = \(device) and \(LocalRequest.isPending)
                    """),
            ])
            return !results[1].rows.isEmpty
        }
    }

    /// Marks the device as gone, because its app asked for no more pushes. Returns false if there is no such device, if it is gone already,
    /// or if it does not belong to `owner`.
    public func unregister(device: String, tenant: String, owner: String? = nil) async throws -> Bool {
        let isOwned: SQL = owner.map { "recipient_id = \($0)" } ?? "true"
        let result = try await pool.write(
            """
            with gone as (
                update tidings.endpoints set gone_at = tidings.clock(), changed_at = tidings.clock(), gone_reason = 'unregistered'
                where channel = 'push' and tenant = \(tenant) and id = \(device) and \(isOwned) and gone_at is null
                returning tenant, recipient_id
            )
            update tidings.recipients r set changed_at = tidings.clock() from gone where r.tenant = gone.tenant and r.id = gone.recipient_id
            returning r.id
            """)
        return !result.rows.isEmpty
    }

    /// The provider of the device that has one of these identities of a token. Nil if no device has one, if several devices have one, or if
    /// the device accepts any provider.
    public func issuer(ofTokens identities: Set<String>, tenant: String) async throws -> String? {
        let found = try await pool.query(
            """
            select provider from tidings.endpoints where channel = 'push' and tenant = \(tenant)
                and tidings.token_hash(coalesce(token_identity, address))
                    = any(array(select tidings.token_hash(t) from unnest(\(identities.sorted())) t))
            """)
        return found.rows.count == 1 ? try found.rows[0].decode(String?.self) : nil
    }

    /// The provider and the token of a device. Nil if there is no such device, or if it does not belong to `owner`.
    public func token(of device: String, tenant: String, owner: String? = nil) async throws -> (issuer: String?, text: String)? {
        let isOwned: SQL = owner.map { "recipient_id = \($0)" } ?? "true"
        let found = try await pool.query(
            "select provider, address from tidings.endpoints where channel = 'push' and tenant = \(tenant) and id = \(device) and \(isOwned)"
        )
        guard let row = found.rows.first else { return nil }
        let (issuer, text) = try row.decode((String?, String).self)
        return (issuer, text)
    }

    /// The person's rows of `tidings_ops.devices`, the latest registration first.
    public func devices(of recipient: String, tenant: String) async throws -> [JSON] {
        try await report(
            """
            select * from tidings_ops.devices d where d.tenant = \(tenant) and d.recipient_id = \(recipient)
            order by d.registered_at desc, d.device_id
            """)
    }

    /// The row of `tidings_ops.devices` of one device.
    public func device(_ id: String, tenant: String) async throws -> JSON? {
        try await report("select * from tidings_ops.devices d where d.tenant = \(tenant) and d.device_id = \(id)").first
    }

    /// Whether the row `e` is the device of a token.
    private static func hasToken(_ identity: String, tenant: String) -> SQL {
        """
        e.channel = 'push' and e.tenant = \(tenant)
            and tidings.token_hash(coalesce(e.token_identity, e.address)) = tidings.token_hash(\(identity))
        """
    }

    /// The assignments of an update of the row `e`. A setting that is nil keeps its value.
    private static func changes(_ settings: DeviceSettings) -> SQL {
        """
        platform = coalesce(\(settings.platform?.rawValue), e.platform), provider = coalesce(\(settings.provider), e.provider),
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
            order by registered_at desc nulls last, id offset \(devicesPerPerson))
        """
    }

    private static func forgetGone(of recipient: String, tenant: String) -> SQL {
        """
        delete from tidings.endpoints where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient) and id in (
            select id from tidings.endpoints where channel = 'push' and tenant = \(tenant) and recipient_id = \(recipient)
                and gone_at is not null order by gone_at desc, id offset \(goneDevicesPerPerson))
        """
    }
}
