import TidingsJSON
import TidingsJSONSchema

extension BrazeStandIn {
    /// The stand-in's answer to a call that Braze would refuse.
    struct Refusal: Error {
        var status: Int
        var message: String
        var errors: [String]

        init(_ status: Int, _ message: String, _ errors: String...) {
            self.status = status
            self.message = message
            self.errors = errors
        }
    }
}

/// A body of `POST /messages/send` that Braze would accept. The checks follow Braze's published rules and use Braze's words.
struct BrazeCall: Sendable {
    /// The most aliases and external ids in one call, together.
    static let maximumPeople = 50
    /// The most bytes of an `apple_push` object as JSON.
    static let maximumAppleBytes = 1_912
    /// The most bytes of an `android_push` object's `alert` and of its `extra` as JSON, together.
    static let maximumAndroidBytes = 4_000

    /// The external ids, followed by the names of aliases; empty for a broadcast.
    let people: [String]
    /// The notification's id from `extra`, or else its type.
    let what: String

    init(_ json: JSON) throws(BrazeStandIn.Refusal) {
        people = try Self.people(json)
        guard let messages = json["messages"]?.objectValue, !messages.isEmpty else {
            throw BrazeStandIn.Refusal(400, "No message to send")
        }
        for message in messages.entries {
            if json["campaign_id"] != nil, message.value["message_variation_id"]?.stringValue == nil {
                throw BrazeStandIn.Refusal(400, "Message Variant Unspecified", message.key)
            }
            switch message.key {
            case "apple_push": try Self.checkApple(message.value)
            case "android_push": try Self.checkAndroid(message.value)
            default: break
            }
        }
        let extra = messages["apple_push"]?["extra"] ?? messages["android_push"]?["extra"]
        what = extra?["id"]?.stringValue ?? extra?["type"]?.stringValue ?? ""
    }

    private static func people(_ json: JSON) throws(BrazeStandIn.Refusal) -> [String] {
        let ids = (json["external_user_ids"]?.arrayValue ?? []).map(\.stringValue)
        let aliases = (json["user_aliases"]?.arrayValue ?? []).map { $0["alias_name"]?.stringValue }
        let people = (ids + aliases).compactMap(\.self)
        guard people.count == ids.count + aliases.count else {
            throw BrazeStandIn.Refusal(400, "Bad Request", "an external id or alias is no text")
        }
        guard people.count <= maximumPeople else {
            throw BrazeStandIn.Refusal(400, "The max number of external_ids and aliases per request was exceeded")
        }
        let isBroadcast = json["broadcast"]?.boolValue == true
        if people.isEmpty, !isBroadcast { throw BrazeStandIn.Refusal(400, "No Recipients") }
        if !people.isEmpty, isBroadcast { throw BrazeStandIn.Refusal(400, "Bad Request", "a broadcast names no recipients") }
        return people
    }

    private static func checkApple(_ push: JSON) throws(BrazeStandIn.Refusal) {
        try checkShape(of: push, as: appleSchema, "apple_push")
        if push["alert"] == nil, push["content-available"]?.boolValue != true {
            throw BrazeStandIn.Refusal(400, "Bad Request", "apple_push has no alert")
        }
        if let id = push["collapse_id"]?.stringValue, !CollapseID.isAccepted(id) {
            throw BrazeStandIn.Refusal(400, "Bad Request", "collapse_id is not 1 to \(CollapseID.longest) bytes without control characters")
        }
        if push["extra"]?["ab"] != nil || push["extra"]?["aps"] != nil {
            throw BrazeStandIn.Refusal(400, "Invalid Extra Push Payload", "ab and aps are reserved")
        }
        if push.serializedBytes.count > maximumAppleBytes { throw BrazeStandIn.Refusal(400, "Apple Push Length Exceeded") }
    }

    private static func checkAndroid(_ push: JSON) throws(BrazeStandIn.Refusal) {
        try checkShape(of: push, as: androidSchema, "android_push")
        let shown = [push["alert"], push["title"]].compactMap { $0?.stringValue }.filter { !$0.isEmpty }
        guard shown.count == (push["send_to_sync"]?.boolValue == true ? 0 : 2) else {
            throw BrazeStandIn.Refusal(400, "Bad Request", "android_push has both alert and title, or send_to_sync and neither")
        }
        let size = (push["alert"]?.stringValue?.utf8.count ?? 0) + (push["extra"]?.serializedBytes.count ?? 0)
        if size > maximumAndroidBytes { throw BrazeStandIn.Refusal(400, "Android Push Length Exceeded") }
    }

    private static func checkShape(of push: JSON, as schema: JSONSchema, _ name: String) throws(BrazeStandIn.Refusal) {
        if let extra = push["extra"], extra.objectValue == nil { throw BrazeStandIn.Refusal(400, "Invalid Extra Push Payload") }
        if let violation = schema.validate(push).first { throw BrazeStandIn.Refusal(400, "Bad Request", "\(name): \(violation)") }
    }

    private static let appleSchema = JSONSchema(
        ofStandIn: """
            {"type": "object", "properties": {
                "alert": {"type": ["string", "object"], "properties": {"title": {"type": "string"}, "body": {"type": "string"}}},
                "badge": {"type": "integer"}, "sound": {"type": "string"}, "extra": {"type": "object"}, "content-available": {"type": "boolean"},
                "mutable_content": {"type": "boolean"}, "category": {"type": "string"}, "notification_group_thread_id": {"type": "string"},
                "collapse_id": {"type": "string"}, "expiry": {"type": "string", "format": "date-time"},
                "apns_priority": {"type": "integer", "minimum": 1, "maximum": 10}, "message_variation_id": {"type": "string"}}}
            """)

    private static let androidSchema = JSONSchema(
        ofStandIn: """
            {"type": "object", "properties": {
                "alert": {"type": "string"}, "title": {"type": "string"}, "extra": {"type": "object"}, "send_to_sync": {"type": "boolean"},
                "collapse_key": {"type": "string", "minLength": 1}, "time_to_live": {"type": "integer", "minimum": 0},
                "priority": {"type": "integer", "minimum": -2, "maximum": 2}, "message_variation_id": {"type": "string"}}}
            """)
}

extension JSONSchema {
    /// Parses a schema that is written in this program, for the requests to a stand-in.
    init(ofStandIn text: String) {
        guard let json = try? JSON.parse(text), let schema = try? JSONSchema(json, assertFormats: true) else {
            preconditionFailure("the shape that a stand-in asks for must be a JSON Schema: \(text)")
        }
        self = schema
    }
}
