import Testing
import TidingsCore

@Suite struct DeviceTokenTests {
    @Test(arguments: [
        ("0a1b", "0a1b"), ("fcm:APA91b+/=", "fcm:APA91b+/="), (" token\n", "token"), ("\r\n\ttoken \r\n", "token"),
        ("\u{a0}token\u{2003}", "token"), ("CaseMatters", "CaseMatters"),
        (String(repeating: "x", count: 4_096), String(repeating: "x", count: 4_096)),
    ])
    func onlyTheWhiteSpaceAroundIsDropped(_ written: String, _ stored: String) throws {
        let token = try DeviceToken(written)
        #expect(token.text == stored && token.identity == stored && token.platform == nil)
    }

    @Test func anIdentityIsKeptBesideTheText() throws {
        let token = try DeviceToken("https://push.test/1#key", identity: "https://push.test/1")
        #expect(token.text == "https://push.test/1#key" && token.identity == "https://push.test/1")
    }

    @Test(arguments: [
        "", " ", "\n", "two words", "line\nbreak", "tab\tstop", "é", "\u{7F}", "\u{FEFF}token", "tok\u{0}en", "token\u{0301}",
        String(repeating: "x", count: 4_097),
    ])
    func aTextThatCannotBeStoredIsNoToken(_ written: String) {
        let fault = #expect(throws: DeviceToken.Fault.self) { try DeviceToken(written) }
        #expect(fault?.description.contains("printable ASCII") == true)
    }
}
