public import TidingsCore
public import TidingsHTTP

/// The guard settings of a provider whose addresses come from recipients, and so from strangers.
extension AddressGuard {
    /// The declarations, in the order of the documentation.
    public static let declarations = [
        ProviderSetting("allowHTTP", "Also send to http:// addresses, where everybody on the way can read along.", defaultValue: "false"),
        ProviderSetting("allowedPorts", "Ports that may be sent to, separated by commas; `any` for all.", defaultValue: "443, 8443"),
        ProviderSetting(
            "allowedNetworks", "Private networks that may be sent to nevertheless, as CIDR blocks: `10.1.0.0/16, ::1`."),
    ]

    /// Reads the settings of ``declarations``.
    public init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        self.init()
        var errors = SettingErrors(of: settings)
        if errors.collect(try settings.flag("allowHTTP", default: false)) == true { allowedSchemes.insert("http") }
        if let words = settings.list("allowedPorts") {
            allowedPorts = errors.collect(try Self.ports(words, settings)) ?? allowedPorts
        }
        for word in settings.list("allowedNetworks") ?? [] {
            if let network = errors.collect(try Self.network(word, settings)) { allowedNetworks.append(network) }
        }
        if !errors.isEmpty { throw errors.combined }
    }

    /// Reads the guard of a binding. Nil if the binding has a setting that cannot be read.
    ///
    /// - Parameter declared: the settings of the binding's kind.
    public init?(of binding: ProviderBinding, declared: [ProviderSetting], environment: [String: String]) {
        guard let settings = try? ProviderSettings(binding, declared: declared, environment: environment),
            let guarding = try? AddressGuard(settings)
        else { return nil }
        self = guarding
    }

    private static func network(_ word: String, _ settings: ProviderSettings) throws(ProviderConfigurationError) -> CIDR {
        guard let network = CIDR(word) else {
            throw settings.error("allowedNetworks", "\"\(word)\" is not a block of addresses like 10.1.0.0/16")
        }
        return network
    }

    private static func ports(_ words: [String], _ settings: ProviderSettings) throws(ProviderConfigurationError) -> Set<UInt16>? {
        if words == ["any"] { return nil }
        var ports: Set<UInt16> = []
        for word in words {
            guard let port = UInt16(word), port > 0 else {
                throw settings.error("allowedPorts", "\"\(word)\" is not a port from 1 to 65535")
            }
            ports.insert(port)
        }
        return ports
    }
}
