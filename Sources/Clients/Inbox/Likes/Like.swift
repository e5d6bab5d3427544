public import Foundation

/// A like that the person received: `{id, name, photoURL, status, createdAt, serverIsBlurred}`.
public struct Like: Codable, Hashable, Sendable, Identifiable {
    /// The state of a like: 0 incoming, 1 mutual, 2 passed. A later number is kept as it is.
    public struct Status: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let incoming = Self(rawValue: 0)
        public static let mutual = Self(rawValue: 1)
        public static let passed = Self(rawValue: 2)
    }

    /// The id of the person who likes.
    public let id: String
    public var name: String
    public var photoURL: URL?
    public var status: Status
    public var createdAt: Date
    public var serverIsBlurred: Bool

    public init(
        id: String, name: String = "", photoURL: URL? = nil, status: Status = .incoming, createdAt: Date, serverIsBlurred: Bool = false
    ) {
        self.id = id
        self.name = name
        self.photoURL = photoURL
        self.status = status
        self.createdAt = createdAt
        self.serverIsBlurred = serverIsBlurred
    }

    private enum CodingKeys: String, CodingKey { case id, name, photoURL, status, createdAt, serverIsBlurred }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try members.decode(String.self, forKey: .id),
            name: try members.decodeIfPresent(String.self, forKey: .name) ?? "",
            photoURL: members.address(forKey: .photoURL),
            status: try members.decodeIfPresent(Status.self, forKey: .status) ?? .incoming,
            createdAt: try members.serverDate(forKey: .createdAt),
            serverIsBlurred: try members.decodeIfPresent(Bool.self, forKey: .serverIsBlurred) ?? false)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(name, forKey: .name)
        try members.encode(photoURL?.absoluteString, forKey: .photoURL)
        try members.encode(status, forKey: .status)
        try members.encode(ServerDate.text(createdAt), forKey: .createdAt)
        try members.encode(serverIsBlurred, forKey: .serverIsBlurred)
    }
}

/// The answer of a person to a like.
public enum LikeAction: String, Codable, Sendable, CaseIterable {
    case like, pass
}

/// A page of likes: `{data, meta: {next_cursor, reset_required}}`.
public struct LikesPage: Codable, Hashable, Sendable {
    public var likes: [Like]
    /// The cursor of the next older page. Nil on the last page.
    public var nextCursor: String?
    /// Whether the page replaces everything that the app has.
    public var resetRequired: Bool

    public init(likes: [Like], nextCursor: String? = nil, resetRequired: Bool = false) {
        self.likes = likes
        self.nextCursor = nextCursor
        self.resetRequired = resetRequired
    }

    private struct Meta: Codable {
        var next_cursor: String?
        var reset_required: Bool?
    }

    private enum CodingKeys: String, CodingKey { case data, meta }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let meta = try members.decodeIfPresent(Meta.self, forKey: .meta)
        self.init(
            likes: try members.decode([Like].self, forKey: .data), nextCursor: meta?.next_cursor,
            resetRequired: meta?.reset_required ?? false)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(likes, forKey: .data)
        try members.encode(Meta(next_cursor: nextCursor, reset_required: resetRequired), forKey: .meta)
    }
}
