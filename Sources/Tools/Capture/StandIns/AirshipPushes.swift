import TidingsJSON
import TidingsJSONSchema

extension AirshipStandIn {
    /// The stand-in's answer to a call that Airship would refuse.
    struct Refusal: Error {
        var status: Int
        var code: Int
        var message: String
        /// The member of the body at fault: `[2].notification.alert1`.
        var path: String?
        var cause: String?

        init(_ status: Int, _ code: Int, _ message: String, path: String? = nil, cause: String? = nil) {
            self.status = status
            self.code = code
            self.message = message
            self.path = path
            self.cause = cause
        }
    }
}

/// A body of `POST /api/push` that Airship would accept: one push object, or an array of up to 100. Unknown members are refused, as Airship
/// does.
struct AirshipPushes: Sendable {
    /// The most push objects in one call.
    static let maximumPushes = 100
    /// The most bytes of the alert and the `ios` object as JSON, together.
    static let maximumAppleBytes = 4_096

    let isArray: Bool
    let count: Int
    /// The named users of the push objects. Objects without one are skipped.
    let people: [String]
    /// The notification's id from the first object's `extra`, or else its type.
    let what: String

    init(_ body: [UInt8]) throws(AirshipStandIn.Refusal) {
        guard let json = try? JSON.parse(body) else { throw Self.unparsable("the body is no JSON", path: nil) }
        isArray = json.arrayValue != nil
        let pushes = json.arrayValue ?? [json]
        guard (1...Self.maximumPushes).contains(pushes.count) else {
            throw Self.unparsable("an array has 1 to \(Self.maximumPushes) push objects", path: "")
        }
        for (place, push) in pushes.enumerated() { try Self.check(push, at: isArray ? "[\(place)]" : "") }
        count = pushes.count
        people = pushes.compactMap { $0["audience"]?["named_user"]?.stringValue }
        let notification = pushes[0]["notification"]
        let extra = ["ios", "android", "web"].compactMap { notification?[$0]?["extra"] }.first
        what = extra?["id"]?.stringValue ?? extra?["type"]?.stringValue ?? ""
    }

    private static func check(_ push: JSON, at place: String) throws(AirshipStandIn.Refusal) {
        if let violation = schema.validate(push).first {
            let path = violation.instancePointer.split(separator: "/").joined(separator: ".")
            throw unparsable(violation.message, path: place.isEmpty || path.isEmpty ? place + path : "\(place).\(path)")
        }
        guard let ios = push["notification"]?["ios"] else { return }
        let prefix = place.isEmpty ? "notification.ios" : "\(place).notification.ios"
        if let id = ios["collapse_id"]?.stringValue, !CollapseID.isAccepted(id) {
            throw unparsable("it is not 1 to \(CollapseID.longest) bytes without control characters", path: "\(prefix).collapse_id")
        }
        let size = ios.serializedBytes.count + (push["notification"]?["alert"]?.serializedBytes.count ?? 0)
        if size > maximumAppleBytes { throw unparsable("it would have more than \(maximumAppleBytes) bytes", path: prefix) }
    }

    private static func unparsable(_ cause: String, path: String?) -> AirshipStandIn.Refusal {
        AirshipStandIn.Refusal(400, 40_000, "Could not parse request body", path: path, cause: cause)
    }

    private static let schema = JSONSchema(
        ofStandIn: #"""
            {"type": "object", "required": ["audience", "device_types"], "additionalProperties": false,
             "anyOf": [{"required": ["notification"]}, {"required": ["message"]}, {"required": ["in_app"]}],
             "properties": {
                "audience": {"anyOf": [{"const": "all"}, {"type": "object", "minProperties": 1, "propertyNames": {"enum": [
                    "ios_channel", "android_channel", "amazon_channel", "web_channel", "channel", "open_channel", "sms_id", "sms_sender",
                    "email_address", "named_user", "tag", "group", "segment", "static_list", "subscription_lists", "attribute", "operator",
                    "value", "precision", "device_token", "apid", "wns", "alias", "and", "or", "not"]},
                    "properties": {"named_user": {"type": ["string", "array"], "minLength": 1}}}]},
                "device_types": {"anyOf": [{"const": "all"}, {"type": "array", "minItems": 1, "uniqueItems": true, "items": {
                    "type": "string", "pattern": "^(ios|android|amazon|web|wns|sms|email|open::.+)$"}}]},
                "notification": {"type": "object", "minProperties": 1, "additionalProperties": false, "properties": {
                    "alert": {"type": "string", "minLength": 1}, "actions": {"type": "object"}, "interactive": {"type": "object"},
                    "ios": {"$ref": "#/$defs/ios"}, "android": {"$ref": "#/$defs/android"}, "web": {"$ref": "#/$defs/web"},
                    "amazon": {"type": "object"}, "wns": {"type": "object"}, "sms": {"type": "object"}, "email": {"type": "object"}}},
                "options": {"type": "object"}, "campaigns": {"type": "object"}, "message": {"type": "object"}, "in_app": {"type": "object"},
                "localizations": {"type": "array"}},
             "$defs": {
                "texts": {"type": "object", "additionalProperties": {"type": "string"}},
                "time": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z?$"},
                "seconds": {"type": "integer", "minimum": 0},
                "ios": {"type": "object", "additionalProperties": false, "properties": {
                    "alert": {"type": ["string", "object"]}, "badge": {"type": ["integer", "string"]}, "sound": {"type": ["string", "object"]},
                    "content-available": {"const": 1}, "extra": {"type": "object"},
                    "expiry": {"anyOf": [{"$ref": "#/$defs/seconds"}, {"$ref": "#/$defs/time"}]}, "interactive": {"type": "object"},
                    "category": {"type": "string"}, "title": {"type": "string"}, "subtitle": {"type": "string"},
                    "mutable_content": {"type": "boolean"}, "media_attachment": {"type": "object"}, "priority": {"enum": [5, 10]},
                    "collapse_id": {"type": "string"}, "thread_id": {"type": "string"}, "interruption_level": {"type": "string"},
                    "relevance_score": {"type": "number", "minimum": 0, "maximum": 1}, "target_content_id": {"type": "string"},
                    "live_activity": {"type": "object"}}},
                "android": {"type": "object", "additionalProperties": false, "properties": {
                    "alert": {"type": "string"}, "title": {"type": "string"}, "summary": {"type": "string"}, "extra": {"$ref": "#/$defs/texts"},
                    "collapse_key": {"type": "string", "minLength": 1}, "time_to_live": {"$ref": "#/$defs/seconds"},
                    "delivery_priority": {"enum": ["high", "normal"]}, "priority": {"type": "integer", "minimum": -2, "maximum": 2},
                    "category": {"type": "string"}, "visibility": {"type": "integer", "minimum": -1, "maximum": 1},
                    "public_notification": {"type": "object"}, "notification_tag": {"type": "string", "minLength": 1},
                    "notification_channel": {"type": "string"}, "icon": {"type": "string"},
                    "icon_color": {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}, "sound": {"type": "string"}, "style": {"type": "object"},
                    "local_only": {"type": "boolean"}, "wearable": {"type": "object"}, "live_update": {"type": "object"}}},
                "web": {"type": "object", "additionalProperties": false, "properties": {
                    "alert": {"type": "string"}, "title": {"type": "string"}, "icon": {"type": "object"}, "extra": {"$ref": "#/$defs/texts"},
                    "interactive": {"type": "object"}, "time_to_live": {"$ref": "#/$defs/seconds"},
                    "require_interaction": {"type": "boolean"}}}}}
            """#)
}
