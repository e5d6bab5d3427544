import ProviderJSONOverHTTP
import ProviderWebPush
import ProviderWebhook
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsProvider
import TidingsTestSupport

struct HTTPSubject: BindingSubject {
    let kind = "http"
    let factory: any ProviderFactory.Type = HTTPProviderFactory.self
    let environment = ["SECRET": "Bearer in-house-77ab", "KEY": "k1/+k2=k3 and more"]
    let address: String? = "device/token 7"
    var secrets: [String] { Array(environment.values) + ["in-house-77ab", "device/token 7"] }

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "authorization": "env:SECRET", "headers": "X-Key: env:KEY\nX-Thread: {{groupKey}}\nX-Replaces: {{collapseKey}}",
            "url": "\(service.origin)/push/{{address}}?to={{address}}",
            "body": #"{"to":"{{address}}","text":"{{body}}"}"#, "messageIdPath": "/id",
            "certificateAuthorities": service.certificateAuthorityFile,
            "timeoutSeconds": "\(Patience.scaled(2))", "successPath": "/ok", "successValue": "true",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted: ConformanceAnswer(200, #"{"ok":true,"id":"1"}"#)
        case .throttled: ConformanceAnswer(429)
        case .unavailable: ConformanceAnswer(503)
        case .rejected: ConformanceAnswer(400)
        case .endpointGone: ConformanceAnswer(410)
        case .misconfigured: ConformanceAnswer(401)
        case .unknown: ConformanceAnswer(200, "<html></html>")
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        ConformanceContent(
            keys: [
                ConformanceKey(.thread, "x-thread", request.headers["x-thread"], .header),
                ConformanceKey(.replacement, "x-replaces", request.headers["x-replaces"], .header),
            ], texts: [(try? JSON.parse(request.body))?["text"]?.stringValue],
            parts: [PartSize("the body", bytes: request.body.count, limit: 262_144, of: "the service")])
    }
}

struct WebPushSubject: BindingSubject {
    let kind = "webpush"
    let factory: any ProviderFactory.Type = WebPushProviderFactory.self
    let key = P256PrivateKey()
    let browser = P256PrivateKey()
    var environment: [String: String] { ["SECRET": Base64URL.encode(key.rawValue)] }
    let unreachable = [ConformanceOutcome.unknown: "RFC 8030 takes every 2xx for success, whatever its body is"]
    private let auth = [UInt8](repeating: 7, count: 16)
    /// The address is a capability: anybody who knows it can send there.
    var secrets: [String] { Array(environment.values) + ["capability/4711-abcdefghijk", "key-of-the-endpoint"] }

    func address(_ service: ConformanceService) -> String? {
        let point = Base64URL.encode(browser.publicKey.point)
        let auth = Base64URL.encode(auth)
        let endpoint = "\(service.origin)/w/capability%2F4711-abcdefghijk?k=key-of-the-endpoint"
        return #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#
    }

    /// The endpoint names the device, whatever its fragment, its other members and its keys are.
    func otherTokens(_ service: ConformanceService) -> OtherTokens? {
        let (point, other) = (Base64URL.encode(browser.publicKey.point), Base64URL.encode(P256PrivateKey().publicKey.point))
        let (auth, otherAuth) = (Base64URL.encode([UInt8](repeating: 7, count: 16)), Base64URL.encode([UInt8](repeating: 8, count: 16)))
        let path = "/w/capability%2F4711-abcdefghijk?k=key-of-the-endpoint"
        func token(_ path: String, _ point: String, _ auth: String, origin: String = service.origin) -> String {
            #"{ "keys": {"auth": "\#(auth)", "p256dh": "\#(point)"}, "expirationTime": null, "endpoint": "\#(origin)\#(path)" }"#
        }
        return OtherTokens(
            spellings: [
                token(path, point, auth), token(path + "#part", point, auth), token(path, other, otherAuth),
                token(path, point, auth, origin: service.origin.uppercased()),
            ],
            others: [token(path + "2", point, auth), token(path.uppercased(), point, auth)],
            malformed: [
                "", "{}", "fcm-token", token(path, auth, point), token(path, point, ""), token(path, "", auth),
                token(path, point, auth, origin: "https://127.1"), token(path, point, auth, origin: "https://a.test:0"),
                token(path, point, auth, origin: "https://permanently-removed.invalid"),
            ])
    }

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "vapidPrivateKey": "env:SECRET", "subject": "mailto:push@example.com", "allowedPorts": "any",
            "allowedNetworks": "127.0.0.0/8", "certificateAuthorities": service.certificateAuthorityFile,
            "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted, .unknown: ConformanceAnswer(201)
        case .throttled: ConformanceAnswer(429)
        case .unavailable: ConformanceAnswer(503)
        case .rejected: ConformanceAnswer(400)
        case .endpointGone: ConformanceAnswer(410)
        case .misconfigured: ConformanceAnswer(401)
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let message = plaintext(of: request.body).flatMap { try? JSON.parse($0) }
        let keys = [
            ConformanceKey(.thread, "groupKey", message?["groupKey"]?.stringValue),
            ConformanceKey(.replacement, "tag", message?["tag"]?.stringValue),
            ConformanceKey(.replacement, "topic", request.headers["topic"], .webPushTopic),
        ]
        return ConformanceContent(
            keys: keys, texts: [message?["title"]?.stringValue, message?["body"]?.stringValue],
            parts: [PartSize("the body", bytes: request.body.count, limit: 4_096, of: "a push service")])
    }

    /// Decrypts a body of one record as the browser does (RFC 8188 section 2, RFC 8291 section 3.4). Nil if that fails.
    private func plaintext(of body: [UInt8]) -> [UInt8]? {
        guard body.count > 86, let sender = try? P256PublicKey(point: Array(body[21..<86])) else { return nil }
        let agreed = hmacSHA256(key: auth, message: browser.sharedSecret(with: sender))
        let info = Array("WebPush: info\0".utf8) + browser.publicKey.point + sender.point + [1]
        let pseudorandom = hmacSHA256(key: Array(body[..<16]), message: hmacSHA256(key: agreed, message: info))
        func derived(_ label: String, _ count: Int) -> [UInt8] {
            Array(hmacSHA256(key: pseudorandom, message: Array("Content-Encoding: \(label)\0".utf8) + [1]).prefix(count))
        }
        let padded = AES128GCM.open(
            Array(body[86...]), key: derived("aes128gcm", AES128GCM.keyByteCount), nonce: derived("nonce", AES128GCM.nonceByteCount))
        return padded?.lastIndex(of: 2).map { Array(padded?[..<$0] ?? []) }
    }
}

struct WebhookSubject: BindingSubject {
    let kind = "webhook"
    let factory: any ProviderFactory.Type = WebhookProviderFactory.self
    let channel = Channel.webhook
    let environment = ["SECRET": "whsec_" + Base64.encode([UInt8](repeating: 9, count: 32))]
    let unreachable = [
        ConformanceOutcome.unknown: "every status is an answer; unknown is what breaks off",
        .misconfigured: "a receiver is not an account: its refusal is about this message",
    ]

    var secrets: [String] { Array(environment.values) + ["T0123/B4567/abcdefghijklmn"] }

    /// Some services give such an address to each customer. The address alone protects the service.
    func address(_ service: ConformanceService) -> String? { "\(service.origin)/services/T0123/B4567/abcdefghijklmn" }

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "signingSecret": "env:SECRET", "allowedPorts": "any", "allowedNetworks": "127.0.0.0/8",
            "certificateAuthorities": service.certificateAuthorityFile, "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted, .unknown: ConformanceAnswer(200)
        case .throttled: ConformanceAnswer(429)
        case .unavailable: ConformanceAnswer(503)
        case .rejected, .misconfigured: ConformanceAnswer(302, headers: [("location", "https://elsewhere.example/")])
        case .endpointGone: ConformanceAnswer(410)
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let data = (try? JSON.parse(request.body))?["data"]
        return ConformanceContent(
            texts: [data?["title"]?.stringValue, data?["body"]?.stringValue],
            parts: [PartSize("the body", bytes: request.body.count, limit: 512 << 10, of: "a webhook")])
    }
}
