public import Foundation

/// Something that a person or an app did with a notification: `{type, notificationId?, at?, detail?}`.
public struct EngagementEvent: Codable, Hashable, Sendable {
    /// The kind of an event. The server counts each kind by itself.
    public struct Kind: OpenWord {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let opened = Self(rawValue: "opened")
        public static let unknownPayload = Self(rawValue: "unknownPayload")
    }

    public var type: Kind
    public var notificationId: String?
    public var at: Date?
    /// Short facts, without personal data.
    public var detail: [String: String]?

    public init(type: Kind, notificationId: String? = nil, at: Date? = nil, detail: [String: String]? = nil) {
        self.type = type
        self.notificationId = notificationId
        self.at = at
        self.detail = detail
    }

    private enum CodingKeys: String, CodingKey { case type, notificationId, at, detail }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            type: try members.decode(Kind.self, forKey: .type),
            notificationId: try members.decodeIfPresent(String.self, forKey: .notificationId),
            at: try members.serverDateIfPresent(forKey: .at),
            detail: try members.decodeIfPresent([String: String].self, forKey: .detail))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(type, forKey: .type)
        try members.encodeIfPresent(notificationId, forKey: .notificationId)
        try members.encodeIfPresent(at.map(ServerDate.text), forKey: .at)
        try members.encodeIfPresent(detail, forKey: .detail)
    }
}
