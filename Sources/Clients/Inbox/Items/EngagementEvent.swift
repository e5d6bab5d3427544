public import Foundation

/// Something that a person or an app did with a notification: `{type, notificationId?, deviceId?, at?, detail?}`. The server stores the
/// same event once, however often it comes.
public struct EngagementEvent: Codable, Hashable, Sendable {
    /// The kind of an event. The server counts each kind by itself.
    public struct Kind: OpenWord {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app got a push. It is a count only: ``ReportQueue/confirmReceipt(of:on:)`` makes the push delivered.
        public static let received = Self(rawValue: "received")
        public static let displayed = Self(rawValue: "displayed")
        public static let opened = Self(rawValue: "opened")
        public static let dismissed = Self(rawValue: "dismissed")
        public static let action = Self(rawValue: "action")
        public static let unknownPayload = Self(rawValue: "unknownPayload")
    }

    public var type: Kind
    public var notificationId: String?
    /// The id of the device, as ``Device/deviceId`` has it.
    public var deviceId: String?
    /// The time on the device. The server's time counts instead if it is more than 30 days ago or more than 5 minutes ahead.
    public var at: Date?
    /// Short facts, without personal data: at most 20, of at most 256 characters, and 2 KiB as JSON.
    public var detail: [String: String]?

    public init(
        type: Kind, notificationId: String? = nil, deviceId: String? = nil, at: Date? = nil, detail: [String: String]? = nil
    ) {
        self.type = type
        self.notificationId = notificationId
        self.deviceId = deviceId
        self.at = at
        self.detail = detail
    }

    private enum CodingKeys: String, CodingKey { case type, notificationId, deviceId, at, detail }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try members.decode(Kind.self, forKey: .type),
            notificationId: try members.decodeIfPresent(String.self, forKey: .notificationId),
            deviceId: try members.decodeIfPresent(String.self, forKey: .deviceId),
            at: try members.serverDateIfPresent(forKey: .at),
            detail: try members.decodeIfPresent([String: String].self, forKey: .detail))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(type, forKey: .type)
        try members.encodeIfPresent(notificationId, forKey: .notificationId)
        try members.encodeIfPresent(deviceId, forKey: .deviceId)
        try members.encodeIfPresent(at.map(ServerDate.text), forKey: .at)
        try members.encodeIfPresent(detail, forKey: .detail)
    }
}
