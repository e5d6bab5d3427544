/// What a category decides for its types.
public struct CategoryPolicy: Sendable, Hashable {
    /// The channels of a type that names none, in order.
    public var channels: [Channel]
    public var lane: Lane
    /// What happens in the person's quiet hours.
    public var quietHours: QuietPolicy
    /// What happens when nobody can say whether a provider got a delivery.
    public var unknownOutcome: UnknownPolicy
    public var retry: RetryPolicy
    /// How long after acceptance, or after its scheduled time, a notification is still worth sending.
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

    /// The built-in policy of a category.
    ///
    /// Transactional news is never held by quiet hours; the rest waits. An offer that may have arrived is not worth a second copy;
    /// everything else is. Three days outlast a weekend; an offer or another person's like is stale after one.
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

/// What happens to a delivery that would go out in the person's quiet hours.
public enum QuietPolicy: String, CaseIterable, Sendable, Hashable {
    /// It waits until they end.
    case hold
    /// It is not sent.
    case drop
    /// The inbox gets it at once, without a sound; the other channels are not sent.
    case inAppOnly
    /// It goes out.
    case ignore
}

/// What happens when bytes left and no answer came, or the worker died.
public enum UnknownPolicy: String, CaseIterable, Sendable, Hashable {
    /// It is sent again: arrives for certain, perhaps twice. The second send is recorded as a possible duplicate.
    case resend
    /// It is given up as failed: arrives at most once.
    case stop
}
