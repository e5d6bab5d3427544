/// The facts about a delivery that travel beside its content, the same at every station.
///
/// One value goes from the decision through packs to the provider, so that a new fact is declared here and named once on the wire.
public struct DeliveryHeader: Sendable, Hashable {
    public var notificationID: NotificationID
    /// The number of the delivery within the notification, from 0 in the order of the decision.
    public var ordinal: Int
    /// The number of the attempt that is asked for; the first is 1.
    public var attempt: Int
    public var tenant: String
    public var recipient: String
    public var type: String
    public var category: Category
    /// The time when the notification was accepted.
    public var createdAt: Timestamp
    /// W3C trace context of the producer, already validated.
    public var traceparent: String?
    /// The time from which the delivery is not sent at all. Nil: it never expires.
    public var expiresAt: Timestamp?

    public init(
        notificationID: NotificationID, ordinal: Int, attempt: Int, tenant: String, recipient: String, type: String, category: Category,
        createdAt: Timestamp, traceparent: String? = nil, expiresAt: Timestamp?
    ) {
        self.notificationID = notificationID
        self.ordinal = ordinal
        self.attempt = attempt
        self.tenant = tenant
        self.recipient = recipient
        self.type = type
        self.category = category
        self.createdAt = createdAt
        self.traceparent = traceparent
        self.expiresAt = expiresAt
    }

    /// The header of a delivery of an accepted intent.
    ///
    /// - Parameters:
    ///   - createdAt: the time when the intent was accepted.
    ///   - expiresAt: the expiry that was decided at acceptance. The intent itself may leave it to its type.
    public init(
        of intent: Intent, id: NotificationID, ordinal: Int, attempt: Int, category: Category, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.init(
            notificationID: id, ordinal: ordinal, attempt: attempt, tenant: intent.tenant, recipient: intent.recipient, type: intent.type,
            category: category, createdAt: createdAt, traceparent: intent.traceparent, expiresAt: expiresAt)
    }
}

/// A value with the header of a delivery, whose facts it shows as its own. The expiry is not among them: an entry of a pack always has one,
/// and a provider may get none.
public protocol HasDeliveryHeader {
    var header: DeliveryHeader { get }
}

extension HasDeliveryHeader {
    @inlinable public var notificationID: NotificationID { header.notificationID }
    @inlinable public var ordinal: Int { header.ordinal }
    @inlinable public var attempt: Int { header.attempt }
    @inlinable public var tenant: String { header.tenant }
    @inlinable public var recipient: String { header.recipient }
    @inlinable public var type: String { header.type }
    @inlinable public var category: Category { header.category }
    @inlinable public var createdAt: Timestamp { header.createdAt }
    @inlinable public var traceparent: String? { header.traceparent }
}
