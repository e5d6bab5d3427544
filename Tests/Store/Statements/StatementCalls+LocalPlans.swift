import TidingsCore

@testable import TidingsStore

/// Notifications that devices show by themselves, and pauses.
extension StatementCall {
    static let localPlans: [StatementCall] = [
        StatementCall("localPlans.plan") { store in
            _ = try await store.localPlans.plan([Samples.pack(on: .local)], pauses: .none, catalogue: Samples.catalogue)
        },
        StatementCall("localPlans.plan") { store in
            let pack = Samples.pack(of: [Samples.entry(escalates: true)], on: .local)
            _ = try await store.localPlans.plan([pack], pauses: Samples.pauses, catalogue: Samples.catalogue)
        },
        StatementCall("localPlans.acknowledge") { _ = try await $0.localPlans.acknowledge(of: Samples.device, tenant: "t", version: 0) },
        StatementCall("localPlans.acknowledge") {
            _ = try await $0.localPlans.acknowledge(of: Samples.device, tenant: "t", owner: "p", version: 0)
        },
        sync(owner: nil, since: nil),
        sync(owner: "p", since: 0),
        // The notification may be shown.
        sync(owner: "p", since: 0, with: ["ends_as": .null, "end_reason": .null]),
        StatementCall("localPlans.takeWakes") { _ = try await $0.localPlans.takeWakes(limit: 10) },
        StatementCall("localPlans.prune") { _ = try await $0.localPlans.prune() },
        StatementCall("localPlans.plans", with: recordRow) { _ = try await $0.localPlans.plans(of: Samples.id) },
    ]

    private static func sync(owner: String?, since: Int64?, with values: [String: MadeUpValue] = [:]) -> StatementCall {
        StatementCall("localPlans.sync", with: values) { store in
            _ = try await store.localPlans.sync(
                of: Samples.device, tenant: "t", owner: owner, since: since, catalogue: Samples.catalogue, zones: Samples.zones)
        }
    }

    static let pauses: [StatementCall] = [
        StatementCall("pausing.pause") { _ = try await $0.pausing.pause(.channel, "push", reason: "r", by: "me", for: .seconds(60)) },
        StatementCall("pausing.pause") { _ = try await $0.pausing.pause(.tenant, "t", reason: "r", by: "me", for: nil) },
        StatementCall("pausing.resume") { _ = try await $0.pausing.resume(.channel, "push", by: "me") },
        StatementCall("pausing.list") { _ = try await $0.pausing.list() },
        StatementCall("pausing.listWithPast") { _ = try await $0.pausing.listWithPast(limit: 10) },
        StatementCall("pausing.prune") { try await $0.pausing.prune(retention: Samples.retention) },
        StatementCall("pausing.knownTenants") { _ = try await $0.pausing.knownTenants(like: "t") },
    ]
}
