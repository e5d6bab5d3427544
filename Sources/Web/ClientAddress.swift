import HTTPTypes
package import TidingsHTTP
package import TidingsHTTPServer

/// The address of a client, as bounds count it: an IPv4 address, or the first 64 bits of an IPv6 address. A client chooses the other bits.
///
/// An address is personal data. It stands in no log line and in no metric.
package struct ClientAddress: Sendable, Hashable {
    /// An IPv6 address has zeros in its last 64 bits.
    package let network: IPAddress

    package init(_ address: IPAddress) {
        switch address.unmapped {
        case .v4(let number): network = .v4(number)
        case .v6(let high, _): network = .v6(high: high, low: 0)
        }
    }
}

/// The proxies whose word about the addresses of their clients is taken.
package struct TrustedProxies: Sendable {
    private let networks: [CIDR]

    /// - Parameter texts: addresses and CIDR blocks, such as `10.1.0.0/16`.
    package init(_ texts: [String]) throws(NotANetwork) {
        var networks: [CIDR] = []
        for text in texts {
            guard let network = CIDR(text) else { throw NotANetwork(text: text) }
            networks.append(network)
        }
        self.networks = networks
    }

    private func isProxy(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address.unmapped) } }

    /// The client of a request. Nil if it is not known: the connection has no address, or its proxy names no client. nginx names none
    /// unless it is told to. The address of the proxy would then be that of everybody.
    ///
    /// Each proxy appends the address that it saw to the header `X-Forwarded-For`. So the header is read from its end, and only as far as
    /// proxies wrote it: an earlier entry may be an invention of the client.
    ///
    /// - Parameters:
    ///   - peer: the address of the connection's other end.
    ///   - forwardedFor: the header `X-Forwarded-For`, its lines joined by commas.
    package func client(peer: String?, forwardedFor: String?) -> ClientAddress? {
        guard var client = peer.flatMap({ IPAddress($0) }) else { return nil }
        var hops = (forwardedFor ?? "").split(separator: ",", omittingEmptySubsequences: false)
        while isProxy(client), let entry = hops.popLast() {
            guard let hop = Self.address(entry) else { return nil }
            client = hop
        }
        return ClientAddress(client)
    }

    /// The client of a request, see ``client(peer:forwardedFor:)``.
    package func client(of request: ServerRequest) -> ClientAddress? {
        client(peer: request.remoteAddress, forwardedFor: request.header(.forwardedFor))
    }

    /// An entry of the header: an address, or an address with a port. Nil for any other text.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text: String = entry.filter { $0 != " " && $0 != "\t" }
        if let address = IPAddress(text) { return address }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[..<end].dropFirst()))
        }
        return text.firstIndex(of: ":").flatMap { IPAddress(String(text[..<$0])) }
    }

    /// The group for which the connections of an address count. Nil for a proxy, which carries the connections of many.
    package func connectionGroup(of address: String) -> String? {
        guard let parsed = IPAddress(address) else { return address }
        return isProxy(parsed) ? nil : "\(ClientAddress(parsed).network)"
    }
}

/// A text that is no address and no block of addresses.
package struct NotANetwork: Error, Sendable, Hashable {
    package let text: String
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name(known: "x-forwarded-for")
}
