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

    public init(
        notificationID: NotificationID, ordinal: Int, attempt: Int, tenant: String, recipient: String, type: String, category: Category,
        title: String? = nil, body: String? = nil, data: String = "{}", createdAt: Timestamp, endpointAddress: String? = nil,
        secrets: [String] = [], idempotencyKey: String, traceparent: String? = nil, groupKey: String? = nil, collapseKey: String? = nil
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
    }
}
