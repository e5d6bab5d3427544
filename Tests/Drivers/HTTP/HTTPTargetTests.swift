import Testing

@testable import TidingsHTTP

struct HTTPTargetTests {
    @Test(arguments: [
        ("https://example.com", "https://example.com:443/"),
        ("HTTPS://EXAMPLE.com/A?b=C", "https://example.com:443/A?b=C"),
        ("https://example.com:8443/hook", "https://example.com:8443/hook"),
        ("https://example.com?x=1", "https://example.com:443/?x=1"),
        ("https://example.com/a#part", "https://example.com:443/a"),
        ("https://example.com/@b?u=http://x@y", "https://example.com:443/@b?u=http://x@y"),
        ("https://1.2.3.4/", "https://1.2.3.4:443/"),
        ("https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443/"),
        ("https://a_b-c.xn--p1ai/", "https://a_b-c.xn--p1ai:443/"),
        ("https://localhost/", "https://localhost:443/"),
    ])
    func aURLOfHTTPIsAccepted(_ given: String, _ expected: String) throws {
        #expect(try HTTPTarget.parse(given, guarding: AddressGuard()).get().url == expected)
    }

    @Test(arguments: [
        // Other spellings of 127.0.0.1 that resolvers accept.
        "https://2130706433/", "https://0x7f000001/", "https://0x7F.1/", "https://127.1/", "https://0177.0.0.1/", "https://127.0.0.1./",
        "https://0x7f.0x0.0x0.0x1/", "https://127.0.0.01/", "https://1.2.3.4.5/", "https://example.123/",
        // URLs whose host is ambiguous.
        "https://user@example.com/", "https://user:pass@example.com/", "https://example.com@127.0.0.1/", "https://127.0.0.1\\@example.com/",
        "https://example.com\\.evil/", "https://exa%6dple.com/", "https://[::1", "https://[::1]x/", "https://[127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://::1/", "https://example.com:443:443/",
        // Texts that are not a URL of the accepted form.
        "", "example.com", "//example.com/", "https:/example.com", "https:example.com", "https://", "https:///path", "https://:443/",
        "https://example..com/", "https://example.com./", "https://.example.com/", "https://exam ple.com/", "https://example.com/a b",
        "https://example.com/\r\nx: y", "https://example.com/\u{0}", "https://bücher.example/", "https://example.com/ü",
        "https://１２７.0.0.1/",
        "https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://example.com:+443/",
        "https://example.com:44a/",
    ])
    func aMalformedURLIsRefused(_ given: String) {
        let failure = failure(of: given)
        #expect(failure?.kind == .invalidURL, "\(given): \(failure.map(\.description) ?? "accepted")")
        #expect(failure?.requestMayHaveArrived == false)
    }

    @Test func aLongURLAndALongHostAreRefused() {
        let limit = HTTPTarget.maximumURLBytes
        let atLimit = "https://example.com/" + String(repeating: "a", count: limit - 20)
        #expect(failure(of: atLimit) == nil)
        #expect(failure(of: atLimit + "a")?.kind == .invalidURL)
        #expect(failure(of: "https://\(String(repeating: "a", count: 64)).com/")?.kind == .invalidURL)
        #expect(failure(of: "https://\(String(repeating: "abcdefg.", count: 32))com/")?.kind == .invalidURL)
    }

    @Test(arguments: ["http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript://x"])
    func aSchemeThatTheGuardForbidsIsRefused(_ given: String) {
        #expect(failure(of: given)?.kind == .schemeRefused)
    }

    @Test func aTargetIsOfHTTPWhateverTheGuardAllows() {
        let guarding = AddressGuard(allowedSchemes: ["file", "ftp", "http"], allowedPorts: nil)
        #expect(failure(of: "file:///etc/passwd", guarding)?.kind == .schemeRefused)
        #expect(failure(of: "ftp://example.com/", guarding)?.kind == .schemeRefused)
        #expect(failure(of: "http://example.com/", guarding) == nil)
    }

    @Test(arguments: ["https://example.com:80/", "https://example.com:22/", "https://example.com:65535/"])
    func aPortThatTheGuardForbidsIsRefused(_ given: String) {
        #expect(failure(of: given)?.kind == .portRefused)
        #expect(failure(of: given, AddressGuard(allowedPorts: nil)) == nil)
    }

    /// RFC 3986 section 6.2.2.1 and 6.2.3, and RFC 6454 section 6.2. The path and the query keep their bytes.
    @Test(arguments: [
        ("https://push.example.net/a/b?c#d", "https://push.example.net/a/b?c", "https://push.example.net"),
        ("HTTPS://Push.Example.NET/A", "https://push.example.net/A", "https://push.example.net"),
        ("https://a.test", "https://a.test/", "https://a.test"), ("https://a.test#d", "https://a.test/", "https://a.test"),
        ("https://a.test?q", "https://a.test/?q", "https://a.test"), ("https://a.test:443/x%2f", "https://a.test/x%2f", "https://a.test"),
        ("http://a.test:80/x", "http://a.test/x", "http://a.test"),
        ("https://a.test:8443/x", "https://a.test:8443/x", "https://a.test:8443"),
        ("https://a.test:80/x", "https://a.test:80/x", "https://a.test:80"),
        ("http://a.test:443/x", "http://a.test:443/x", "http://a.test:443"),
        ("https://[2001:DB8::1]/x", "https://[2001:db8::1]/x", "https://[2001:db8::1]"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443"),
    ])
    func aTargetHasOneNormalForm(_ given: String, _ normal: String, _ origin: String) throws {
        let target = try HTTPTarget(given)
        #expect(target.normalURL == normal && target.normalOrigin == origin)
        #expect(try HTTPTarget(normal).normalURL == normal)
    }

    @Test(arguments: [
        ("ftp://a.test/", HTTPFailure.Kind.schemeRefused), ("https://127.1/", .invalidURL), ("https://a.test:0/", .invalidURL),
        ("https://permanently-removed.invalid/fcm/send/x", .invalidURL), ("https://INVALID/", .invalidURL),
    ])
    func aURLThatCannotBeRequestedHasNoNormalForm(_ given: String, _ kind: HTTPFailure.Kind) {
        let failure = #expect(throws: HTTPFailure.self) { try HTTPTarget(given) }
        #expect(failure?.kind == kind)
    }

    @Test(arguments: [
        ("http://shop.example/h", HTTPFailure.Kind.schemeRefused), ("https://shop.example:9443/h", .portRefused),
        ("https://10.0.0.5/h", .addressRefused), ("https://169.254.169.254/", .addressRefused), ("https://[fd00::1]/", .addressRefused),
        ("https://[::ffff:10.0.0.5]/", .addressRefused), ("https://localhost/h", .addressRefused),
        ("https://a.localhost/", .addressRefused), ("shop.example", .invalidURL),
    ])
    func aGuardJudgesAURLBeforeARequest(_ url: String, _ kind: HTTPFailure.Kind) {
        #expect(AddressGuard().refusal(ofURL: url)?.kind == kind)
        #expect(AddressGuard().refusal(ofURL: url)?.requestMayHaveArrived == false)
    }

    @Test(arguments: ["https://shop.example/h", "https://shop.example:8443/h", "https://1.1.1.1/", "https://notlocalhost/"])
    func aURLThatMayBeSentToPassesTheGuard(_ url: String) {
        #expect(AddressGuard().refusal(ofURL: url) == nil)
    }

    @Test func aGuardMayAllowMore() throws {
        let loopback = AddressGuard(
            allowedSchemes: ["http", "https"], allowedPorts: nil, allowedNetworks: [try #require(CIDR("127.0.0.0/8"))])
        for url in ["http://127.0.0.1:9/", "http://localhost:8080/", "https://shop.example:9443/"] {
            #expect(loopback.refusal(ofURL: url) == nil, "\(url)")
        }
        #expect(loopback.refusal(ofURL: "http://10.0.0.5/")?.kind == .addressRefused)
    }

    private func failure(of url: String, _ guarding: AddressGuard = AddressGuard()) -> HTTPFailure? {
        if case .failure(let failure) = HTTPTarget.parse(url, guarding: guarding) { failure } else { nil }
    }
}
