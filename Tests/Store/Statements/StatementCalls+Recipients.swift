import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Settings and devices of people.
extension StatementCall {
    static let recipients: [StatementCall] = [devices, lists, settings].flatMap { $0 }

    private static let lists = PersonList.all.map { list in
        StatementCall("recipients.list", with: ["row_to_json": #"{"kind":"email","value":"p@example.com"}"#]) { store in
            _ = try await store.recipients.list(list, of: Samples.person, showingAddresses: false)
        }
    }

    private static let devices: [StatementCall] = [
        StatementCall("recipients.register") {
            _ = try await $0.recipients.register(token: DeviceToken("token"), of: "p", tenant: "t", Samples.settings)
        },
        StatementCall("recipients.change") { store in
            _ = try await store.recipients.change(device: Samples.device, tenant: "t", token: nil, Samples.settings)
        },
        StatementCall("recipients.change") { store in
            _ = try await store.recipients.change(
                device: Samples.device, tenant: "t", owner: "p", token: DeviceToken("token", identity: "i"), DeviceSettings())
        },
        StatementCall("recipients.unregister") { _ = try await $0.recipients.unregister(device: Samples.device, tenant: "t") },
        StatementCall("recipients.unregister") { _ = try await $0.recipients.unregister(device: Samples.device, tenant: "t", owner: "p") },
        StatementCall("recipients.issuer") { _ = try await $0.recipients.issuer(ofTokens: ["token"], tenant: "t") },
        StatementCall("recipients.token") { _ = try await $0.recipients.token(of: Samples.device, tenant: "t") },
        StatementCall("recipients.token") { _ = try await $0.recipients.token(of: Samples.device, tenant: "t", owner: "p") },
        StatementCall("recipients.devices") { _ = try await $0.recipients.devices(of: "p", tenant: "t") },
        StatementCall("recipients.device") { _ = try await $0.recipients.device(Samples.device, tenant: "t") },
        StatementCall("recipients.hasDevice") { _ = try await $0.recipients.hasDevice(Samples.device, of: Samples.person) },
    ]

    private static let settings: [StatementCall] = [
        StatementCall("recipients.change") { store in
            var changes = RecipientChanges()
            changes.timeZone = "UTC"
            changes.quietHours = .some(QuietHours(startMinute: 60, endMinute: 120))
            changes.market = .some("default")
            changes.disableChannels = [.email]
            changes.enableTypes = [Samples.type]
            changes.webhook = .some(WebhookEndpoint(url: "https://example.com", secrets: ["whsec_c2VjcmV0"]))
            try await store.recipients.change("p", tenant: "t", changes)
        },
        StatementCall("recipients.change") { store in
            var changes = RecipientChanges()
            changes.quietHours = .some(nil)
            changes.webhook = .some(nil)
            try await store.recipients.change("p", tenant: "t", changes)
        },
        StatementCall("recipients.preferences") { _ = try await $0.recipients.preferences(of: Samples.person) },
        StatementCall("recipients.row", with: ["row_to_json": #"{"endpoints":[]}"#]) { _ = try await $0.recipients.row("p", tenant: "t") },
        StatementCall("recipients.settings", with: ["row_to_json": #"{"endpoints":[]}"#]) { store in
            _ = try await store.recipients.settings(of: Samples.person, showingAddresses: false)
        },
        StatementCall("recipients.facts") {
            _ = try await $0.recipients.facts(of: "p", tenant: "t", zones: Samples.zones, around: Samples.now)
        },
        StatementCall("recipients.facts", with: ["endpoint": .null]) { store in
            _ = try await store.recipients.facts(of: "p", tenant: "t", zones: Samples.zones, around: Samples.now)
        },
        // The two functions run a statement of a module.
        StatementCall("asPerson") { _ = try await $0.asPerson(Samples.person, .exists("select id from tidings.endpoints")) },
        StatementCall("storeAsPerson") { _ = try await $0.storeAsPerson(Samples.person, .exists("select id from tidings.endpoints")) },
    ]
}
