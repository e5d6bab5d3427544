import Testing
import TidingsCore

/// Addresses as people write them, and their canonical forms.
@Suite struct AddressTests {
    @Test func theWordOfAKindIsThatOfItsChannel() {
        for kind in AddressKind.allCases { #expect(Channel(rawValue: kind.rawValue) != nil, "\(kind)") }
    }

    @Test(
        arguments: [
            (.email, "ann@example.com", "ann@example.com"), (.email, " Ann.Lee+news@Example.COM\n", "ann.lee+news@example.com"),
            (.email, "o'hara{1}@xn--bcher-kva.example", "o'hara{1}@xn--bcher-kva.example"), (.email, "a@b.co", "a@b.co"),
            (.sms, "+14155550123", "+14155550123"), (.sms, "+1 (415) 555-01.23", "+14155550123"),
            (.sms, "\t+44 20 7946 0958", "+442079460958"), (.webhook, "https://example.com/a", "https://example.com/a"),
            (.webhook, "HTTPS://Example.com:8443", "https://example.com:8443"),
            (.webhook, "https://EXAMPLE.com?Key=A#B", "https://example.com?Key=A#B"), (.webhook, "https://h/A:B", "https://h/A:B"),
        ] as [(AddressKind, String, String)])
    func oneAddressHasOneCanonicalForm(_ kind: AddressKind, _ written: String, _ identity: String) throws {
        let address = try Address(kind, written)
        #expect(address.kind == kind && address.value == DeviceToken.trimmed(written) && address.identity == identity)
        let again = try Address(kind, identity)
        #expect(again.identity == identity, "the canonical form is its own")
    }

    @Test(
        arguments: [
            (.email, "ann"), (.email, "ann@"), (.email, "@example.com"), (.email, "a@b@example.com"), (.email, "ann@example"),
            (.email, "ann@.com"), (.email, "ann@example..com"), (.email, "ann@-example.com"), (.email, "ann@example.com."),
            (.email, "ann@127.0.0.1"), (.email, "ann@[127.0.0.1]"), (.email, "ann lee@example.com"), (.email, "\"ann\"@example.com"),
            (.email, ".ann@example.com"), (.email, "ann..lee@example.com"), (.email, "ann@exam_ple.com"), (.email, "Ann <ann@example.com>"),
            (.email, "ann@example.com\r\nBcc: eve@example.com"), (.email, "ann@b\u{fc}cher.example"), (.email, "a\u{301}nn@example.com"),
            (.email, "\(String(repeating: "a", count: 65))@example.com"), (.email, "a@\(String(repeating: "b", count: 64)).com"),
            (.email, "a@\(String(repeating: "b.", count: 130))com"),
            (.sms, "4155550123"), (.sms, "004414155550123"), (.sms, "+1 415 555 CALL"), (.sms, "+44 (0)20 7946 0958"),
            (.sms, "+44 ( 0 ) 20 7946 0958"), (.sms, "+123456"),
            (.sms, "+1234567890123456"), (.sms, "+0123456789"), (.sms, "+1+4155550123"), (.sms, "+"), (.sms, "+1\u{a0}4155550123"),
            (.webhook, "https://example.com/a b"), (.webhook, "https://example.com/\u{e9}"), (.webhook, ""), (.webhook, " "),
            (.webhook, "https://example.com/\(String(repeating: "x", count: 2_048))"),
        ] as [(AddressKind, String)])
    func aTextThatReachesNobodyIsNoAddress(_ kind: AddressKind, _ written: String) {
        let fault = #expect(throws: Address.Fault.self) { try Address(kind, written) }
        // The reason goes into answers and logs, so it must not repeat the address.
        #expect(fault?.description.contains(written) != true || written.count <= 1, "\(fault?.description ?? "")")
    }
}
