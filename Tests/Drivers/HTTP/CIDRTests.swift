import Testing

@testable import TidingsHTTP

struct CIDRTests {
    @Test(arguments: [
        "10.0.0.0/8", "0.0.0.0/0", "255.255.255.255/32", "127.0.0.1", "::/0", "::1/128", "fc00::/7", "64:ff9b::/96", "2001:db8::/64",
    ])
    func aBlockIsRead(_ text: String) {
        #expect(CIDR(text) != nil)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8", "10/8", "0x0a000000/8", "::1/64",
        "::/129",
        "fe80::%eth0/10", "localhost/8", "10.0.0.0/8 ",
    ])
    func aTextThatIsNoBlockIsRefused(_ text: String) {
        #expect(CIDR(text) == nil)
    }

    @Test func aBlockHoldsItsEndsAndNothingElse() throws {
        let block = try #require(CIDR("192.168.4.0/22"))
        for (text, expected) in [
            ("192.168.3.255", false), ("192.168.4.0", true), ("192.168.7.255", true), ("192.168.8.0", false), ("::1", false),
        ] {
            #expect(block.contains(try #require(IPAddress(text))) == expected, "\(text)")
        }
        let wide = try #require(CIDR("2001:db8:0:8000::/49"))
        for (text, expected) in [
            ("2001:db8:0:7fff::", false), ("2001:db8:0:8000::", true), ("2001:db8:0:ffff::1", true), ("2001:db8:1::", false),
        ] {
            #expect(wide.contains(try #require(IPAddress(text))) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        "2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1", "127.0.1", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ",
        "::1%lo", "",
    ])
    func addressesHaveOneSpelling(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::ff00:42:8329", "::ffff:10.0.0.1", "0.0.0.0", "::"])
    func addressesPrintAsTheyAreRead(_ text: String) {
        #expect(IPAddress(text)?.description == text)
    }
}
