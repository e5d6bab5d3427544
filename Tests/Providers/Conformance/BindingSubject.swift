import TidingsCore
import TidingsProvider
import TidingsTestSupport

/// A provider that its factory makes from settings and an environment with the secrets, as for the catalogue.
protocol BindingSubject: ConformanceSubject {
    var kind: String { get }
    var factory: any ProviderFactory.Type { get }
    /// The variables with secret values.
    var environment: [String: String] { get }
    /// The address of a delivery. Nil for a provider that addresses people.
    var address: String? { get }
    var channel: Channel { get }

    func settings(_ service: ConformanceService) -> [String: String]
    /// Further variables, which may contain the address of the service.
    func environment(_ service: ConformanceService) -> [String: String]
    /// The address of a delivery that goes to the service itself.
    func address(_ service: ConformanceService) -> String?
    /// Other spellings of that address, if it is the token of a device, tokens of other devices, and texts that are no tokens.
    func otherTokens(_ service: ConformanceService) -> OtherTokens?
}

/// Texts beside the token of ``BindingSubject/address(_:)``.
struct OtherTokens: Sendable {
    var spellings: [String]
    var others: [String]
    var malformed: [String]
}

extension BindingSubject {
    var channel: Channel { .push }
    var address: String? { nil }
    var secrets: [String] { Array(environment.values) + [address].compactMap(\.self) }
    func environment(_ service: ConformanceService) -> [String: String] { [:] }
    func address(_ service: ConformanceService) -> String? { address }
    func otherTokens(_ service: ConformanceService) -> OtherTokens? { nil }

    func tokens(calling service: ConformanceService) -> ConformanceTokens? {
        guard let token = address(service), let more = otherTokens(service) else { return nil }
        let factory = factory
        return ConformanceTokens(
            read: { text throws(DeviceToken.Fault) in try factory.deviceToken(text) }, spellings: [token] + more.spellings,
            others: more.others, malformed: more.malformed)
    }

    func makeProvider(calling service: ConformanceService) throws -> any Provider {
        try made(calling: service) { $0 }
    }

    func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)? {
        try made(calling: service, change)
    }

    private func made(calling service: ConformanceService, _ change: (String) -> String) throws -> any Provider {
        let binding = ProviderBinding(
            name: kind, channel: channel, kind: kind, settings: settings(service), addressing: address(service) == nil ? .person : .device)
        let environment = environment.merging(environment(service)) { _, new in new }
        return try factory.make(binding: binding, environment: environment.mapValues(change))
    }

    func delivery(calling service: ConformanceService) -> OutgoingDelivery { standardDelivery(calling: service) }

    func standardDelivery(calling service: ConformanceService) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(milliseconds: 1_700_000_000_000, fraction: 0, random: 7), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "orderUpdate", category: .transactional,
                createdAt: Timestamp(seconds: 1_700_000_000), expiresAt: nil),
            content: Content(
                title: "Your order shipped", body: "It arrives tomorrow.", data: #"{"orderId":"17"}"#, collapseKey: "order-17"),
            endpointAddress: address(service), idempotencyKey: "k1",
            device: address(service).map { _ in OutgoingDevice(platform: "ios", environment: "production") })
    }
}
