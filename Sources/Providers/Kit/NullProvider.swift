public import TidingsCore

/// Accepts every delivery at once, inside the process, and discards it. For benchmarks and for trying out a catalogue.
public struct NullProvider: Provider {
    public let name: String
    public let channel: Channel
    /// Wider than any load that is measured with this provider.
    public let limits = ProviderLimits(maximumBodyBytes: 4 << 20, maximumConcurrency: 1_024, sendTimeout: .seconds(1))

    public init(name: String, channel: Channel) {
        self.name = name
        self.channel = channel
    }

    /// Returns accepted, but never delivered: no recipient got the notification.
    public func send(_ item: OutgoingDelivery) async -> SendResult {
        SendResult(.accepted(providerMessageID: nil, delivered: false))
    }

    public func close() async {}
}

/// Makes providers of kind `null`, for any channel.
public enum NullProviderFactory: ProviderFactory {
    public static let kind = "null"
    public static let settings: [ProviderSetting] = []

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        _ = try ProviderSettings(binding, declared: settings, environment: environment)
        return NullProvider(name: binding.name, channel: binding.channel)
    }
}
