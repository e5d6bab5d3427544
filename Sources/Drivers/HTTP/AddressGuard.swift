/// The rules for the addresses that a request may reach: the defence against server-side request forgery. In this attack, a stranger
/// registers an address that only our machines can reach.
///
/// Without exceptions, only public addresses pass. The guard refuses every block of the IANA special-purpose registries (RFC 6890), and the
/// multicast, reserved and transition blocks. In IPv6, it refuses everything outside 2000::/3.
public struct AddressGuard: Sendable, Hashable {
    /// Schemes in lower case. Only `http` and `https` have an effect, because the transport sends to no other scheme.
    public var allowedSchemes: Set<String>
    /// Ports that a request may use. Nil allows every port.
    public var allowedPorts: Set<UInt16>?
    /// Exceptions to the refused blocks, for private receivers, development and tests.
    public var allowedNetworks: [CIDR]

    /// By default, a request may use `https` to ports 443 and 8443 of public addresses.
    public init(allowedSchemes: Set<String> = ["https"], allowedPorts: Set<UInt16>? = [443, 8443], allowedNetworks: [CIDR] = []) {
        self.allowedSchemes = allowedSchemes
        self.allowedPorts = allowedPorts
        self.allowedNetworks = allowedNetworks
    }

    /// Returns why a connection to this address is refused, with the block that holds it. Returns nil when the address is allowed.
    public func refusal(of address: IPAddress) -> String? {
        let address = address.unmapped
        if allowedNetworks.contains(where: { $0.contains(address) }) { return nil }
        guard let block = Self.refused.first(where: { $0.network.contains(address) }) else { return nil }
        return "\(address) is not public: \(block.network) is \(block.meaning)"
    }

    /// A refused block and its purpose. If several blocks hold an address, the first one is the reason in the message.
    struct RefusedBlock: Sendable {
        var network: CIDR
        var meaning: String
    }

    /// RFC 6890 and the IANA special-purpose address registries, with multicast, reserved and transition blocks. One more address looks
    /// public and is not: Azure's WireServer gives a machine its own configuration and secrets.
    static let refused: [RefusedBlock] = [
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by carriers"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "Azure's platform, which only its own machines reach"),
        ("169.254.0.0/16", "link-local, where cloud metadata lives"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b::/96", "NAT64"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discarded"),
        ("2001::/23", "for protocols"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        ("::/3", "outside global unicast"),
        ("4000::/2", "outside global unicast"),
        ("8000::/1", "outside global unicast"),
    ].map { text, meaning in
        guard let network = CIDR(text) else { preconditionFailure("\(text) in the list of refused blocks is not a block") }
        return RefusedBlock(network: network, meaning: meaning)
    }
}
