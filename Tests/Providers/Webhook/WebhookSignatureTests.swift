import Testing

@testable import ProviderWebhook

struct WebhookSignatureTests {
    /// The vectors are published with the libraries of Standard Webhooks.
    @Test(arguments: [
        (
            "msg_p5jXN8AQM9LWM0D4loKWxJek", Int64(1_614_265_330), "{\"test\": 2432232314}",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        ),
        (
            "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", Int64(1_674_087_231),
            "{\"type\":\"contact.created\",\"timestamp\":\"2022-11-03T20:26:10.344522Z\","
                + "\"data\":{\"id\":\"1f81eb52-5198-4599-803e-771906343485\"}}",
            "v1,ARw42xaAApl/nxRo+iPGYwSaMQaOwMo2eyH5JBRA+bQ="
        ),
    ])
    func publishedVectors(_ id: String, _ timestamp: Int64, _ body: String, _ expected: String) throws {
        let withPrefix = try WebhookSecret(testSecret)
        let without = try WebhookSecret(String(testSecret.dropFirst(6)))
        #expect(withPrefix == without)
        #expect(webhookSignature(id: id, timestamp: timestamp, body: Array(body.utf8), secrets: [withPrefix]) == expected)
    }

    @Test func everySecretSignsInOrder() throws {
        let other = "whsec_" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let secrets = try WebhookSecret.parse([testSecret, other])
        let both = webhookSignature(id: "a", timestamp: 1, body: [1, 2, 3], secrets: secrets)
        let each = secrets.map { webhookSignature(id: "a", timestamp: 1, body: [1, 2, 3], secrets: [$0]) }
        #expect(both == each.joined(separator: " "))
        #expect(each[0] != each[1])
    }

    @Test func everyPartIsSigned() throws {
        let secrets = [try WebhookSecret(testSecret)]
        let all = Set([
            webhookSignature(id: "a", timestamp: 1, body: [1], secrets: secrets),
            webhookSignature(id: "b", timestamp: 1, body: [1], secrets: secrets),
            webhookSignature(id: "a", timestamp: 2, body: [1], secrets: secrets),
            webhookSignature(id: "a", timestamp: 1, body: [2], secrets: secrets),
        ])
        #expect(all.count == 4)
    }

    @Test func aTextThatIsNoSecretIsRefused() {
        let short = "whsec_" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="  // 22 bytes
        let long = "whsec_" + String(repeating: "AAAA", count: 22)  // 66 bytes
        for (text, problem) in [
            ("whsec_!!!!", WebhookSecret.Problem.notBase64), ("", .wrongLength(0)), (short, .wrongLength(22)), (long, .wrongLength(66)),
        ] {
            #expect(throws: problem) { try WebhookSecret(text) }
            #expect(!problem.description.contains("AAAA"))
        }
        #expect(throws: WebhookSecret.Problem.tooMany(9)) { try WebhookSecret.parse(Array(repeating: testSecret, count: 9)) }
    }

    @Test(arguments: [
        ("019a3c2e-0000-7000-8000-000000000001_0", "019a3c2e-0000-7000-8000-000000000001_0"), ("a.b.c", "a_b_c"), ("é\r\n", "__"),
    ])
    func idsHoldNoFullStop(_ key: String, _ id: String) {
        #expect(webhookID(from: key) == id)
    }
}
