import TidingsCore

/// A catalogue with providers of every sort on push: `person1` and `person2` address people, `token1` and `token2` address any device's
/// token, `copy` gets copies.
func shared(_ providers: String..., by strategy: ProviderStrategy) -> Catalogue {
    var catalogue = Catalogue.builtIn.with(NotificationType(name: "news", category: .transactional, channels: [.push]))
    for name in ["person1", "person2"] {
        catalogue.providers[name] = ProviderBinding(name: name, channel: .push, kind: name, addressing: .person)
    }
    for name in ["token1", "token2"] {
        catalogue.providers[name] = ProviderBinding(name: name, channel: .push, kind: name, addressing: .device)
    }
    catalogue.providers["copy"] = ProviderBinding(name: "copy", channel: .push, kind: "http", addressing: .device, copy: true)
    catalogue.markets["default"]?.providers[.push] = providers
    catalogue.markets["default"]?.strategies[.push] = strategy
    return catalogue
}

extension Endpoint {
    /// A device whose token every provider may use, unless `provider` names one.
    static func device(
        _ id: String, of provider: String? = nil, market: String? = nil, permission: Permission = .authorized
    ) -> Endpoint {
        var device = Endpoint(id: id, channel: .push, provider: provider, address: "token-of-\(id)", market: market)
        device.permission = permission
        return device
    }
}

extension PlannedDelivery {
    /// The delivery with its standby, such as `push/token1/a send, standby`.
    var whole: String {
        switch standby {
        case .nobody: summary
        case .passedOver: summary + ", passed over stands by"
        case .fresh: summary + ", standby"
        }
    }
}

/// The deliveries of a notification of type `news` for a person with these devices.
func news(_ catalogue: Catalogue, _ devices: [Endpoint] = [], to recipient: String = "user-42") -> [String] {
    route(
        .sample("news") { $0.recipient = recipient },
        facts: .sample {
            $0.recipient = recipient
            $0.endpoints = devices
        }, catalogue: catalogue, now: noon, acceptedAt: noon
    ).deliveries.map(\.whole)
}
