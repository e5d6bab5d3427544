import Testing

@testable import TidingsServer

/// An origin that no browser sends would never match, and no page would say why.
@Suite struct OriginSettingTests {
    private static func origins(_ text: String) throws -> Set<String>? {
        try APISettings(environment: [APISettings.originsName: text], standardListen: APISettings.standardListen)?.origins
    }

    @Test(arguments: [
        "https://app.example.com", "http://localhost:3000", "https://app.example.com:8443", "capacitor://localhost", "http://[::1]:8080",
        "https://xn--bcher-kva.example",
    ])
    func anOriginIsTaken(_ origin: String) throws {
        #expect(try Self.origins(origin) == [origin])
    }

    @Test(arguments: [
        "app.example.com", "https://", "://app.example.com", "https://app.example.com/", "https://App.example.com",
        "HTTPS://app.example.com", "https://app.example.com:", "https://:8443", "https://app.example.com:443",
        "http://app.example.com:80", "https://*.example.com", "*", "null", "https://me@app.example.com", "https://bücher.example",
        "https://app.example.com?x",
    ])
    func aTextThatNoBrowserSendsIsRefused(_ origin: String) throws {
        let failure = #expect(throws: Failure.self) { try Self.origins(origin) }
        #expect(failure?.code == .config && failure?.message.contains(origin) == true, "\(String(describing: failure))")
    }

    @Test func noOriginIsNone() throws {
        #expect(try Self.origins("") == [])
    }
}
