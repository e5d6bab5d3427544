import Testing

@testable import TidingsHTTP

struct AddressGuardTests {
    /// The first and the last address of every refused block, with a public address beside it where there is one.
    static let refused = [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.255",
        "168.63.129.16", "::ffff:168.63.129.16",
        "169.254.0.0", "169.254.169.254", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0",
        "192.0.2.255", "192.88.99.0", "192.88.99.255", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0",
        "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.254",
        "255.255.255.255", "::", "::1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::",
        "100::ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::1",
        "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:7f00:1::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::1",
        "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe80::1", "febf:ffff::", "fec0::1", "ff00::", "ff02::1", "4000::1", "8000::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:192.168.1.1", "::ffff:0.0.0.0",
    ]

    static let allowed = [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15",
        "168.63.129.17", "169.253.255.255",
        "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2001:200::1", "2606:4700::1111", "2003::1", "2a00:1450::1", "::ffff:1.1.1.1",
    ]

    @Test(arguments: refused)
    func anAddressThatIsNotPublicIsRefused(_ text: String) throws {
        let address = try #require(IPAddress(text))
        let refusal = try #require(AddressGuard().refusal(of: address), "\(text) passed")
        #expect(refusal.contains("is not public"))
    }

    @Test(arguments: allowed)
    func aPublicAddressIsAllowed(_ text: String) throws {
        #expect(AddressGuard().refusal(of: try #require(IPAddress(text))) == nil)
    }

    @Test func everyRefusedBlockIsRefusedAtBothEnds() {
        for block in AddressGuard.refused {
            #expect(AddressGuard().refusal(of: block.network.first) != nil)
            #expect(AddressGuard().refusal(of: block.network.last) != nil)
        }
    }

    @Test func exceptionsReachExactlyAsFarAsTheySay() throws {
        let guarding = AddressGuard(allowedNetworks: [try #require(CIDR("10.1.0.0/16")), try #require(CIDR("::1"))])
        for text in ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "::1"] {
            #expect(guarding.refusal(of: try #require(IPAddress(text))) == nil, "\(text)")
        }
        for text in ["10.0.255.255", "10.2.0.0", "127.0.0.1", "::2"] {
            #expect(guarding.refusal(of: try #require(IPAddress(text))) != nil, "\(text)")
        }
    }

    @Test func theMostPreciseBlockExplains() throws {
        let metadata = AddressGuard().refusal(of: try #require(IPAddress("169.254.169.254")))
        #expect(metadata == "169.254.169.254 is not public: 169.254.0.0/16 is link-local, where cloud metadata lives")
        let mapped = AddressGuard().refusal(of: try #require(IPAddress("::ffff:127.0.0.1")))
        #expect(mapped == "127.0.0.1 is not public: 127.0.0.0/8 is loopback")
    }
}

extension CIDR {
    /// The highest address of the block.
    fileprivate var last: IPAddress {
        switch first {
        case .v4(let value): .v4(value | (UInt32.max >> prefixLength))
        case .v6(let high, let low):
            .v6(high: high | (UInt64.max >> prefixLength), low: low | (UInt64.max >> max(0, prefixLength - 64)))
        }
    }
}
