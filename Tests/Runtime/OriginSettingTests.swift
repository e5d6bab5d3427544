import Testing

@testable import TidingsServer

/// An origin that no browser sends would never match, and no page would say why.
@Suite struct OriginSettingTests {
    private static func origins(_ text: String) throws -> Set<String>? {
        try APISettings(environment: [APISettings.originsName: text], standardListen: APISettings.standardListen)?.origins
    }

    @Test(arguments: [
        "https://app.example.com", "http://localhost:3000", "https://app.example.com:8443", "capacitor://localhost", "http://[::1]:8080",
        "https://xn--bcher-kva.example", "https://[::1]", "https://app.example.com:1", "https://app.example.com:65535",
        "chrome-extension://abcdefghijklmnop", "http://localhost:443",
    ])
    func anOriginIsTaken(_ origin: String) throws {
        #expect(try Self.origins(origin) == [origin])
    }

    @Test(arguments: [
        "app.example.com", "https://", "://app.example.com", "https://app.example.com/", "https://App.example.com",
        "HTTPS://app.example.com", "https://app.example.com:", "https://:8443", "https://app.example.com:443",
        "http://app.example.com:80", "https://*.example.com", "*", "null", "https://me@app.example.com", "https://bücher.example",
        "https://app.example.com?x", "https://app.example.com\\", "https://app.example.com:0", "https://app.example.com:65536",
        "https://app.example.com:08443", "https://app.example.com:+1", "https://app.example.com:-1", "https://app.example.com:80a",
        "https://app.example.com:8443:1", "1https://app.example.com", "ht_tp://app.example.com", "https:x://app.example.com",
        "https://[::1", "https://::1]", "https://[::1]8443", "https://[::1]:", "https://[::1]:443", "https://[[::1]]", "https://[]",
        "https://a]", "https://::1",
    ])
    func aTextThatNoBrowserSendsIsRefused(_ origin: String) throws {
        let failure = #expect(throws: Failure.self) { try Self.origins(origin) }
        #expect(failure?.code == .config && failure?.message.contains(origin) == true, "\(String(describing: failure))")
    }

    @Test func noOriginIsNone() throws {
        #expect(try Self.origins("") == [])
    }
}
