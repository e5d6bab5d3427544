public import TidingsCore

/// Accepts every delivery at once, in the process, and forgets it: for benchmarks and for trying a catalogue out.
public struct NullProvider: Provider {
    public let name: String
    public let channel: Channel
    /// As wide as anything that is measured with it.
    public let limits = ProviderLimits(maximumBodyBytes: 4 << 20, maximumConcurrency: 1_024, sendTimeout: .seconds(1))

    public init(name: String, channel: Channel) {
        self.name = name
        self.channel = channel
    }

    /// Always accepted, never delivered: nobody got it.
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
