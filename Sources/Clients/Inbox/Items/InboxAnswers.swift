/// Numbers of a person's whole inbox.
public struct InboxCounts: Codable, Hashable, Sendable {
    /// Items that the server lists: neither deleted nor snoozed.
    public var total: Int
    /// The badge of the app.
    public var unreadCount: Int

    public init(total: Int = 0, unreadCount: Int = 0) {
        self.total = total
        self.unreadCount = unreadCount
    }
}

/// Advice about the permission to show notifications.
public struct PermissionHint: OpenWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The device may not show notifications. The app may offer the way to the system's settings.
    public static let openSettings = Self(rawValue: "openSettings")
}

/// One page of the inbox, the last arrival first: `{notifications, total, unreadCount, limit, offset | nextCursor and position,
/// permissionHint}`.
public struct InboxPage: Codable, Hashable, Sendable {
    public var notifications: [InboxItem]
    public var total: Int
    public var unreadCount: Int
    /// The limit in force: the server caps it to 100.
    public var limit: Int
    /// The number of skipped items. Nil for a page that was asked for by cursor.
    public var offset: Int?
    /// The cursor of the next older page. Nil on the last page, and for a page that was asked for by offset.
    public var nextCursor: String?
    /// The newest position of the inbox, from which an event stream goes on. Nil for a page that was asked for by offset.
    public var position: Int64?
    public var permissionHint: PermissionHint?

    public init(
        notifications: [InboxItem], total: Int, unreadCount: Int, limit: Int = 20, offset: Int? = nil, nextCursor: String? = nil,
        position: Int64? = nil, permissionHint: PermissionHint? = nil
    ) {
        self.notifications = notifications
        self.total = total
        self.unreadCount = unreadCount
        self.limit = limit
        self.offset = offset
        self.nextCursor = nextCursor
        self.position = position
        self.permissionHint = permissionHint
    }

    public var counts: InboxCounts { InboxCounts(total: total, unreadCount: unreadCount) }

    /// Leaves out an item that cannot be read, so that one wrong item does not hide the others.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            notifications: try members.decode([Readable<InboxItem>].self, forKey: .notifications).compactMap(\.value),
            total: try members.decode(Int.self, forKey: .total),
            unreadCount: try members.decode(Int.self, forKey: .unreadCount),
            limit: try members.decodeIfPresent(Int.self, forKey: .limit) ?? 20,
            offset: try members.decodeIfPresent(Int.self, forKey: .offset),
            nextCursor: try members.decodeIfPresent(String.self, forKey: .nextCursor),
            position: try members.decodeIfPresent(Int64.self, forKey: .position),
            permissionHint: try members.decodeIfPresent(PermissionHint.self, forKey: .permissionHint))
    }
}

/// An element of a list, or nil for one that cannot be read.
struct Readable<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}

/// An item as it is after a change: `{notification, unreadCount}`.
public struct ItemAnswer: Codable, Hashable, Sendable {
    public var notification: InboxItem
    public var unreadCount: Int

    public init(notification: InboxItem, unreadCount: Int) {
        self.notification = notification
        self.unreadCount = unreadCount
    }
}

/// The answer to “read all”: `{updated, unreadCount}`.
public struct ReadAllAnswer: Codable, Hashable, Sendable {
    /// Items that were unread before.
    public var updated: Int
    public var unreadCount: Int

    public init(updated: Int, unreadCount: Int) {
        self.updated = updated
        self.unreadCount = unreadCount
    }
}

/// The answer to “clear all”: `{removed, unreadCount}`.
public struct ClearAllAnswer: Codable, Hashable, Sendable {
    public var removed: Int
    public var unreadCount: Int

    public init(removed: Int, unreadCount: Int) {
        self.removed = removed
        self.unreadCount = unreadCount
    }
}

/// `{unreadCount}`.
struct UnreadCountAnswer: Codable, Sendable {
    var unreadCount: Int
}
