/// The server's answer to a device that asks for its plan: `{version, reset, requests, removed}`.
public struct LocalPlan: Codable, Hashable, Sendable {
    /// The number to confirm, and to ask from the next time.
    public var version: Int64
    /// Whether `requests` is the whole plan. Otherwise the answer has the changes since the version that the device named.
    public var reset: Bool
    /// New requests, and changed requests in place of those with the same identifier. The soonest is first.
    public var requests: [LocalRequest]
    /// Identifiers of pending requests that must not be shown.
    public var removed: [String]

    public init(version: Int64, reset: Bool, requests: [LocalRequest] = [], removed: [String] = []) {
        self.version = version
        self.reset = reset
        self.requests = requests
        self.removed = removed
    }

    /// The most pending requests that iOS keeps for one app.
    public static let limit = 64
}

/// One notification that the device shows by itself.
public struct LocalRequest: Codable, Hashable, Sendable, Identifiable {
    /// The id of the notification.
    public var identifier: String
    public var title: String
    public var body: String
    public var sound: String?
    /// The notification's data, with `id`, `type`, `category` and `createdAt`. ``PushPayload/parse(_:)`` reads it.
    public var userInfo: [String: String]
    /// The group key. Empty for none.
    public var threadIdentifier: String
    public var trigger: LocalTrigger

    public var id: String { identifier }

    public init(
        identifier: String, title: String, body: String, sound: String? = "default", userInfo: [String: String] = [:],
        threadIdentifier: String = "", trigger: LocalTrigger
    ) {
        self.identifier = identifier
        self.title = title
        self.body = body
        self.sound = sound
        self.userInfo = userInfo
        self.threadIdentifier = threadIdentifier
        self.trigger = trigger
    }
}

/// The moment at which a device shows a notification.
public enum LocalTrigger: Hashable, Sendable {
    /// A wall-clock time in the device's zone.
    case calendar(year: Int, month: Int, day: Int, hour: Int, minute: Int, repeats: Bool)
    /// Seconds from the moment of planning.
    case timeInterval(seconds: Int, repeats: Bool)
}

extension LocalTrigger: Codable {
    private enum CodingKeys: String, CodingKey { case type, dateComponents, seconds, repeats }
    private enum Kind: String, Codable { case calendar, timeInterval }
    private struct Components: Codable { var year, month, day, hour, minute: Int }

    /// Throws for a trigger of an unknown kind: the device would show the notification at a wrong time.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let repeats = try members.decodeIfPresent(Bool.self, forKey: .repeats) ?? false
        switch try members.decode(Kind.self, forKey: .type) {
        case .calendar:
            let time = try members.decode(Components.self, forKey: .dateComponents)
            self = .calendar(
                year: time.year, month: time.month, day: time.day, hour: time.hour, minute: time.minute, repeats: repeats)
        case .timeInterval:
            self = .timeInterval(seconds: try members.decode(Int.self, forKey: .seconds), repeats: repeats)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .calendar(let year, let month, let day, let hour, let minute, let repeats):
            try members.encode(Kind.calendar, forKey: .type)
            try members.encode(
                Components(year: year, month: month, day: day, hour: hour, minute: minute), forKey: .dateComponents)
            try members.encode(repeats, forKey: .repeats)
        case .timeInterval(let seconds, let repeats):
            try members.encode(Kind.timeInterval, forKey: .type)
            try members.encode(seconds, forKey: .seconds)
            try members.encode(repeats, forKey: .repeats)
        }
    }
}
