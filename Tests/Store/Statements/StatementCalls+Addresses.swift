import TidingsCore

@testable import TidingsStore

/// Addresses of people beside devices.
extension StatementCall {
    static let addresses: [StatementCall] = [
        StatementCall("addresses.set") { store in
            let facts = AddressFacts(source: "tests", consent: .granted, isVerified: true)
            _ = try await store.addresses.set(Address(.email, "p@example.com"), of: Samples.person, facts)
        },
        StatementCall("addresses.set") { store in
            let webhook = try Address(.webhook, "https://example.com")
            _ = try await store.addresses.set(
                webhook, secrets: ["whsec_c2VjcmV0"], of: Samples.person, AddressFacts(source: AddressFacts.operatorSource))
        },
        StatementCall("addresses.change") { store in
            let suppression = AddressSuppression(because: "bounce", until: Samples.now)
            let changes = AddressChanges(isVerified: false, consent: .denied, suppression: .some(suppression))
            _ = try await store.addresses.change("a", of: Samples.person, changes)
        },
        StatementCall("addresses.change") { store in
            _ = try await store.addresses.change("a", of: Samples.person, AddressChanges(suppression: .some(nil)))
        },
        StatementCall("addresses.remove") { _ = try await $0.addresses.remove("a", of: Samples.person) },
        StatementCall("addresses.hasWebhookSecret") { _ = try await $0.addresses.hasWebhookSecret(Samples.person) },
        StatementCall("addresses.list") { _ = try await $0.addresses.list(of: Samples.person) },
    ]
}
