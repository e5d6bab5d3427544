import Testing
import TidingsCore
import TidingsJSON

@testable import TidingsStore

/// Addresses as a backend sees them that may not use them.
@Suite struct AddressMaskTests {
    @Test(
        arguments: [
            ("80f9c2e1d4b7a6f5aabbccdd", nil, "…aabbccdd"), ("a-token-that-is-short", nil, "…"), ("", nil, "…"),
            ("https://hooks.example.com/services/T0/B0/secret", nil, "https://hooks.example.com/…"),
            ("https://hooks.example.com:8443?key=secret", nil, "https://hooks.example.com:8443/…"),
            ("HTTPS://Hooks.example.com#secret", nil, "https://Hooks.example.com/…"),
            ("http://name:secret@10.0.0.1/x", nil, "http://10.0.0.1/…"), ("https://name:sec@ret@host/x", nil, "https://host/…"),
            ("https://", nil, "…"), ("https:///secret-path-of-a-webhook", nil, "…"),
            (#"{"endpoint":"https://push.test/w/gAAA","keys":{"auth":"secret"}}"#, "https://push.test/w/gAAA", "https://push.test/…"),
            (#"{"endpoint":"https://push.test/w/gAAA","keys":{"auth":"secret"}}"#, nil, "…"),
        ] as [(String, String?, String)])
    func anAddressIsRecognisedAndNotUsed(address: String, identity: String?, shown: String) {
        let masked = AddressMask.masked(address, identity: identity)
        #expect(masked == shown && !masked.contains("secret"))
    }

    @Test(
        arguments: [
            (.email, "ann@example.com", "a…@example.com"), (.email, "a@b.example", "a…@b.example"), (.email, "secret", "…"),
            (.sms, "+14155550123", "…0123"), (.sms, "+1 (415) 555-01.23", "…0123"),
            (.webhook, "https://example.com/secret@home", "https://example.com/…"), (.webhook, "no-url-and-yet-long-enough", "…"),
            (.push, "80f9c2e1d4b7a6f5aabbccdd", "…aabbccdd"),
        ] as [(Channel, String, String)])
    func theChannelSaysHowMuchIsShown(channel: Channel, address: String, shown: String) {
        #expect(AddressMask.masked(address, on: channel) == shown)
    }

    /// Under another name the value would stay as it is.
    @Test func anAddressWithoutItsKindIsRefused() throws {
        for text in [#"{"kind":"email","address":"ann@example.com"}"#, #"{"value":"ann@example.com"}"#] {
            let row = try JSON.parse(text)
            #expect(throws: ReportError.self, "\(text)") { try AddressMask.mask(address: row) }
        }
    }

    /// An operator sees tokens and URLs whole.
    @Test func contactsAreMaskedForAnOperator() throws {
        let endpoints = try JSON.parse(
            #"[{"channel":"email","address":"ann@example.com","secrets":0},{"channel":"webhook","address":"https://a/b","secrets":1}]"#)
        let masked = try AddressMask.maskContacts(in: endpoints.arrayValue ?? [])
        let addresses = masked.arrayValue?.map { $0["address"]?.stringValue }
        #expect(addresses == ["a…@example.com", "https://a/b"] && masked.arrayValue?.last?["secrets"] == 1)
        let lost = try JSON.parse(#"{"address":"ann@example.com"}"#)
        #expect(throws: ReportError.self) { try AddressMask.maskContacts(in: [lost]) }
    }

    @Test func anEndpointKeepsItsOtherMembers() throws {
        let endpoint = try JSON.parse(#"{"id":"d","address":"80f9c2e1d4b7a6f5aabbccdd","identity":null,"permission":"denied"}"#)
        let masked = try AddressMask.mask(endpoints: [endpoint], showingAddresses: false)
        #expect(masked == (try JSON.parse(#"[{"id":"d","address":"…aabbccdd","permission":"denied"}]"#)))
        let whole = try AddressMask.mask(endpoints: [endpoint], showingAddresses: true)
        #expect(whole.arrayValue?.first?["address"]?.stringValue == "80f9c2e1d4b7a6f5aabbccdd")
        #expect(whole.arrayValue?.first?["identity"] == nil)
    }

    /// Under another name the address would stay as it is.
    @Test(arguments: ["address", "identity"], [true, false])
    func anEndpointWithoutItsAddressIsRefused(member: String, isWhole: Bool) throws {
        var members = JSONObject()
        for name in ["id", "address", "identity"] { members[name] = "https://hooks.example.com/secret" }
        let value = members[member]
        members[member] = nil
        members["\(member)_text"] = value
        let endpoint = JSON.object(members)
        let error = #expect(throws: ReportError.self) { try AddressMask.mask(endpoints: [endpoint], showingAddresses: isWhole) }
        #expect(error?.column == member)
    }
}
