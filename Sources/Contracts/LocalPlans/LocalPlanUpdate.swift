public import TidingsCore
public import TidingsJSON

/// The answer to a device that asks for its plan of local notifications.
///
/// The JSON is `{version, reset, requests: [request], removed: [identifier]}`. If `reset` is true, the app deletes its plan, and `requests`
/// is the whole new plan. Otherwise the app plans `requests`, each in place of the one with the same identifier, and removes those in
/// `removed`. Then the app confirms `version`.
public struct LocalPlanUpdate: Sendable {
    public var version: Int64
    public var reset: Bool
    public var requests: [LocalNotificationRequest]
    /// Identifiers of notifications that are pending on the device and must not be shown.
    public var removed: [String]
    /// The zone in which the device reads the times of calendar triggers. The device knows its zone, so the JSON does not have it. Nil if
    /// the zone is unknown: the plan then has no calendar trigger.
    public var zone: String?

    public init(version: Int64, reset: Bool, requests: [LocalNotificationRequest], removed: [String], zone: String? = nil) {
        self.version = version
        self.reset = reset
        self.requests = requests
        self.removed = removed
        self.zone = zone
    }

    public var json: JSON {
        [
            "version": JSON(integerLiteral: version), "reset": .bool(reset), "requests": .array(requests.map(\.json)),
            "removed": .array(removed.map(JSON.string)),
        ]
    }
}

/// One notification that a device shows by itself.
public struct LocalNotificationRequest: Sendable {
    /// The notification's id, under which the app plans it.
    public var identifier: String
    public var content: LocalContent
    public var trigger: LocalTrigger

    public init(identifier: String, content: LocalContent, trigger: LocalTrigger) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }

    /// `{identifier, title, body, sound, userInfo, threadIdentifier, trigger}`.
    public var json: JSON {
        var object = JSONObject()
        object["identifier"] = .string(identifier)
        for entry in content.members.entries { object[entry.key] = entry.value }
        object["trigger"] = trigger.json
        return .object(object)
    }
}

extension LocalTrigger {
    /// The trigger in the form that the app reads. A planned notification never repeats.
    var json: JSON {
        switch self {
        case .calendar(let time):
            [
                "type": "calendar",
                "dateComponents": [
                    "year": JSON(integerLiteral: Int64(time.year)), "month": JSON(integerLiteral: Int64(time.month)),
                    "day": JSON(integerLiteral: Int64(time.day)), "hour": JSON(integerLiteral: Int64(time.hour)),
                    "minute": JSON(integerLiteral: Int64(time.minute)),
                ],
                "repeats": false,
            ]
        case .timeInterval(let seconds):
            ["type": "timeInterval", "seconds": JSON(integerLiteral: Int64(seconds)), "repeats": false]
        }
    }
}
