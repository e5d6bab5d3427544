/// The settings that a category gives to its types.
public struct CategoryPolicy: Sendable, Hashable {
    /// The channels of a type that names none, in order.
    public var channels: [Channel]
    public var lane: Lane
    /// The treatment of deliveries in the quiet hours of the person.
    public var quietHours: QuietPolicy
    /// The treatment of an attempt if it is unknown whether the provider got the delivery.
    public var unknownOutcome: UnknownPolicy
    public var retry: RetryPolicy
    /// The time to live of a notification. It counts from acceptance or from the scheduled time, whichever is later.
    public var expiry: Duration

    public init(
        channels: [Channel],
        lane: Lane,
        quietHours: QuietPolicy,
        unknownOutcome: UnknownPolicy,
        retry: RetryPolicy = .standard,
        expiry: Duration
    ) {
        self.channels = channels
        self.lane = lane
        self.quietHours = quietHours
        self.unknownOutcome = unknownOutcome
        self.retry = retry
        self.expiry = expiry
    }

    /// Returns the built-in policy of a category.
    ///
    /// - Quiet hours never hold transactional notifications. The other categories wait.
    /// - After an unknown outcome every category except marketing sends again. A marketing offer is not worth a second copy.
    /// - Transactional and system notifications expire after three days, because three days outlast a weekend.
    /// - Marketing and social notifications expire after one day, because an offer or another person's like is stale by then.
    public static func standard(for category: Category) -> CategoryPolicy {
        let lane = category.defaultLane
        return switch category {
        case .transactional:
            CategoryPolicy(channels: [.push, .inApp], lane: lane, quietHours: .ignore, unknownOutcome: .resend, expiry: threeDays)
        case .marketing:
            CategoryPolicy(channels: [.push], lane: lane, quietHours: .hold, unknownOutcome: .stop, expiry: oneDay)
        case .social:
            CategoryPolicy(channels: [.inApp], lane: lane, quietHours: .hold, unknownOutcome: .resend, expiry: oneDay)
        case .system:
            CategoryPolicy(channels: [.local, .inApp], lane: lane, quietHours: .hold, unknownOutcome: .resend, expiry: threeDays)
        }
    }

    private static let oneDay = Duration.seconds(86_400)
    private static let threeDays = Duration.seconds(3 * 86_400)
}

/// The treatment of a delivery that is due in the person's quiet hours.
public enum QuietPolicy: String, CaseIterable, Sendable, Hashable {
    /// The delivery waits until the quiet hours end.
    case hold
    /// The delivery is not sent.
    case drop
    /// The inbox gets the notification at once and without a sound. Deliveries on other channels are not sent.
    case inAppOnly
    /// The delivery is sent as at any other time.
    case ignore
}

/// The treatment of an attempt with an unknown outcome: bytes left and no answer came, or the worker died.
public enum UnknownPolicy: String, CaseIterable, Sendable, Hashable {
    /// At least once: the delivery is sent again and may arrive twice. The second attempt is recorded as a possible duplicate.
    case resend
    /// At most once: the delivery fails without another attempt.
    case stop
}
