public import Foundation

/// One notification in a person's inbox.
///
/// The JSON has the members `id, type, title, body, data, category, channel, createdAt, scheduledFor, isRead, icon, color, deepLink,
/// imageURL, groupKey, state, position, snoozedUntil`. Only `id` and `type` are required; further members are ignored. A
/// missing `createdAt` is read from the id.
public struct InboxItem: Codable, Hashable, Sendable, Identifiable {
    /// A UUID of version 7 in lower case.
    public let id: String
    public var type: NotificationType
    public var title: String
    public var body: String
    /// The data of the notification. The server encodes each value that is no text as JSON.
    public var data: [String: String]
    public var category: NotificationCategory
    public var channel: NotificationChannel
    public var createdAt: Date
    /// The time that the producer asked for. Nil for a notification that was sent at once.
    public var scheduledFor: Date?
    public var isRead: Bool
    /// The name of an SF Symbol, ``ItemAppearance/standard`` for a type without one.
    public var icon: String
    public var color: ItemColor
    /// The place in the app that a tap opens.
    public var deepLink: URL?
    public var imageURL: URL?
    /// Items of one group belong together, such as the messages of one thread.
    public var groupKey: String?
    public var state: ItemState
    /// The place in the list: the item with the higher position stands above. It grows in the order of arrival. 0 if it is not known, as in a
    /// push.
    public var position: Int64
    /// The end of the snooze. Nil for an item that is not snoozed.
    public var snoozedUntil: Date?

    public init(
        id: String, type: NotificationType, title: String = "", body: String = "", data: [String: String] = [:],
        category: NotificationCategory = .system, channel: NotificationChannel = .inApp, createdAt: Date, scheduledFor: Date? = nil,
        isRead: Bool = false, icon: String? = nil, color: ItemColor? = nil, deepLink: URL? = nil, imageURL: URL? = nil,
        groupKey: String? = nil, state: ItemState? = nil, position: Int64 = 0, snoozedUntil: Date? = nil
    ) {
        self.id = id
        self.type = type
        self.title = title
        self.body = body
        self.data = data
        self.category = category
        self.channel = channel
        self.createdAt = createdAt
        self.scheduledFor = scheduledFor
        self.isRead = isRead
        self.icon = icon ?? type.appearance.icon
        self.color = color ?? type.appearance.color
        self.deepLink = deepLink
        self.imageURL = imageURL
        self.groupKey = groupKey
        self.state = state ?? (isRead ? .read : .delivered)
        self.position = position
        self.snoozedUntil = snoozedUntil
    }

    /// Whether the item counts in the badge: neither read nor dismissed.
    public var isUnread: Bool { !isRead && state != .dismissed }

    private enum CodingKeys: String, CodingKey {
        case id, type, title, body, data, category, channel, createdAt, scheduledFor, isRead, icon, color, deepLink, imageURL, groupKey
        case state, position, snoozedUntil
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let id = try members.decode(String.self, forKey: .id)
        self.init(
            id: id,
            type: try members.decode(NotificationType.self, forKey: .type),
            title: try members.decodeIfPresent(String.self, forKey: .title) ?? "",
            body: try members.decodeIfPresent(String.self, forKey: .body) ?? "",
            data: try members.decodeIfPresent([String: JSONText].self, forKey: .data)?.mapValues(\.text) ?? [:],
            category: try members.decodeIfPresent(NotificationCategory.self, forKey: .category) ?? .system,
            channel: try members.decodeIfPresent(NotificationChannel.self, forKey: .channel) ?? .inApp,
            createdAt: try members.serverDateIfPresent(forKey: .createdAt) ?? ServerDate.date(ofID: id),
            scheduledFor: try members.serverDateIfPresent(forKey: .scheduledFor),
            isRead: try members.decodeIfPresent(Bool.self, forKey: .isRead) ?? false,
            icon: try members.decodeIfPresent(String.self, forKey: .icon),
            color: try members.decodeIfPresent(ItemColor.self, forKey: .color),
            deepLink: members.address(forKey: .deepLink),
            imageURL: members.address(forKey: .imageURL),
            groupKey: try members.decodeIfPresent(String.self, forKey: .groupKey),
            state: try members.decodeIfPresent(ItemState.self, forKey: .state),
            position: try members.decodeIfPresent(Int64.self, forKey: .position) ?? 0,
            snoozedUntil: try members.serverDateIfPresent(forKey: .snoozedUntil))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(type, forKey: .type)
        try members.encode(title, forKey: .title)
        try members.encode(body, forKey: .body)
        try members.encode(data, forKey: .data)
        try members.encode(category, forKey: .category)
        try members.encode(channel, forKey: .channel)
        try members.encode(ServerDate.text(createdAt), forKey: .createdAt)
        try members.encode(scheduledFor.map(ServerDate.text), forKey: .scheduledFor)
        try members.encode(isRead, forKey: .isRead)
        try members.encode(icon, forKey: .icon)
        try members.encode(color, forKey: .color)
        try members.encode(deepLink?.absoluteString, forKey: .deepLink)
        try members.encode(imageURL?.absoluteString, forKey: .imageURL)
        try members.encode(groupKey, forKey: .groupKey)
        try members.encode(state, forKey: .state)
        try members.encode(position, forKey: .position)
        try members.encode(snoozedUntil.map(ServerDate.text), forKey: .snoozedUntil)
    }
}
