import Glibc

/// A numeric address and a port to listen on: `127.0.0.1:9464`, or `[::1]:9464`. Port 0 takes a free one.
package struct ListenAddress: Sendable, Hashable {
    package enum Host: Sendable, Hashable {
        case ip4(String)
        case ip6(String)
    }

    package let host: Host
    package let port: UInt16

    /// Nil for any other text. Names are not looked up, so that the text shows which interface is opened.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        let address = text[..<colon]
        if address.hasPrefix("["), address.hasSuffix("]") {
            var parsed = in6_addr()
            let inner = String(address.dropFirst().dropLast())
            guard inet_pton(AF_INET6, inner, &parsed) == 1 else { return nil }
            host = .ip6(inner)
        } else {
            var parsed = in_addr()
            guard inet_pton(AF_INET, String(address), &parsed) == 1 else { return nil }
            host = .ip4(String(address))
        }
        self.port = port
    }

    /// The host without brackets.
    package var hostText: String {
        switch host {
        case .ip4(let address), .ip6(let address): address
        }
    }

    /// Whether only programs of this machine reach the address.
    var isLoopback: Bool {
        switch host {
        case .ip4(let address): return address.hasPrefix("127.")
        case .ip6(let address):
            var parsed = in6_addr()
            guard inet_pton(AF_INET6, address, &parsed) == 1 else { return false }
            return withUnsafeBytes(of: parsed) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
    }

    package func description(port: UInt16) -> String {
        switch host {
        case .ip4(let address): "\(address):\(port)"
        case .ip6(let address): "[\(address)]:\(port)"
        }
    }
}

extension Settings {
    package static let metricsListenName = "TIDINGS_METRICS_LISTEN"

    /// The address at which a role offers its metrics and health; nil if none is set.
    /// Throws a ``Failure`` with exit code 78 if the setting is no address and port.
    func metricsListen() throws -> ListenAddress? {
        guard let text = environment[Self.metricsListenName], !text.isEmpty else { return nil }
        guard let address = ListenAddress(text) else {
            throw Failure(
                .config, "\(Self.metricsListenName): \(text) is no address and port",
                hint: "127.0.0.1:9464 or [::1]:9464; port 0 takes a free one")
        }
        return address
    }
}
