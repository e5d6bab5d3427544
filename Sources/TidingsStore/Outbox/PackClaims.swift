public import TidingsCore
public import TidingsWire

/// One delivery of a notification.
public struct DeliveryKey: Sendable, Hashable, CustomStringConvertible {
    public let notificationID: NotificationID
    public let ordinal: Int

    public init(_ notificationID: NotificationID, _ ordinal: Int) {
        self.notificationID = notificationID
        self.ordinal = ordinal
    }

    /// As `tidings_ops.deliveries.delivery_id` spells it.
    public var description: String { "\(notificationID)/\(ordinal)" }

    /// What a provider sees, the same for every attempt: letters, digits and hyphens only, which every provider takes.
    public var idempotencyKey: String { "\(notificationID)-\(ordinal)" }
}

extension PackEntry {
    public var key: DeliveryKey { DeliveryKey(notificationID, ordinal) }
}

/// Where and with which secrets an endpoint is reached, as stored at this moment.
public struct EndpointAddress: Sendable {
    public let address: String
    /// For signing; the current one first.
    public let secrets: [String]
    /// Of a device: `ios`, `android` or `web`.
    public let platform: String?
    /// Of a device: `production` or `sandbox`.
    public let environment: String?
}

/// What a worker may send of the packs it asked for.
public struct PackClaims: Sendable {
    /// The deliveries that are ours now, by pack. A pack that is missing is settled, or another worker's.
    public internal(set) var members: [PackID: Set<DeliveryKey>] = [:]
    /// Claimed, but the recipient's settings changed after the decision: to be routed again.
    public internal(set) var outdated: Set<DeliveryKey> = []
    /// For deliveries that name an endpoint which exists.
    public internal(set) var addresses: [DeliveryKey: EndpointAddress] = [:]
    /// Unread notifications of the person at the time of the claim, at most ``Store/largestBadge``, where they were asked for.
    public internal(set) var badges: [DeliveryKey: Int] = [:]
    /// The database's time of the claim.
    public internal(set) var at: Timestamp = .distantPast
}
