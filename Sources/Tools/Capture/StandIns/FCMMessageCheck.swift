import TidingsJSON
import TidingsJSONSchema

/// The checks of a message that FCM makes before it looks for the device.
struct FCMMessageCheck: Sendable {
    /// The most bytes of the keys and values of `data` and `notification`, for a device and for a topic.
    static let payloadBytes = (device: 4_096, topic: 2_048)
    /// The most bytes of the payload for Apple, as JSON.
    static let applePayloadBytes = 4_096
    /// The most topics in one condition.
    static let topicsPerCondition = 5
    private static let targets = ["token", "topic", "condition", "fid"]

    /// The target of the message: the token, the topic, …
    private(set) var target = ""
    /// The target and the notification's id. Without an id, the target and the notification's type.
    private(set) var id = ""
    /// The member `validate_only`: if true, the message is checked and not sent.
    private(set) var isOnlyValidated = false
    private var violations: [FCMFault.Violation] = []

    static func of(_ body: [UInt8]) -> Result<FCMMessageCheck, FCMFault> {
        guard case .object(let root)? = try? JSON.parse(body) else {
            return .failure(.badRequest([FCMFault.Violation("", "Invalid JSON payload received. Unexpected token.")]))
        }
        var check = FCMMessageCheck()
        check.read(FCMFields.snakeCased(root))
        return check.violations.isEmpty ? .success(check) : .failure(.badRequest(check.violations))
    }

    private mutating func read(_ root: JSONObject) {
        violations += FCMFields.violations(in: root, FCMFields.request, at: "")
        isOnlyValidated = root["validate_only"]?.boolValue ?? false
        guard let message = root["message"]?.objectValue else { return refuse("message", "Message is not set.") }
        let data = message["data"]?.objectValue ?? JSONObject()
        readTarget(message)
        id = [target, data["id"]?.stringValue ?? data["type"]?.stringValue].compactMap(\.self).joined(separator: " ")
        for name in data.keys where Self.isReserved(name) { refuse("message.data", "Invalid data payload key: \(name)") }
        checkSize(data, message["notification"]?.objectValue ?? JSONObject(), isForTopic: message["token"] == nil && message["fid"] == nil)
        if let payload = message["apns"]?["payload"], payload["aps"]?.objectValue == nil {
            refuse("message.apns.payload", "Invalid APNs payload: it has no aps object.")
        }
        let size = message["apns"]?["payload"]?.serializedBytes.count ?? 0
        if size > Self.applePayloadBytes {
            refuse("message.apns.payload", "APNs payload is too big: \(size) bytes, and \(Self.applePayloadBytes) are allowed.")
        }
        checkKeys(message)
        if let link = message["webpush"]?["fcm_options"]?["link"]?.stringValue, !link.hasPrefix("https://") {
            refuse("message.webpush.fcm_options.link", "Invalid link: it must begin with https://.")
        }
    }

    private mutating func readTarget(_ message: JSONObject) {
        let given = Self.targets.filter { message[$0]?.isNull == false }
        guard given.count == 1, let target = message[given[0]]?.stringValue, !target.isEmpty else {
            return refuse("message", "Exactly one of token, topic, condition or fid must be set.")
        }
        self.target = target
        if given == ["token"], !Self.isToken(target) {
            refuse("message.token", "The registration token is not a valid FCM registration token")
        }
        if given == ["topic"], !Self.isTopic(target) { refuse("message.topic", "Malformed topic name") }
        if given == ["condition"],
            target.split(separator: "in topics", omittingEmptySubsequences: false).count > Self.topicsPerCondition + 1
        {
            refuse("message.condition", "A condition has at most \(Self.topicsPerCondition) topics.")
        }
    }

    private mutating func checkSize(_ data: JSONObject, _ notification: JSONObject, isForTopic: Bool) {
        let size = (data.entries + notification.entries).reduce(0) { $0 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 0) }
        let limit = isForTopic ? Self.payloadBytes.topic : Self.payloadBytes.device
        if size > limit { refuse("message", "Message is too big: \(size) bytes, and \(limit) are allowed.") }
    }

    /// The keys of the platforms. A header of APNs has the grammar of a header, and an empty key is none.
    private mutating func checkKeys(_ message: JSONObject) {
        for entry in message["apns"]?["headers"]?.objectValue?.entries ?? [] {
            guard let value = entry.value.stringValue else { continue }
            let isHeader = !value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            if !isHeader || (entry.key == "apns-collapse-id" && !CollapseID.isAccepted(value)) {
                refuse("message.apns.headers", "Invalid APNs header: \(entry.key)")
            }
        }
        if message["android"]?["collapse_key"] == "" { refuse("message.android.collapse_key", "The key is empty.") }
        if message["android"]?["notification"]?["tag"] == "" { refuse("message.android.notification.tag", "The tag is empty.") }
    }

    private mutating func refuse(_ field: String, _ description: String) {
        violations.append(FCMFault.Violation(field, description))
    }

    private static func isReserved(_ name: String) -> Bool {
        name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }

    /// Whether FCM may have issued the text: it matches `[a-zA-Z0-9_:-]+`, is no word for a missing value, and is no token of APNs.
    private static func isToken(_ text: String) -> Bool {
        let isOfAPNs = text.utf8.count == 64 && text.allSatisfy(\.isHexDigit)
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "_:-".contains($0) }
            && !["null", "undefined", "nil"].contains(text.lowercased()) && !isOfAPNs
    }

    /// Whether the text matches `[a-zA-Z0-9-_.~%]+`.
    private static func isTopic(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.~%".contains($0) }
    }
}
