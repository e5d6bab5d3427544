import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderJSONOverHTTP

/// The address and the headers of a call.
struct HTTPAddressTests {
    private func url(_ template: String, for item: OutgoingDelivery = .orderShipped()) throws -> String {
        try HTTPService.request(["url": template], for: item).url
    }

    @Test(arguments: [
        ("https://dmp.example.com", "https://dmp.example.com"), ("http://10.0.0.7:8080/v1/", "http://10.0.0.7:8080/v1/"),
        ("https://[::1]:8443/a//b?c=d?e", "https://[::1]:8443/a//b?c=d?e"),
        ("https://dmp.example.com?to={{recipient}}", "https://dmp.example.com?to=a%2Fb%3Fc%23d%20%C3%A9"),
        ("https://dmp.example.com/{{ recipient }}/x", "https://dmp.example.com/a%2Fb%3Fc%23d%20%C3%A9/x"),
        (
            "https://dmp.example.com/u-{{recipient}}.{{type}}?t={{title}}&n={{badge}}&q={{data.q}}",
            "https://dmp.example.com/u-a%2Fb%3Fc%23d%20%C3%A9.orderUpdate?t=&n=&q=1%262%3D3"
        ),
    ])
    func valuesAreEncodedWhereTheyStand(_ template: String, _ expected: String) throws {
        #expect(try url(template, for: .orderShipped(recipient: "a/b?c#d é", title: nil, data: #"{"q":"1&2=3"}"#)) == expected)
    }

    @Test func onlyUnreservedCharactersStay() {
        let ascii = String(decoding: UInt8(0)...0x7F, as: UTF8.self)
        let kept = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        #expect(ascii.filter { percentEncoded(String($0)) == String($0) } == kept)
        #expect(percentEncoded("\u{0}\r\n%/") == "%00%0D%0A%25%2F")
    }

    @Test(arguments: [".", ".."])
    func aValueCannotLeaveItsPlaceInThePath(_ recipient: String) throws {
        #expect(throws: Refusal(.providerRejected, "the path of the URL would have the segment \"\(recipient)\"")) {
            try url("https://dmp.example.com/users/{{recipient}}/pushes", for: .orderShipped(recipient: recipient))
        }
        #expect(try url("https://dmp.example.com/u{{recipient}}", for: .orderShipped(recipient: recipient)).hasSuffix("/u\(recipient)"))
    }

    @Test func aPathLacksNothing() throws {
        #expect(throws: Refusal(.providerRejected, "the path of the URL needs data.order.id, which this delivery does not have")) {
            try url("https://dmp.example.com/orders/{{data.order.id}}")
        }
        #expect(throws: Refusal.noAddress) { try url("https://dmp.example.com/devices/{{address}}/pushes") }
    }

    @Test func aBindingForEndpointsNeedsAnAddress() throws {
        let configuration = try HTTPService.configuration([:], addressing: .device)
        #expect(throws: Refusal.noAddress) { try configuration.request(for: .orderShipped(), channel: .push) }
        #expect(Refusal.noAddress.result.outcome == .rejected(.noAddress))
        #expect(throws: Never.self) { try configuration.request(for: .orderShippedInFull(), channel: .push) }
    }

    @Test func aLongURLIsRefusedWithItsSize() throws {
        let start = "https://dmp.example.com/"
        let room = URLTemplate.maximumBytes - start.utf8.count
        let template = start + "{{recipient}}"
        #expect(try url(template, for: .orderShipped(recipient: String(repeating: "x", count: room))).utf8.count == 8_000)
        #expect(throws: Refusal(.payloadTooLarge, "the URL has 8001 bytes; the service takes 8000")) {
            try url(template, for: .orderShipped(recipient: String(repeating: "x", count: room + 1)))
        }
    }

    /// A letter outside of ASCII has two bytes, and six in a URL.
    @Test func aTextThatMakesTheURLTooLongIsShortened() throws {
        let template = "https://dmp.example.com/?text={{body}}"
        let item = OutgoingDelivery.orderShipped(body: String(repeating: "é", count: 3_000))
        let address = try url(template, for: item)
        #expect((7_990...8_000).contains(address.utf8.count) && address.hasSuffix("%C3%A9%E2%80%A6"))
    }

    /// A path needs its body: without one the URL would name another resource.
    @Test func aTextInThePathIsShortenedAndStays() throws {
        let template = "https://sms.example/send/{{recipient}}/{{body}}"
        let long = String(repeating: "x", count: 9_000)
        let configuration = try HTTPService.configuration(["method": "GET", "url": template])
        let fitted = try configuration.request(for: .orderShipped(title: nil, body: long), channel: .sms)
        #expect(fitted.message.url.utf8.count == 8_000 && fitted.message.url.hasSuffix("xx%E2%80%A6"))
        #expect(fitted.note?.hasPrefix("the service takes 8000 bytes for the URL: the body was shortened from 9000 to ") == true)
        for item in [OutgoingDelivery.orderShipped(title: long, body: "hello"), .orderShipped(title: long, body: "h")] {
            let address = try url(template + "?title={{title}}", for: item)
            #expect(address.utf8.count == 8_000 && address.hasSuffix("x%E2%80%A6"))
            #expect(address.hasPrefix("https://sms.example/send/user-42/\(item.body == "h" ? "h" : "h%E2%80%A6")?title=x"))
        }
        let refusal = #expect(throws: Refusal.self) {
            try url(template + "?data={{data.x}}", for: .orderShipped(data: #"{"x":"\#(long)"}"#))
        }
        #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
        #expect(throws: Refusal(.providerRejected, "the path of the URL needs body, which this delivery does not have")) {
            try url(template, for: .orderShipped(body: nil))
        }
    }

    // MARK: Headers

    private func headers(
        _ settings: [String: String], for item: OutgoingDelivery = .orderShipped(), _ environment: [String: String] = [:]
    ) throws -> [String] {
        try HTTPService.request(settings, for: item, environment).headers.map { "\($0.0): \($0.1)" }
    }

    @Test func aPlainCallHasTypeAndKey() throws {
        #expect(
            try headers([:]) == [
                "content-type: application/json", "Idempotency-Key: 019a3c2e-0000-7000-8000-000000000001_0",
            ])
    }

    @Test func headersAreInOrder() throws {
        let settings = [
            "contentType": "application/vnd.dmp+json", "idempotencyHeader": "X-Once", "authorization": "env:DMP",
            "headers": "X-Market: se\n\n  X-User : {{recipient}}/{{data.total}} \r\nX-Api-Key: env:KEY\nX-Badge: {{badge}}",
        ]
        #expect(
            try headers(settings, for: .orderShippedInFull(), ["DMP": "Bearer {{title}}", "KEY": "k1\n"]) == [
                "content-type: application/vnd.dmp+json", "X-Once: 019a3c2e-0000-7000-8000-000000000001_0",
                "authorization: Bearer {{title}}", "X-Market: se", "X-User: user-42/1.50", "X-Api-Key: k1", "X-Badge: 7",
                "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            ])
    }

    @Test func aMissingValueGivesNoHeader() throws {
        #expect(try headers(["idempotencyHeader": "none", "headers": "X-Badge: {{badge}}"]) == ["content-type: application/json"])
    }

    @Test func aTraceparentOfTheOperatorsGoesFirst() throws {
        let found = try headers(["headers": "Traceparent: fixed"], for: .orderShippedInFull()).filter { $0.lowercased().contains("trace") }
        #expect(found == ["Traceparent: fixed"])
    }

    @Test(arguments: [("GET", false), ("DELETE", false), ("POST", true), ("PUT", true), ("PATCH", true)])
    func onlySomeMethodsHaveABody(_ method: String, _ hasBody: Bool) throws {
        let request = try HTTPService.request(["method": method])
        #expect(request.method == method)
        #expect(request.body.isEmpty == !hasBody)
        #expect(request.headers.contains { $0.0 == "content-type" } == hasBody)
    }

    @Test func timesAndTrustAreTheCallSettings() throws {
        let request = try HTTPService.request(["timeoutSeconds": "7", "connectTimeoutSeconds": "2"])
        #expect(request.totalTimeout == .seconds(7) && request.connectTimeout == .seconds(2))
        #expect(request.guarding.allowedSchemes == ["http", "https"] && request.guarding.allowedPorts == nil)
    }
}
