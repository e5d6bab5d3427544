import ProviderAPNs
import ProviderAirship
import ProviderBraze
import ProviderFCM
import TidingsCore
import TidingsCrypto
import TidingsJSON
import TidingsProvider
import TidingsTestSupport

struct APNsSubject: BindingSubject {
    let kind = "apns"
    let factory: any ProviderFactory.Type = APNsProviderFactory.self
    let key = P256PrivateKey().pem
    var environment: [String: String] { ["SECRET": key] }
    let address: String? = "0a1B2c3D4e5F60718293a4b5c6d7e8f90a1B2c3D4e5F60718293a4b5c6d7e8f9"

    /// A letter of a token may be written in either case.
    func otherTokens(_ service: ConformanceService) -> OtherTokens? {
        let token = address ?? ""
        return OtherTokens(
            spellings: [token.lowercased(), token.uppercased(), " \(token)\n"], others: ["\(token)00", String(token.reversed())],
            malformed: [
                "", "a", "{length = 32, bytes = 0x0a1b2c3d 4e5f6071 ... c6d7e8f9 }", "<0a1b2c3d 4e5f6071>", "ChssPU5fYHGCk6S1xtfo",
                String(repeating: "0a", count: 201),
            ])
    }

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "key": "env:SECRET", "keyId": "ABCDE12345", "teamId": "TEAM123456", "topic": "com.example.shop", "endpoint": service.origin,
            "certificateAuthorities": service.certificateAuthorityFile, "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted: ConformanceAnswer(200, headers: [("apns-id", "00000000-0000-0000-0000-000000000001")])
        case .throttled: ConformanceAnswer(429, #"{"reason":"TooManyRequests"}"#)
        case .unavailable: ConformanceAnswer(503, #"{"reason":"ServiceUnavailable"}"#)
        case .rejected: ConformanceAnswer(400, #"{"reason":"BadCollapseId"}"#)
        case .endpointGone: ConformanceAnswer(410, #"{"reason":"Unregistered","timestamp":1700000000000}"#)
        case .misconfigured: ConformanceAnswer(403, #"{"reason":"InvalidProviderToken"}"#)
        case .unknown: ConformanceAnswer(200, "<html>Welcome to the hotel</html>")
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let aps = (try? JSON.parse(request.body))?["aps"]
        return ConformanceContent(
            keys: [
                ConformanceKey(.thread, "thread-id", aps?["thread-id"]?.stringValue),
                ConformanceKey(.replacement, "apns-collapse-id", request.headers["apns-collapse-id"], .appleCollapseID),
            ], texts: [aps?["alert"]?["title"]?.stringValue, aps?["alert"]?["body"]?.stringValue],
            parts: [PartSize("the payload", bytes: request.body.count, limit: 4_096, of: "Apple")])
    }
}

struct FCMSubject: BindingSubject {
    let kind = "fcm"
    let factory: any ProviderFactory.Type = FCMProviderFactory.self
    let key: String
    let address: String? = "cXyZ0123:APA91bH-registration_token"

    /// The case of a letter is part of a token.
    func otherTokens(_ service: ConformanceService) -> OtherTokens? {
        let token = address ?? ""
        return OtherTokens(
            spellings: [" \(token)\n"], others: [token.lowercased(), token.uppercased()],
            malformed: [
                "", "a b", "{length=32,bytes=0x0a1b}", "<0a1b>", String(repeating: "t", count: 4_097), "ExponentPushToken[x]", "undefined",
                String(repeating: "0a1b", count: 16),
            ])
    }

    /// - Parameter key: PEM of an RSA key.
    init(key: String) { self.key = key }

    var environment: [String: String] { ["SECRET": key] }
    /// The setting is a key file. Secret in it are the key and the access token that the provider gets for it.
    var secrets: [String] { [key, "ya29.conformance"] + [address].compactMap(\.self) }

    func environment(_ service: ConformanceService) -> [String: String] {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "service_account")
        json.member("project_id", "shop")
        json.member("private_key_id", "1")
        json.member("private_key", key)
        json.member("client_email", "tidings@shop.iam.gserviceaccount.com")
        json.member("token_uri", "\(service.origin)/token")
        json.endObject()
        return ["ACCOUNT": String(decoding: json.bytes, as: UTF8.self)]
    }

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "serviceAccount": "env:ACCOUNT", "endpoint": service.origin, "certificateAuthorities": service.certificateAuthorityFile,
            "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    /// Without a platform, the request has the blocks of both.
    func delivery(calling service: ConformanceService) -> OutgoingDelivery {
        var item = standardDelivery(calling: service)
        item.device = nil
        return item
    }

    func isDelivery(_ request: ConformanceRequest) -> Bool { request.path != "/token" }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let message = (try? JSON.parse(request.body))?["message"]
        let (android, apns) = (message?["android"], message?["apns"])
        let alert = apns?["payload"]?["aps"]?["alert"]
        let notification = message?["notification"]
        let fields = ["data", "notification"].compactMap { message?[$0]?.objectValue?.entries }.joined()
        let size = fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 0) }
        let keys = [
            ConformanceKey(.thread, "thread-id", apns?["payload"]?["aps"]?["thread-id"]?.stringValue),
            ConformanceKey(.replacement, "apns-collapse-id", apns?["headers"]?["apns-collapse-id"]?.stringValue, .appleCollapseID),
            ConformanceKey(.replacement, "collapse_key", android?["collapse_key"]?.stringValue, .androidKey),
            ConformanceKey(.replacement, "tag", android?["notification"]?["tag"]?.stringValue, .androidKey),
        ]
        return ConformanceContent(
            keys: keys, texts: [notification, alert].flatMap { [$0?["title"]?.stringValue, $0?["body"]?.stringValue] },
            parts: [
                PartSize("the text of data and notification", bytes: size, limit: 4_096, of: "Google"),
                PartSize("the payload for iOS", bytes: apns?["payload"]?.serializedBytes.count ?? 0, limit: 4_096, of: "Apple"),
            ])
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        guard isDelivery(request) else {
            return ConformanceAnswer(200, #"{"access_token":"ya29.conformance","expires_in":3599,"token_type":"Bearer"}"#)
        }
        return switch outcome {
        case .accepted: ConformanceAnswer(200, #"{"name":"projects/shop/messages/1"}"#)
        case .throttled: Self.error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED")
        case .unavailable: Self.error(503, "UNAVAILABLE", "UNAVAILABLE")
        case .rejected: ConformanceAnswer(400, Self.badRequest)
        case .endpointGone: Self.error(404, "NOT_FOUND", "UNREGISTERED")
        case .misconfigured: Self.error(403, "PERMISSION_DENIED", "PERMISSION_DENIED")
        case .unknown: ConformanceAnswer(200, "<html></html>")
        }
    }

    private static func error(_ status: Int, _ word: String, _ code: String) -> ConformanceAnswer {
        let detail = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
        return ConformanceAnswer(status, #"{"error":{"code":\#(status),"message":"no","status":"\#(word)","details":[\#(detail)]}}"#)
    }

    private static let badRequest =
        #"{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","#
        + #""fieldViolations":[{"field":"message.data","description":"no"}]}]}}"#
}

struct BrazeSubject: BindingSubject {
    let kind = "braze"
    let factory: any ProviderFactory.Type = BrazeProviderFactory.self
    let environment = ["SECRET": "braze-key-8d0f"]
    let unreachable = [ConformanceOutcome.endpointGone: "Braze addresses people and keeps their devices itself"]

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "apiKey": "env:SECRET", "endpoint": service.origin, "certificateAuthorities": service.certificateAuthorityFile,
            "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted: ConformanceAnswer(201, #"{"dispatch_id":"1","message":"success"}"#)
        case .throttled: ConformanceAnswer(429, #"{"message":"slow down"}"#)
        case .unavailable: ConformanceAnswer(503, #"{"message":"away"}"#)
        case .rejected: ConformanceAnswer(400, #"{"message":"bad messages"}"#)
        case .misconfigured: ConformanceAnswer(401, #"{"message":"Invalid API key"}"#)
        case .unknown, .endpointGone: ConformanceAnswer(200, "<html></html>")
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let messages = (try? JSON.parse(request.body))?["messages"]
        let (ios, android) = (messages?["apple_push"], messages?["android_push"])
        let keys = [
            ConformanceKey(.thread, "notification_group_thread_id", ios?["notification_group_thread_id"]?.stringValue),
            ConformanceKey(.replacement, "collapse_id", ios?["collapse_id"]?.stringValue, .appleCollapseID),
            ConformanceKey(.replacement, "collapse_key", android?["collapse_key"]?.stringValue, .androidKey),
        ]
        let texts = [ios?["alert"]?["title"], ios?["alert"]?["body"], android?["title"], android?["alert"]].map { $0?.stringValue }
        let size = (android?["alert"]?.stringValue?.utf8.count ?? 0) + (android?["extra"]?.serializedBytes.count ?? 0)
        return ConformanceContent(
            keys: keys, texts: texts,
            parts: [
                PartSize("apple_push", bytes: ios?.serializedBytes.count ?? 0, limit: 1_912, of: "Braze"),
                PartSize("alert and extra for Android", bytes: size, limit: 4_000, of: "Braze"),
            ])
    }
}

struct AirshipSubject: BindingSubject {
    let kind = "airship"
    let factory: any ProviderFactory.Type = AirshipProviderFactory.self
    let environment = ["SECRET": "airship-secret-51c7"]
    let unreachable = [ConformanceOutcome.endpointGone: "Airship addresses people and keeps their devices itself"]

    func settings(_ service: ConformanceService) -> [String: String] {
        [
            "appKey": "env:SECRET", "masterSecret": "env:SECRET", "endpoint": service.origin,
            "certificateAuthorities": service.certificateAuthorityFile, "timeoutSeconds": "\(Patience.scaled(2))",
        ]
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted: ConformanceAnswer(202, #"{"ok":true,"operation_id":"o","push_ids":["p"]}"#)
        case .throttled: ConformanceAnswer(429, #"{"ok":false}"#)
        case .unavailable: ConformanceAnswer(503, #"{"ok":false}"#)
        case .rejected: ConformanceAnswer(400, #"{"ok":false,"error":"no","error_code":40000}"#)
        case .misconfigured: ConformanceAnswer(401, #"{"ok":false,"error":"Unauthorized"}"#)
        case .unknown, .endpointGone: ConformanceAnswer(200, "<html></html>")
        }
    }

    func content(of request: ConformanceRequest) -> ConformanceContent {
        let notification = (try? JSON.parse(request.body))?["notification"]
        let (ios, android) = (notification?["ios"], notification?["android"])
        let keys = [
            ConformanceKey(.thread, "thread_id", ios?["thread_id"]?.stringValue),
            ConformanceKey(.replacement, "collapse_id", ios?["collapse_id"]?.stringValue, .appleCollapseID),
            ConformanceKey(.replacement, "collapse_key", android?["collapse_key"]?.stringValue, .androidKey),
            ConformanceKey(.replacement, "notification_tag", android?["notification_tag"]?.stringValue, .androidKey),
        ]
        let alert = notification?["alert"]?.serializedBytes.count ?? 0
        return ConformanceContent(
            keys: keys, texts: [notification?["alert"], ios?["title"], android?["title"]].map { $0?.stringValue },
            parts: [
                PartSize("alert and ios", bytes: alert + (ios?.serializedBytes.count ?? 0), limit: 4_096, of: "Apple"),
                PartSize("alert and android", bytes: alert + (android?.serializedBytes.count ?? 0), limit: 4_096, of: "Google"),
            ])
    }
}
