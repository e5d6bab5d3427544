/// A person's choices: which notifications, by which channels, and when not.
///
/// The JSON is `{pushEnabled, localEnabled, inAppEnabled, quietHoursStart, quietHoursEnd, enabledCategories, timeZone, types}`. A missing
/// member has its default, which is on.
public struct Preferences: Codable, Hashable, Sendable {
    public var pushEnabled: Bool
    public var localEnabled: Bool
    public var inAppEnabled: Bool
    /// Nil for no quiet hours. The server takes one of the two times alone, or two equal times, for none as well.
    public var quietHoursStart: TimeOfDay?
    public var quietHoursEnd: TimeOfDay?
    public var enabledCategories: [NotificationCategory]
    /// The name of the person's zone in the IANA database, in which quiet hours are meant.
    public var timeZone: String?
    /// Choices by type. A type that is not named is on.
    public var types: [String: Bool]

    public init(
        pushEnabled: Bool = true, localEnabled: Bool = true, inAppEnabled: Bool = true, quietHoursStart: TimeOfDay? = nil,
        quietHoursEnd: TimeOfDay? = nil, enabledCategories: [NotificationCategory] = NotificationCategory.allCases,
        timeZone: String? = nil, types: [String: Bool] = [:]
    ) {
        self.pushEnabled = pushEnabled
        self.localEnabled = localEnabled
        self.inAppEnabled = inAppEnabled
        self.quietHoursStart = quietHoursStart
        self.quietHoursEnd = quietHoursEnd
        self.enabledCategories = enabledCategories
        self.timeZone = timeZone
        self.types = types
    }

    public func allows(_ type: NotificationType) -> Bool { types[type.rawValue] ?? true }

    private enum CodingKeys: String, CodingKey {
        case pushEnabled, localEnabled, inAppEnabled, quietHoursStart, quietHoursEnd, enabledCategories, timeZone, types
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            pushEnabled: try members.decodeIfPresent(Bool.self, forKey: .pushEnabled) ?? true,
            localEnabled: try members.decodeIfPresent(Bool.self, forKey: .localEnabled) ?? true,
            inAppEnabled: try members.decodeIfPresent(Bool.self, forKey: .inAppEnabled) ?? true,
            quietHoursStart: try members.decodeIfPresent(TimeOfDay.self, forKey: .quietHoursStart),
            quietHoursEnd: try members.decodeIfPresent(TimeOfDay.self, forKey: .quietHoursEnd),
            enabledCategories: try members.decodeIfPresent([NotificationCategory].self, forKey: .enabledCategories)
                ?? NotificationCategory.allCases,
            timeZone: try members.decodeIfPresent(String.self, forKey: .timeZone),
            types: try members.decodeIfPresent([String: Bool].self, forKey: .types) ?? [:])
    }

    /// Writes `null` for absent times, because a PUT replaces every preference.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(pushEnabled, forKey: .pushEnabled)
        try members.encode(localEnabled, forKey: .localEnabled)
        try members.encode(inAppEnabled, forKey: .inAppEnabled)
        try members.encode(quietHoursStart, forKey: .quietHoursStart)
        try members.encode(quietHoursEnd, forKey: .quietHoursEnd)
        try members.encode(enabledCategories, forKey: .enabledCategories)
        try members.encodeIfPresent(timeZone, forKey: .timeZone)
        try members.encode(types, forKey: .types)
    }
}

/// A wall-clock time of day, to the minute. The JSON is text such as `"22:00"`.
public struct TimeOfDay: Codable, Hashable, Sendable, CustomStringConvertible {
    public let hour: Int
    public let minute: Int

    /// Returns nil unless `hour` is 0 to 23 and `minute` is 0 to 59.
    public init?(hour: Int, minute: Int) {
        guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
        self.hour = hour
        self.minute = minute
    }

    /// Reads `"22:00"`. Seconds are ignored.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { "0"..."9" ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1])
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    public var description: String { (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)" }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no time of day such as 22:00")
        }
        self = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
