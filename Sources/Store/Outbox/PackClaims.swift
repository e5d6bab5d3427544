public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// One delivery of a notification.
public struct DeliveryKey: Sendable, Hashable, CustomStringConvertible {
    public let notificationID: NotificationID
    public let ordinal: Int

    public init(_ notificationID: NotificationID, _ ordinal: Int) {
        self.notificationID = notificationID
        self.ordinal = ordinal
    }

    /// Reads the columns `notification_id, ordinal`, by name and whatever other columns the row has.
    init(_ row: PostgresRow) throws { self.init(try row.decode("notification_id"), try row.decode("ordinal")) }

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
    /// When the claim was asked for, by a clock that also counts sleep. The lease in the database begins later, so it ends later too.
    public internal(set) var askedAt: ContinuousClock.Instant

    init(askedAt: ContinuousClock.Instant) {
        self.askedAt = askedAt
    }

    /// Whether a call that begins at `now` and takes `duration` at most ends within the lease. After the lease the deliveries are in other hands:
    /// sent again by another worker, or cancelled.
    public func hasRoom(forCall duration: Duration, at now: ContinuousClock.Instant = .now) -> Bool {
        now + duration + Self.callSlack < askedAt + .seconds(Store.leaseSeconds)
    }

    /// A provider may end a call this much later than it promises.
    package static let callSlack = Duration.seconds(1)

    /// Whether the recipients' settings that were read with the claim are too old to send by.
    public func needsAnotherLook(at now: ContinuousClock.Instant = .now) -> Bool { now - askedAt > Self.freshness }

    /// Half a second less than the 2 s that are promised: the wait for room at the provider comes on top.
    package static let freshness = Duration.milliseconds(1_500)
}

/// Names one try of a worker to claim packs. If the answer is lost, the same try again recognises its own claim; a repeated message, which is
/// another try, gets nothing.
public struct ClaimID: Sendable, Hashable {
    let uuid: PostgresUUID

    public init(_ id: NotificationID) { uuid = id.uuid }
}
