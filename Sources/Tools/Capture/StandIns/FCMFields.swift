import TidingsJSON
import TidingsJSONSchema

/// The fields of a request to FCM, with the allowed value of each. Names are in snake case; FCM accepts camel case too.
indirect enum FCMFields: Sendable {
    case text
    case flag
    case number
    /// An object whose members have any name and hold texts.
    case texts
    case list(FCMFields)
    case one(of: [String])
    /// A duration such as `3.5s`, at most 28 days.
    case duration
    /// A color such as `#rrggbb`.
    case color
    /// An object that FCM passes on unchanged.
    case anyObject
    case object([String: FCMFields])

    /// In seconds: the longest ``duration``.
    static let longestDuration: Int64 = 2_419_200

    static let request: [String: FCMFields] = ["validate_only": .flag, "message": .object(message)]

    private static let message: [String: FCMFields] = [
        "name": .text, "token": .text, "topic": .text, "condition": .text, "fid": .text, "data": .texts,
        "notification": .object(["title": .text, "body": .text, "image": .text]), "android": .object(android), "apns": .object(apns),
        "webpush": .object(webpush), "fcm_options": .object(["analytics_label": .text]),
    ]

    private static let android: [String: FCMFields] = [
        "collapse_key": .text, "priority": .one(of: ["normal", "high", "NORMAL", "HIGH"]), "ttl": .duration,
        "restricted_package_name": .text, "data": .texts, "direct_boot_ok": .flag, "bandwidth_constrained_ok": .flag,
        "restricted_satellite_ok": .flag, "fcm_options": .object(["analytics_label": .text]), "notification": .object(androidNotification),
    ]

    private static let androidNotification: [String: FCMFields] = [
        "title": .text, "body": .text, "icon": .text, "color": .color, "sound": .text, "tag": .text, "click_action": .text,
        "body_loc_key": .text, "body_loc_args": .list(.text), "title_loc_key": .text, "title_loc_args": .list(.text), "channel_id": .text,
        "image": .text, "ticker": .text, "sticky": .flag, "event_time": .text, "local_only": .flag,
        "notification_priority": .one(of: ["UNSPECIFIED", "MIN", "LOW", "DEFAULT", "HIGH", "MAX"].map { "PRIORITY_\($0)" }),
        "vibrate_timings": .list(.duration), "default_vibrate_timings": .flag, "default_sound": .flag, "light_settings": .anyObject,
        "default_light_settings": .flag, "visibility": .one(of: ["PRIVATE", "PUBLIC", "SECRET"]), "notification_count": .number,
        "proxy": .one(of: ["ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
    ]

    private static let apns: [String: FCMFields] = [
        "headers": .texts, "payload": .anyObject, "fcm_options": .object(["analytics_label": .text, "image": .text]),
        "live_activity_token": .text,
    ]

    private static let webpush: [String: FCMFields] = [
        "headers": .texts, "data": .texts, "notification": .anyObject, "fcm_options": .object(["link": .text, "analytics_label": .text]),
    ]
}

extension FCMFields {
    /// Returns a violation for each member that is unknown or holds a wrong value. A null counts as absent.
    static func violations(in object: JSONObject, _ fields: [String: FCMFields], at path: String) -> [FCMFault.Violation] {
        object.entries.flatMap { entry -> [FCMFault.Violation] in
            let (name, value) = (entry.key, entry.value)
            guard let field = fields[name] else {
                let place = path.isEmpty ? "" : " at '\(path)'"
                return [FCMFault.Violation(path, "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field.")]
            }
            return value.isNull ? [] : field.violations(in: value, at: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    private func violations(in value: JSON, at path: String) -> [FCMFault.Violation] {
        switch (self, value) {
        case (.object(let fields), .object(let object)): return Self.violations(in: object, fields, at: path)
        case (.texts, .object(let object)):
            return object.entries.enumerated().filter { $1.value.stringValue == nil }.map { place, entry in
                Self.violation("\(path)[\(place)].value", "TYPE_STRING", entry.value)
            }
        case (.list(let element), .array(let values)):
            return values.enumerated().flatMap { element.violations(in: $1, at: "\(path)[\($0)]") }
        case (.text, .string), (.flag, .bool), (.number, .number), (.anyObject, .object): return []
        case (.one(let words), .string(let word)): return words.contains(word) ? [] : [Self.violation(path, "TYPE_ENUM", value)]
        case (.duration, .string(let text)): return Self.isDuration(text) ? [] : [Self.violation(path, typeName, value)]
        case (.color, .string(let text)): return Self.isColor(text) ? [] : [Self.violation(path, "#rrggbb", value)]
        default: return [Self.violation(path, typeName, value)]
        }
    }

    private var typeName: String {
        switch self {
        case .text, .color, .one: "TYPE_STRING"
        case .flag: "TYPE_BOOL"
        case .number: "TYPE_INT32"
        case .duration: "type.googleapis.com/google.protobuf.Duration"
        case .list: "a list"
        case .texts, .anyObject, .object: "an object"
        }
    }

    private static func violation(_ path: String, _ type: String, _ value: JSON) -> FCMFault.Violation {
        FCMFault.Violation(path, "Invalid value at '\(path)' (\(type)), \(value.serialized.prefix(100))")
    }

    /// Whether the text has digits, at most nine more digits after a full stop, and `s`, and is at most ``longestDuration``.
    private static func isDuration(_ text: String) -> Bool {
        guard text.hasSuffix("s") else { return false }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard areDigits, parts.count <= 2, parts.count < 2 || parts[1].utf8.count <= 9, let seconds = Int64(parts[0]) else { return false }
        return seconds < longestDuration || seconds == longestDuration && (parts.count < 2 || parts[1].allSatisfy { $0 == "0" })
    }

    private static func isColor(_ text: String) -> Bool {
        text.hasPrefix("#") && text.utf8.count == 7 && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    /// Returns the same object with FCM's field names in snake case. The keys of maps stay unchanged, because they are the sender's.
    static func snakeCased(_ object: JSONObject) -> JSONObject {
        snakeCased(object, request)
    }

    private static func snakeCased(_ object: JSONObject, _ fields: [String: FCMFields]) -> JSONObject {
        var result = JSONObject()
        for entry in object.entries {
            let name = entry.key.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
            let known = fields[name] == nil ? entry.key : name
            if case .object(let inner)? = fields[name], case .object(let value) = entry.value {
                result[known] = .object(snakeCased(value, inner))
            } else {
                result[known] = entry.value
            }
        }
        return result
    }
}
