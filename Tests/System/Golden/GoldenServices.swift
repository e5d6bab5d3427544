import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderAPNs
@testable import ProviderAirship
@testable import ProviderBraze
@testable import ProviderFCM
@testable import ProviderJSONOverHTTP
@testable import ProviderWebPush
@testable import ProviderWebhook
@testable import TidingsCrypto
@testable import TidingsEncodings

/// Providers with fixed keys, used to write requests. All bytes are fixed except provider tokens, which depend on the time and on a random
/// number.
struct GoldenServices {
    /// The browser's half of the key agreement and its secret, from RFC 8291 section 5.
    static let browserKey = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let browserSecret = "BTBZMqHH6r4Tts7J_aSIgg"
    static let webhookSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

    private let braze: BrazeConfiguration
    private let http: ServiceConfiguration
    private let webPush: WebPushConfiguration
    /// The sender's half of the key agreement, from RFC 8291 section 5.
    private let ephemeral: P256PrivateKey
    private let salt: [UInt8]

    init() throws {
        let environment = ["KEY": "secret-key", "VAPID": "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"]
        braze = try BrazeConfiguration(
            Self.settings("braze", ["apiKey": "env:KEY", "endpoint": "https://rest.example.com"], BrazeConfiguration.settings, environment))
        webPush = try WebPushConfiguration(
            Self.settings(
                "webpush", ["vapidPrivateKey": "env:VAPID", "subject": "mailto:ops@example.com"], WebPushConfiguration.settings, environment
            ))
        http = try ServiceConfiguration(
            ProviderBinding(
                name: "dmp", channel: .push, kind: "http", settings: ["url": "https://dmp.example.com/{{type}}/{{id}}"],
                addressing: .person, copy: true),
            environment: environment)
        ephemeral = try P256PrivateKey(rawValue: Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw") ?? [])
        salt = Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw") ?? []
    }

    private static func settings(
        _ kind: String, _ settings: [String: String], _ declared: [ProviderSetting], _ environment: [String: String]
    ) throws -> ProviderSettings {
        try ProviderSettings(
            ProviderBinding(name: kind, channel: .push, kind: kind, settings: settings, addressing: .person), declared: declared,
            environment: environment)
    }

    /// Headers and body as text, with one line for each header, or the reason why there is no request. Nil for a provider that writes
    /// nothing to a wire.
    func request(for item: OutgoingDelivery, with provider: String) throws -> [UInt8]? {
        let now = GoldenBytes.now
        do {
            switch provider {
            case "apns":
                let push = try APNsPush(of: item, topic: "com.example.shop")
                return Self.text(push.path, push.headers, push.body)
            case "fcm": return try fcmBody(of: item, now: now).message
            case "braze": return try brazeBody(of: item, to: [item.recipient], configuration: braze, now: now).message
            case "airship": return airshipBody(of: [try airshipPush(of: item, platforms: [.ios, .android, .web], now: now).message])
            case "webpush":
                let subscription = try PushSubscription(of: item)
                let headers = webPushHeaders(of: item, configuration: webPush, authorization: "vapid", now: now)
                let body = MessageEncryption.encrypt(
                    try webPushMessage(of: item).message, for: subscription, ephemeral: ephemeral, salt: salt)
                return Self.text(subscription.endpoint, headers, body)
            case "dmp":
                let request = try http.request(for: item, channel: .push).message
                return Self.text("\(request.method) \(request.url)", request.headers, request.body)
            case "hooks":
                let body = webhookBody(of: item)
                let signature = webhookSignature(
                    id: item.idempotencyKey, timestamp: now.wholeSeconds, body: body, secrets: try WebhookSecret.parse(item.secrets))
                return Self.text(item.endpointAddress ?? "", [("webhook-signature", signature)], body)
            default: return nil
            }
        } catch {
            return Array("refused: \(error)".utf8)
        }
    }

    private static func text(_ address: String, _ headers: [(String, String)], _ body: [UInt8]) -> [UInt8] {
        Array((address + "\n" + headers.map { "\($0): \($1)\n" }.joined() + "\n").utf8) + body
    }
}
