public import Foundation

/// A push, or a tapped local notification, as an app receives it.
public enum PushPayload: Hashable, Sendable {
    /// A silent push: a file is available.
    case metadata(FileMetadata)
    /// A silent push: a download is ready.
    case downloadReady(Download)
    /// A silent push: the plan of local notifications changed, so the app asks for it.
    case localPlanChanged
    /// A notification that the device shows.
    case visible(VisiblePush)
    /// A payload that is missing, malformed or of an unknown type. It is never dropped silently: ``ReportQueue/receive(push:)`` reports it.
    case unknown(UnknownPayload)

    /// Reads the `userInfo` of a notification. Never fails: a payload that cannot be read is ``unknown(_:)`` with the reason.
    public static func parse(_ userInfo: [AnyHashable: Any]?) -> PushPayload {
        var members: [String: Any] = [:]
        for (key, value) in userInfo ?? [:] {
            if let key = key.base as? String { members[key] = value }
        }
        return PushPayloadReader(members: members).payload
    }

    /// Reads a payload of JSON bytes.
    public static func parse(json: Data) -> PushPayload {
        guard let value = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) else {
            return .unknown(UnknownPayload(reason: json.isEmpty ? .missing : .malformed))
        }
        if value is NSNull { return parse(nil) }
        guard let members = value as? [String: Any] else { return .unknown(UnknownPayload(reason: .malformed)) }
        return PushPayloadReader(members: members).payload
    }

    /// Returns the event that reports an unknown payload. Nil for every other payload.
    public func engagementEvent(at time: Date) -> EngagementEvent? {
        guard case .unknown(let unknown) = self else { return nil }
        var detail = ["reason": unknown.reason.rawValue]
        // The server takes 256 characters. A type of more than 64 is no word that somebody chose.
        detail["type"] = unknown.type.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(64))) }
        return EngagementEvent(type: .unknownPayload, at: time, detail: detail)
    }
}

/// A file of a media app: `{fileId, key, title?, publishDate?, size?, url?}`.
public struct FileMetadata: Codable, Hashable, Sendable {
    public var fileId: String
    public var key: String
    public var title: String?
    /// A date in the form `YYYY-MM-DD`.
    public var publishDate: String?
    /// Bytes.
    public var size: Int64?
    public var url: URL?

    public init(
        fileId: String, key: String, title: String? = nil, publishDate: String? = nil, size: Int64? = nil, url: URL? = nil
    ) {
        self.fileId = fileId
        self.key = key
        self.title = title
        self.publishDate = publishDate
        self.size = size
        self.url = url
    }
}

/// A file that is ready to be loaded.
public struct Download: Codable, Hashable, Sendable {
    public var fileId: String
    /// An absolute address with the scheme `https`.
    public var url: URL

    public init(fileId: String, url: URL) {
        self.fileId = fileId
        self.url = url
    }
}

/// A notification that the device shows, with the fields beside `aps`.
public struct VisiblePush: Hashable, Sendable {
    public var id: String
    public var type: NotificationType
    public var category: NotificationCategory
    public var createdAt: Date?
    public var data: [String: String]
    public var title: String?
    public var body: String?
    /// The number for the badge of the app.
    public var badge: Int?
    public var threadIdentifier: String?
    public var imageURL: URL?

    public init(
        id: String, type: NotificationType, category: NotificationCategory, createdAt: Date? = nil, data: [String: String] = [:],
        title: String? = nil, body: String? = nil, badge: Int? = nil, threadIdentifier: String? = nil, imageURL: URL? = nil
    ) {
        self.id = id
        self.type = type
        self.category = category
        self.createdAt = createdAt
        self.data = data
        self.title = title
        self.body = body
        self.badge = badge
        self.threadIdentifier = threadIdentifier
        self.imageURL = imageURL
    }
}

/// A payload that cannot be read.
public struct UnknownPayload: Hashable, Sendable {
    public enum Reason: String, Codable, Sendable {
        /// Nothing stands beside `aps`.
        case missing
        /// The library knows no silent push of this type.
        case unknownType
        /// A member is missing or wrong.
        case malformed
    }

    public var reason: Reason
    /// The type that the payload names.
    public var type: String?
    /// The member that is missing or wrong, such as `file.key`. For a log.
    public var member: String?

    public init(reason: Reason, type: String? = nil, member: String? = nil) {
        self.reason = reason
        self.type = type
        self.member = member
    }
}
