import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Settings and devices of people.
extension StatementCall {
    static let recipients: [StatementCall] = [devices, settings].flatMap { $0 }

    private static let devices: [StatementCall] = [
        StatementCall("register") { _ = try await $0.register(token: DeviceToken("token"), of: "p", tenant: "t", Samples.settings) },
        StatementCall("change") { store in
            _ = try await store.change(device: Samples.device, tenant: "t", token: nil, Samples.settings)
        },
        StatementCall("change") { store in
            _ = try await store.change(
                device: Samples.device, tenant: "t", owner: "p", token: DeviceToken("token", identity: "i"), DeviceSettings())
        },
        StatementCall("unregister") { _ = try await $0.unregister(device: Samples.device, tenant: "t") },
        StatementCall("unregister") { _ = try await $0.unregister(device: Samples.device, tenant: "t", owner: "p") },
        StatementCall("issuer") { _ = try await $0.issuer(ofTokens: ["token"], tenant: "t") },
        StatementCall("token") { _ = try await $0.token(of: Samples.device, tenant: "t") },
        StatementCall("token") { _ = try await $0.token(of: Samples.device, tenant: "t", owner: "p") },
        StatementCall("devices") { _ = try await $0.devices(of: "p", tenant: "t") },
        StatementCall("devices") { _ = try await $0.devices(of: Samples.person) },
        StatementCall("device") { _ = try await $0.device(Samples.device, tenant: "t") },
        StatementCall("hasDevice") { _ = try await $0.hasDevice(Samples.device, of: Samples.person) },
    ]

    private static let settings: [StatementCall] = [
        StatementCall("change") { store in
            var changes = RecipientChanges()
            changes.timeZone = "UTC"
            changes.quietHours = .some(QuietHours(startMinute: 60, endMinute: 120))
            changes.market = .some("default")
            changes.disableChannels = [.email]
            changes.enableTypes = [Samples.type]
            changes.webhook = .some(WebhookEndpoint(url: "https://example.com", secrets: ["whsec_c2VjcmV0"]))
            try await store.change("p", tenant: "t", changes)
        },
        StatementCall("change") { store in
            var changes = RecipientChanges()
            changes.quietHours = .some(nil)
            changes.webhook = .some(nil)
            try await store.change("p", tenant: "t", changes)
        },
        StatementCall("preferences") { _ = try await $0.preferences(of: Samples.person) },
        StatementCall("recipient") { _ = try await $0.recipient("p", tenant: "t") },
        StatementCall("settings", with: ["row_to_json": #"{"endpoints":[]}"#]) { store in
            _ = try await store.settings(of: Samples.person, showingAddresses: false)
        },
        StatementCall("hasWebhookSecret") { _ = try await $0.hasWebhookSecret("p", tenant: "t") },
        StatementCall("facts") { _ = try await $0.facts(of: "p", tenant: "t", zones: Samples.zones, around: Samples.now) },
        StatementCall("facts", with: ["endpoint": .null]) { store in
            _ = try await store.facts(of: "p", tenant: "t", zones: Samples.zones, around: Samples.now)
        },
        // The two functions run a statement of a module.
        StatementCall("asPerson") { _ = try await $0.asPerson(Samples.person, .exists("select id from tidings.endpoints")) },
        StatementCall("storeAsPerson") { _ = try await $0.storeAsPerson(Samples.person, .exists("select id from tidings.endpoints")) },
    ]
}
