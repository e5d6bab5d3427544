import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsProvider

@testable import ProviderWebPush

/// The token of a device. Anybody may have registered it.
struct PushSubscriptionTests {
    private static let standardPoint = "BCVxsr7N/eNgVRqvHtD0zTZsEc6+VV+JvLexhqUzORcxaOzi6+AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    @Test(arguments: [
        WebPushFixture.token(),
        WebPushFixture.token(point: "\(WebPushFixture.point)=", secret: "\(WebPushFixture.secret)=="),
        WebPushFixture.token(point: standardPoint, secret: "BTBZMqHH6r4Tts7J/aSIgg"),
        WebPushFixture.token(point: "\(standardPoint)=", secret: "BTBZMqHH6r4Tts7J/aSIgg=="),
        """
        { "keys": { "auth": "\(WebPushFixture.secret)", "p256dh": "\(WebPushFixture.point)", "other": 1 },
          "endpoint": "\(WebPushFixture.endpoint)", "expirationTime": 1767225600000, "options": {} }
        """,
    ])
    func theFormsOfBrowsersAndLibrariesAreRead(_ token: String) throws {
        let subscription = try PushSubscription(token: token)
        #expect(subscription.endpoint == WebPushFixture.endpoint && subscription.origin == "https://push.example.net")
        #expect(Base64URL.encode(subscription.key.point) == WebPushFixture.point)
        #expect(Base64URL.encode(subscription.secret) == WebPushFixture.secret)
    }

    private static let beside = String(WebPushFixture.point.dropLast(3)) + "iwA"
    private static let compressed = Base64URL.encode([2] + (Base64URL.decode(WebPushFixture.point) ?? [])[1...32])
    private static let hybrid = "Bi" + WebPushFixture.point.dropFirst(2)

    @Test(
        arguments: [
            ("", .notASubscription), ("fcm-token-1", .notASubscription), ("null", .notASubscription), ("17", .notASubscription),
            ("\"text\"", .notASubscription), ("[]", .notASubscription), ("[\(WebPushFixture.token())]", .notASubscription),
            (WebPushFixture.token() + "x", .notASubscription), (#"{"endpoint":"a","endpoint":"b"}"#, .notASubscription),
            (String(repeating: "[", count: 9_000), .notASubscription), (String(repeating: "x", count: 16_385), .tooLong(16_385)),
            ("{}", .notAnEndpoint), (#"{"endpoint":17}"#, .notAnEndpoint), (#"{"endpoint":["https://a.test"]}"#, .notAnEndpoint),
            (#"{"endpoint":"https://a.test"}"#, .missing("p256dh")), (#"{"endpoint":"https://a.test","keys":[]}"#, .missing("p256dh")),
            (#"{"endpoint":"https://a.test","keys":{"p256dh":1}}"#, .missing("p256dh")),
            ("{\"endpoint\":\"https://a.test\",\"keys\":{\"p256dh\":\"\(WebPushFixture.point)\"}}", .missing("auth")),
            (
                WebPushFixture.token(endpoint: "https://a.test:0/"),
                .unusableEndpoint("the URL has a port that is not a number from 1 to 65535")
            ),
            (WebPushFixture.token(endpoint: "ftp://a.test/"), .notAnEndpoint),
            (WebPushFixture.token(point: WebPushFixture.secret, secret: WebPushFixture.point), .swappedKeys),
            (WebPushFixture.token(point: "a b"), .notBase64("p256dh")),
            (WebPushFixture.token(point: "\(WebPushFixture.point)==="), .notBase64("p256dh")),
            (WebPushFixture.token(secret: "BTBZMqHH6r4Tts7J_aSIg!"), .notBase64("auth")),
            (WebPushFixture.token(secret: "é"), .notBase64("auth")),
            (WebPushFixture.token(point: ""), .unusableKey(.wrongLength(0, of: 65))),
            (WebPushFixture.token(point: compressed), .unusableKey(.wrongLength(33, of: 65))),
            (WebPushFixture.token(point: hybrid), .unusableKey(.notUncompressed)),
            (WebPushFixture.token(point: beside), .unusableKey(.notOnTheCurve)),
            (WebPushFixture.token(secret: ""), .secretLength(0)), (WebPushFixture.token(secret: "BTBZMqHH6r4Tts7J_aSI"), .secretLength(15)),
            (WebPushFixture.token(secret: "BTBZMqHH6r4Tts7J_aSIggAA"), .secretLength(18)),
        ] as [(String, PushSubscription.Problem)])
    func aTextThatIsNoSubscriptionIsAMalformedToken(_ token: String, _ problem: PushSubscription.Problem) {
        let error = #expect(throws: Refusal.self) { try PushSubscription(of: .webOrder(token: token)) }
        #expect(error?.result.outcome == .rejected(.tokenMalformed))
        #expect(error?.result.detail == problem.description)
        for secret in [WebPushFixture.endpoint, WebPushFixture.secret, WebPushFixture.point, "a.test"] {
            #expect(!problem.description.contains(secret))
        }
    }

    @Test func aDeliveryWithoutATokenHasNoAddress() {
        let error = #expect(throws: Refusal.self) { try PushSubscription(of: .webOrder(token: nil)) }
        #expect(error?.result.outcome == .rejected(.noAddress))
    }

    /// The origin has the rules of RFC 6454, section 6.2.
    @Test(arguments: [
        ("https://push.example.net/a/b?c#d", "https://push.example.net/a/b?c", "https://push.example.net"),
        ("HTTPS://Push.Example.NET/A", "https://push.example.net/A", "https://push.example.net"),
        ("https://a.test", "https://a.test/", "https://a.test"), ("https://a.test:443/x", "https://a.test/x", "https://a.test"),
        ("https://a.test:8443/x", "https://a.test:8443/x", "https://a.test:8443"),
        ("http://127.0.0.1:4711/webpush/push/x", "http://127.0.0.1:4711/webpush/push/x", "http://127.0.0.1:4711"),
    ])
    func theEndpointHasOneFormAndAnOrigin(_ written: String, _ endpoint: String, _ origin: String) throws {
        let subscription = try WebPushFixture.subscription(endpoint: written)
        #expect(subscription.endpoint == endpoint && subscription.origin == origin)
    }

    @Test(arguments: [
        "", "push.example.net", "/wpush/v2/x", "//push.example.net/x", "ftp://a.test/x", "javascript:alert(1)", "https:///x", "https://",
        "https://user@a.test/x", "https://a.test:x/", "https://a.test:99999/", "https://a.test:/", "https://:443/", "https://a.test/ x",
        "https://a.test/\u{e9}", "https://a\nb.test/", "https://a.test:0/x", "https://a.test./x", "https://127.1/x", "capability://x",
        "https://permanently-removed.invalid/fcm/send/capability",
    ])
    func aURLThatCannotBeCalledIsNoEndpoint(_ endpoint: String) {
        let problem = #expect(throws: PushSubscription.Problem.self) { try WebPushFixture.subscription(endpoint: endpoint) }
        #expect(problem?.description.contains("capability") == false)
    }

    /// The push service is judged by the guard of the binding, in words that hold nothing of the endpoint.
    @Test(arguments: [
        ("http://push.example.net/capability", "its scheme is not https"), ("https://push.example.net:9000/capability", "its port"),
        ("https://10.0.0.5/capability", "its address is not public"), ("https://localhost/capability", "its address is not public"),
        ("https://push.example.net/x", nil), ("https://push.example.net:8443/x", nil),
    ])
    func anEndpointIsJudgedByTheGuardOfTheBinding(_ endpoint: String, _ words: String?) throws {
        let token = try Self.stored(WebPushFixture.token(endpoint: endpoint)).text
        func problem(_ settings: [String: String]) -> String? {
            let binding = ProviderBinding(name: "browsers", channel: .push, kind: "webpush", settings: settings, addressing: .device)
            return WebPushProviderFactory.problem(ofEndpoint: token, binding: binding, environment: [:])
        }
        let found = problem([:])
        #expect((found == nil) == (words == nil) && found?.contains(words ?? "") != false, "\(found ?? "none")")
        for part in ["capability", "push.example", "10.0.0.5", "9000"] { #expect(found?.contains(part) != true) }
        #expect(problem(["allowHTTP": "true", "allowedPorts": "any", "allowedNetworks": "10.0.0.0/8, 127.0.0.0/8"]) == nil)
        #expect(problem(["allowedPorts": "many"]) == nil, "settings that cannot be read refuse nothing")
    }

    // MARK: The form that is stored

    private static func stored(_ written: String) throws -> DeviceToken { try WebPushProviderFactory.deviceToken(written) }

    private static let asStored =
        "{\"endpoint\":\"\(WebPushFixture.endpoint)\",\"keys\":{\"p256dh\":\"\(WebPushFixture.point)\",\"auth\":\"\(WebPushFixture.secret)\"}}"

    @Test(arguments: [
        asStored, WebPushFixture.token(), " \(WebPushFixture.token())\n",
        WebPushFixture.token(endpoint: WebPushFixture.endpoint + "#section"),
        WebPushFixture.token(endpoint: WebPushFixture.endpoint.replacing("https://push.example.net", with: "HTTPS://PUSH.example.net:443")),
        WebPushFixture.token(endpoint: WebPushFixture.endpoint.replacing("/", with: "\\/")),
        WebPushFixture.token(point: "\(standardPoint)=", secret: "BTBZMqHH6r4Tts7J/aSIgg=="),
        """
        {
          "keys": { "auth": "\(WebPushFixture.secret)", "p256dh": "\(WebPushFixture.point)" },
          "expirationTime": 1767225600000,
          "endpoint": "\(WebPushFixture.endpoint)"
        }

        """,
    ])
    func aSubscriptionIsStoredInOneForm(_ written: String) throws {
        let token = try Self.stored(written)
        #expect(token.text == Self.asStored && token.identity == WebPushFixture.endpoint && token.platform == .web)
    }

    @Test func newKeysBelongToTheSameDevice() throws {
        let other = P256PrivateKey().publicKey
        let renewed = try Self.stored(
            WebPushFixture.token(point: Base64URL.encode(other.point), secret: Base64URL.encode([UInt8](repeating: 7, count: 16))))
        #expect(renewed.identity == WebPushFixture.endpoint && renewed.text != Self.asStored)
    }

    @Test(arguments: [
        WebPushFixture.endpoint + "A", WebPushFixture.endpoint.uppercased(), WebPushFixture.endpoint + "?v=2",
        WebPushFixture.endpoint.replacing("net/", with: "net:8443/"),
    ])
    func anotherPathOrPortIsAnotherDevice(_ endpoint: String) throws {
        #expect(try Self.stored(WebPushFixture.token(endpoint: endpoint)).identity != WebPushFixture.endpoint)
    }

    @Test func swappedKeysAreNamed() {
        let swapped = WebPushFixture.token(point: WebPushFixture.secret, secret: WebPushFixture.point)
        let fault = #expect(throws: DeviceToken.Fault.self) { try Self.stored(swapped) }
        #expect(fault?.description == "the subscription's keys.p256dh and keys.auth are swapped")
    }

    @Test func anEndpointThatCannotBeStoredIsRefused() {
        let long = WebPushFixture.token(endpoint: "https://push.example.net/" + String(repeating: "x", count: 4_000))
        #expect(throws: DeviceToken.Fault.self) { try Self.stored(long) }
    }
}
