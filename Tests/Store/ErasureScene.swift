import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Erased people of a scene, and people who stand everywhere.
extension StoreScene {
    /// Writes the tombstone of a person, without an erasure.
    func bury(_ person: RecipientKey) async throws {
        _ = try await system.query(
            """
            insert into tidings.erased_people (person_hash, erasure, erased_at)
            values (tidings.person_hash(\(person.tenant), \(person.id)), gen_random_uuid(), tidings.clock())
            """)
    }

    /// An intent with a key of its own, to a person of any name.
    static func intent(_ key: Int, to person: RecipientKey) -> DecodedIntent {
        var decoded = intent(key)
        decoded.intent.tenant = person.tenant
        decoded.intent.recipient = person.id
        decoded.intent.id = "event-\(person.id)-\(key)"
        decoded.intent.content = Content(title: "For \(person.id)")
        var keys = IntentKey(tenant: person.tenant, source: decoded.intent.source, id: decoded.intent.id)
        decoded.idempotencyKey = keys.key(for: person.id)
        return decoded
    }

    /// Puts a person into every table of the store: notifications that have ended, that wait, that are in a pack and that a worker holds.
    /// Returns the packs of the worker.
    func populate(_ person: RecipientKey) async throws -> [Pack] {
        try await take(claims([Self.intent(1, to: person)]), verdict: Self.suppress)
        try await take(claims([Self.intent(2, to: person)]), verdict: Self.hold)
        try await take(claims([Self.intent(3, to: person)]), verdict: Self.send)
        let claimed = try await take(claims([Self.intent(4, to: person)]), verdict: Self.send).packs
        try await claim(claimed, worker: "worker")
        _ = try await store.reservations.reserve([ReservationRequest([Self.intent(1, to: person)])])
        _ = try await deliver(2, to: person)
        for statement in Self.rows(of: person) { _ = try await system.query(statement) }
        return claimed
    }

    /// Stores a device of a person, whose app is to be woken now.
    func addWakingDevice(of person: RecipientKey) async throws {
        let (tenant, id, device) = (person.tenant, person.id, "device-of-\(person.id)")
        let statements: [SQL] = [
            "insert into tidings.recipients (tenant, id, changed_at) values (\(tenant), \(id), tidings.clock())",
            """
            insert into tidings.endpoints (tenant, recipient_id, id, channel, provider, address, changed_at, registered_at)
            values (\(tenant), \(id), \(device), 'push', 'apns', \("token-of-\(id)"), tidings.clock(), tidings.clock())
            """,
            "insert into tidings.local_wakes (tenant, device_id, due_at) values (\(tenant), \(device), tidings.clock())",
        ]
        for statement in statements { _ = try await system.query(statement) }
    }

    private static func rows(of person: RecipientKey) -> [SQL] {
        let (tenant, id) = (person.tenant, person.id)
        let event = #"{"id":"x","source":"/t","type":"t","data":{"recipient":"\#(id)","tenant":"\#(tenant)","title":"T"}}"#
        return [
            "insert into tidings.recipients (tenant, id, changed_at) values (\(tenant), \(id), tidings.clock())",
            """
            insert into tidings.endpoints (tenant, recipient_id, id, channel, provider, address, changed_at, registered_at)
            values (\(tenant), \(id), \("device-of-\(id)"), 'push', 'apns', \("token-of-\(id)"), tidings.clock(), tidings.clock())
            """,
            """
            insert into tidings.addresses (tenant, recipient_id, id, kind, value, identity, source, created_at, changed_at)
            select \(tenant), \(id), a.id, a.kind, a.value, a.value, 'tests', tidings.clock(), tidings.clock()
            from (values ('address', 'email', \("\(id)@example.com")), ('webhook', 'webhook', \("https://example.com/hook-of-\(id)")))
                as a(id, kind, value)
            """,
            """
            insert into tidings.local_requests (tenant, device_id, notification_id, ordinal, recipient_id, type, content, expires_at,
                accepted_at, planned_at, in_plan, version)
            select \(tenant), device, gen_random_uuid(), 0, \(id), 't', '{}', tidings.clock(), tidings.clock(), tidings.clock(), true, 3
            from unnest(array[\("device-of-\(id)"), 'a device that moved']) device
            """,
            """
            insert into tidings.local_plans (tenant, device_id, version, acked_version)
            select \(tenant), device, 3, 3 from unnest(array[\("device-of-\(id)"), 'a device that moved']) device on conflict do nothing
            """,
            """
            insert into tidings.engagement (tenant, recipient_id, notification_id, key, event, occurred_at, received_at, device_id, market,
                detail)
            values (\(tenant), \(id), gen_random_uuid(), gen_random_uuid(), 'opened', tidings.clock(), tidings.clock(),
                \("device-of-\(id)"), 'default', '{"from":"lock screen"}')
            """,
            "insert into tidings.engagement_days (tenant, recipient_id, day, n) values (\(tenant), \(id), '2026-11-25', 1)",
            "insert into tidings.local_wakes (tenant, device_id, due_at) values (\(tenant), \("device-of-\(id)"), tidings.clock())",
            "insert into tidings.outgoing (type, event, created_at, event_id) values ('t', \(event), tidings.clock(), \("of-\(id)"))",
            """
            insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, tenant, source, event_id, exchange,
                routing_key, headers, raw, size, sha256, replayable, recipients)
            values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '', \("not for \(id)"), \(tenant), '/t',
                \("of-\(id)"), 'e', 'k', '{}', \(Array(event.utf8)), 1, '', true, array[\(id)])
            """,
            """
            insert into tidings.dead (fingerprint, at, queue, reason, message, deaths, exchange, routing_key, headers, raw, size)
            values (gen_random_uuid(), tidings.clock(), 'q', 'poison', 'm', 1, 'e', 'k', '{}', \(Array(event.utf8)), 1)
            """,
        ]
    }

    /// Runs the turns of a releaser until the erasure is done. Waits are passed by the business clock.
    ///
    /// - Returns: False if it is not done in time.
    func finish(_ erasure: NotificationID) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            switch try await store.erasures.advance() {
            case .done(let id) where id == erasure: return true
            case .done, .working: continue
            case .waiting, .idle: try await passTime()
            }
        }
        return false
    }

    /// Runs turns until the erasure waits for this.
    func advance(_ erasure: NotificationID, untilItWaitsFor what: String) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            let row = try await store.erasures.row(erasure, tenant: nil)
            if row?["waits_for"]?.stringValue == what { return true }
            switch try await store.erasures.advance() {
            case .done: return false
            case .working, .waiting: continue
            case .idle: try await passTime()
            }
        }
        return false
    }

    /// Runs turns until the erasure is at this step.
    func advance(_ erasure: NotificationID, toStep step: String) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            if try await store.erasures.row(erasure, tenant: nil)?["step"]?.stringValue == step { return true }
            switch try await store.erasures.advance() {
            case .done: return false
            case .working: continue
            case .waiting, .idle: try await passTime()
            }
        }
        return false
    }

    func passTime() async throws {
        _ = try await system.query("update tidings.clock_offset set shift = shift + interval '1 second'")
    }

    func tables(with text: String) async throws -> [String] { try await system.tables(with: text) }
}
