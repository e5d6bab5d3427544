public import TidingsCore

/// One delivery with all that a provider needs to send it.
public struct OutgoingDelivery: Sendable, Hashable {
    public var notificationID: NotificationID
    /// Which delivery of the notification, from 0.
    public var ordinal: Int
    /// Which attempt at it, from 1.
    public var attempt: Int
    public var tenant: String
    public var recipient: String
    public var type: String
    public var category: Category
    public var title: String?
    public var body: String?
    /// The text of a JSON object, already checked; it is passed on as it stands.
    public var data: String
    /// When the notification was accepted.
    public var createdAt: Timestamp
    /// Where to: a URL, a token, …; nil for providers that address the person.
    public var endpointAddress: String?
    /// The endpoint's signing secrets, newest first; several while they are being changed.
    public var secrets: [String]
    /// The same for every attempt at this delivery and different for every other: what a receiver recognises a repetition by.
    public var idempotencyKey: String
    /// W3C trace context of the producer.
    public var traceparent: String?
    public var groupKey: String?
    public var collapseKey: String?
    /// Wakes the app and shows nothing: the type is declared `silent`.
    public var silent: Bool
    /// How much what shows may disturb; nil leaves it to the platform.
    public var interruptionLevel: InterruptionLevel?
    /// The person's unread notifications, for the number on the app's icon; nil where it is not known.
    public var badge: Int?
    /// Past this the provider should not deliver it either; nil where that does not matter.
    public var expiresAt: Timestamp?
    /// The device behind ``endpointAddress``; nil for an address that is no device.
    public var device: OutgoingDevice?

    public init(
        notificationID: NotificationID, ordinal: Int, attempt: Int, tenant: String, recipient: String, type: String, category: Category,
        title: String? = nil, body: String? = nil, data: String = "{}", createdAt: Timestamp, endpointAddress: String? = nil,
        secrets: [String] = [], idempotencyKey: String, traceparent: String? = nil, groupKey: String? = nil, collapseKey: String? = nil,
        silent: Bool = false, interruptionLevel: InterruptionLevel? = nil, badge: Int? = nil, expiresAt: Timestamp? = nil,
        device: OutgoingDevice? = nil
    ) {
        self.notificationID = notificationID
        self.ordinal = ordinal
        self.attempt = attempt
        self.tenant = tenant
        self.recipient = recipient
        self.type = type
        self.category = category
        self.title = title
        self.body = body
        self.data = data
        self.createdAt = createdAt
        self.endpointAddress = endpointAddress
        self.secrets = secrets
        self.idempotencyKey = idempotencyKey
        self.traceparent = traceparent
        self.groupKey = groupKey
        self.collapseKey = collapseKey
        self.silent = silent
        self.interruptionLevel = interruptionLevel
        self.badge = badge
        self.expiresAt = expiresAt
        self.device = device
    }
}

extension OutgoingDelivery {
    /// What a person would see and an app would read: deliveries of equal content may go out in one call, where the provider can.
    public struct Content: Sendable, Hashable {
        public var type: String
        public var category: Category
        public var title: String?
        public var body: String?
        public var data: String
        public var groupKey: String?
        public var collapseKey: String?
        public var silent: Bool
        public var interruptionLevel: InterruptionLevel?
        public var badge: Int?
        public var expiresAt: Timestamp?
    }

    public var content: Content {
        Content(
            type: type, category: category, title: title, body: body, data: data, groupKey: groupKey, collapseKey: collapseKey,
            silent: silent, interruptionLevel: interruptionLevel, badge: badge, expiresAt: expiresAt)
    }
}

/// What a push provider must know of a device beside its token.
public struct OutgoingDevice: Sendable, Hashable {
    /// `ios`, `android` or `web`.
    public var platform: String
    /// `production` or `sandbox`: which of a platform's servers issued the token.
    public var environment: String

    public init(platform: String, environment: String) {
        self.platform = platform
        self.environment = environment
    }
}
