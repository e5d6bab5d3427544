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

    /// Reads the columns `notification_id` and `ordinal` by name. The row may have other columns.
    init(_ row: PostgresRow) throws { self.init(try row.decode("notification_id"), try row.decode("ordinal")) }

    /// The spelling of `tidings_ops.deliveries.delivery_id`.
    public var description: String { "\(notificationID)/\(ordinal)" }

    /// The idempotency key that a provider sees, the same for every attempt. It has only letters, digits and hyphens, which every provider
    /// accepts.
    public var idempotencyKey: String { "\(notificationID)-\(ordinal)" }
}

extension PackEntry {
    public var key: DeliveryKey { DeliveryKey(notificationID, ordinal) }
}

/// The address and the secrets of an endpoint, as stored at this moment.
public struct EndpointAddress: Sendable {
    public let address: String
    /// The signing secrets, the current one first.
    public let secrets: [String]
    /// The platform of a device: `ios`, `android` or `web`.
    public let platform: String?
    /// The environment of a device: `production` or `sandbox`.
    public let environment: String?
}

/// The deliveries that a worker may send, of the packs that it asked for.
public struct PackClaims: Sendable {
    /// The deliveries that belong to this worker now, by pack. A missing pack is settled, or belongs to another worker.
    public internal(set) var members: [PackID: Set<DeliveryKey>] = [:]
    /// Claimed deliveries whose recipient's settings changed after the decision. They must be routed again.
    public internal(set) var outdated: Set<DeliveryKey> = []
    /// Claimed deliveries whose recipient was erased. They end without a call.
    public internal(set) var erased: Set<DeliveryKey> = []
    /// The addresses of the deliveries that name an existing endpoint.
    public internal(set) var addresses: [DeliveryKey: EndpointAddress] = [:]
    /// The number of unread notifications of the person at the time of the claim, at most ``Store/largestBadge``. Empty unless the claim
    /// asked for badges.
    public internal(set) var badges: [DeliveryKey: Int] = [:]
    /// The instant at which the claim was requested, by a clock that also counts sleep. The lease in the database begins later, so it ends
    /// later too.
    public internal(set) var askedAt: ContinuousClock.Instant

    /// The database's time of the claim, the same for all its packs. An attempt that a releaser writes for a dead worker names its claim by
    /// this time. ``Timestamp/distantPast`` if no pack was claimed.
    public internal(set) var claimedAt = Timestamp.distantPast

    init(askedAt: ContinuousClock.Instant) {
        self.askedAt = askedAt
    }

    /// Whether a call that begins at `now` and takes at most `duration` ends within the lease. After the lease another worker may send the
    /// deliveries, or an operator may cancel them.
    public func hasRoom(forCall duration: Duration, at now: ContinuousClock.Instant = .now) -> Bool {
        now + duration + Self.callSlack < askedAt + .seconds(Store.leaseSeconds)
    }

    /// The time by which a provider may end a call later than it promises.
    package static let callSlack = Duration.seconds(1)

    /// Whether the recipients' settings that the claim read are too old to send by.
    public func needsAnotherLook(at now: ContinuousClock.Instant = .now) -> Bool { now - askedAt > Self.freshness }

    /// The longest age of the recipients' settings for a send. It is 0.5 s less than the promised 2 s, because the wait for room at the
    /// provider is added.
    package static let freshness = Duration.milliseconds(1_500)
}

/// The id of one try of a worker to claim packs. If the answer is lost, the same try again recognises its own claim. A redelivered message
/// is a different try and gets nothing.
public struct ClaimID: Sendable, Hashable {
    let uuid: PostgresUUID

    public init(_ id: NotificationID) { uuid = id.uuid }
}
