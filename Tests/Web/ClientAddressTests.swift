import Testing
import TidingsHTTP

@testable import TidingsWeb

/// The client's address, behind proxies and without.
@Suite struct ClientAddressTests {
    private static let proxies = ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"]

    /// The other end of the connection, its header `X-Forwarded-For`, and the client.
    private static let requests: [(peer: String, header: String?, client: String?)] = [
        ("203.0.113.9", nil, "203.0.113.9"), ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        // A proxy that names nobody does not count as its clients.
        ("127.0.0.1", nil, nil), ("127.0.0.1", "", nil), ("127.0.0.1", "198.51.100.1, nonsense", nil), ("127.0.0.1", "unix:", nil),
        // The client invented the first entry.
        ("127.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"), ("127.0.0.1", "198.51.100.1, 10.0.0.7", "198.51.100.1"),
        ("10.0.0.7", "10.0.0.9,10.0.0.8", "10.0.0.9"), ("127.0.0.1", "198.51.100.1, unknown, 10.0.0.7", nil),
        ("127.0.0.1", "198.51.100.1, 10.0.0.7, unknown", nil), ("127.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
        ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"), ("127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
        // The client chooses the last 64 bits.
        ("2001:db8:1:2:ffff::1", nil, "2001:db8:1:2::"), ("fd00::1", "[2001:db8:1:2:3::9]:443", "2001:db8:1:2::"),
    ]

    @Test func theClientIsTheFirstAddressThatIsNoProxy() throws {
        let proxies = try TrustedProxies(Self.proxies)
        for (peer, header, expected) in Self.requests {
            let client = proxies.client(peer: peer, forwardedFor: header)
            #expect(client.map { "\($0.network)" } == expected, "\(peer): \(header ?? "no header")")
        }
    }

    @Test func aConnectionWithoutAnAddressHasNoClient() throws {
        #expect(try TrustedProxies(Self.proxies).client(peer: nil, forwardedFor: "198.51.100.1") == nil)
    }

    @Test func proxiesHaveNoGroupOfConnections() throws {
        let proxies = try TrustedProxies(Self.proxies)
        for address in ["127.0.0.1", "10.9.9.9", "fd00::7", "::ffff:10.0.0.1"] {
            #expect(proxies.connectionGroup(of: address) == nil, "\(address)")
        }
        #expect(proxies.connectionGroup(of: "203.0.113.9") == "203.0.113.9")
        #expect(proxies.connectionGroup(of: "2001:db8::1") == proxies.connectionGroup(of: "2001:db8::2"))
        #expect(proxies.connectionGroup(of: "") == "")
    }

    @Test(arguments: ["", "proxy.example", "10.0.0.1/8", "10.0.0.0/33"])
    func aTextThatIsNoAddressIsRefused(text: String) {
        #expect(throws: NotANetwork(text: text)) { try TrustedProxies([text]) }
    }
}
