import Testing
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

/// The app on one device. The app asks for its plan, keeps the answer, and confirms it.
struct LocalApp: Sendable {
    /// The token of an iPhone.
    static let phone = "70686f6e65"

    let store: Store
    let device: String
    /// The person who is signed in.
    var owner: String
    /// The version of the plan that the app has. Nil after an installation.
    var version: Int64?
    /// The notifications that the app has planned, by identifier.
    var pending: [String: JSON] = [:]

    /// Asks for the plan and keeps the answer. Nil if the request is refused.
    @discardableResult
    mutating func sync() async throws -> LocalPlanUpdate? {
        let catalogue = try await CatalogueSource(store, builtIn: .builtIn).current.catalogue
        guard
            let update = try await store.localPlans.sync(
                of: device, tenant: "default", owner: owner, since: version, catalogue: catalogue, zones: TimeZoneDatabase())
        else { return nil }
        if update.reset { pending = [:] }
        for request in update.requests { pending[request.identifier] = request.json }
        for identifier in update.removed { pending[identifier] = nil }
        version = update.version
        return update
    }

    @discardableResult
    func ack(_ other: Int64? = nil) async throws -> LocalPlanAck {
        try await store.localPlans.acknowledge(of: device, tenant: "default", owner: owner, version: other ?? version ?? 0)
    }

    /// Asks for the plan and confirms it.
    @discardableResult
    mutating func refresh() async throws -> LocalPlanUpdate {
        let update = try #require(try await sync())
        #expect(try await ack() == .confirmed)
        return update
    }

    /// The times at which pending notifications show, such as `2026-06-10 08:00` or `1 s`.
    var times: [String] {
        pending.values.map { request in
            guard let trigger = request["trigger"] else { return "" }
            if let seconds = trigger["seconds"]?.intValue { return "\(seconds) s" }
            let parts = ["year", "month", "day", "hour", "minute"].map { trigger["dateComponents"]?[$0]?.intValue ?? -1 }
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            return "\(parts[0])-\(two(parts[1]))-\(two(parts[2])) \(two(parts[3])):\(two(parts[4]))"
        }.sorted()
    }
}

extension Pipeline {
    /// Registers a device and signs its person in on it.
    func app(of person: String, token: String, _ options: String...) async throws -> LocalApp {
        let result = try await TestProcess(
            [TestSystem.binary, "device", "register", person, token, "-o", "json"] + options, environment: system.environment
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
        let id = try #require(try JSON.parse(result.output)["device_id"]?.stringValue)
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 4, name: "app")
        try await store.open()
        return LocalApp(store: store, device: id, owner: person)
    }

    /// Sends a reminder to the device alone, scheduled if a time is given. Waits until the reminder is planned.
    func remind(_ id: String, _ person: String, at time: String? = nil, channels: String = #"["local"]"#, more: String = "") async throws {
        await announce(id, person, at: time, channels: channels, more: more)
        let planned = try await system.eventually(
            """
            select count(*) from tidings_ops.local_plans p join tidings_ops.notifications n using (notification_id)
            where n.idempotency_key = \(id)
            """
        ) { $0 > 0 }
        let deliveries = try await deliveries(of: id)
        try #require(planned, "\(id) is not planned: \(deliveries) \(roles.errorsSoFar)")
    }

    func announce(_ id: String, _ person: String, at time: String? = nil, channels: String = #"["local"]"#, more: String = "") async {
        let members = [#""channels":\#(channels)"#, time.map { #""scheduledFor":"\#($0)""# } ?? "", more].filter { !$0.isEmpty }
        await publish(event(id: id, type: "reminder", to: person, data: members.joined(separator: ",")), key: "system.reminder")
    }

    /// The time this many seconds after the present minute of the business clock.
    func time(in seconds: Int) async throws -> String {
        let result = try await system.query(
            """
            select to_char((date_trunc('minute', tidings.clock()) + make_interval(secs => \(Double(seconds)))) at time zone 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS"Z"')
            """)
        return try #require(result.rows.first).decode(String.self)
    }
}
