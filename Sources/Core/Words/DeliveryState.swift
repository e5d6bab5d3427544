/// Where one delivery stands.
///
///     held → queued → sent → delivered          queued ⇄ retrying
///
/// `suppressed`, `cancelled`, `expired` and `failed` are ends without success. Each non-success carries a ``ReasonCode``. A local notification is
/// `sent` when it is in its device's plan, `delivered` when the device has confirmed that, and may be taken back until it is shown.
public enum DeliveryState: String, CaseIterable, Sendable, Hashable {
    /// Waits for a time (schedule, end of quiet hours) or for an earlier channel.
    case held
    /// In a pack, on its way to a worker.
    case queued
    /// An attempt failed in a way that may pass; waits for the next one.
    case retrying
    /// The provider accepted it. An end, though it may still become `delivered`.
    case sent
    /// Known to have arrived: durable in the inbox, a 2xx answer, or confirmed by the device or the provider.
    case delivered
    /// Decided not to send. Skipping is not failing.
    case suppressed
    /// Called back before it left.
    case cancelled
    /// Its time ran out before it left.
    case expired
    /// Tried, and given up.
    case failed

    /// True when nothing more happens by itself. A `sent` delivery is terminal and may still be confirmed.
    public var isTerminal: Bool {
        switch self {
        case .held, .queued, .retrying: false
        case .sent, .delivered, .suppressed, .cancelled, .expired, .failed: true
        }
    }

    /// True when the person was reached as far as anybody can tell.
    public var isSuccess: Bool {
        self == .sent || self == .delivered
    }

    /// The states that may follow this one by themselves. Writing the same state again is not a transition.
    ///
    /// An operator's retry of a `failed` delivery is the one way out of an end; see ``mayBeRetriedByOperator``.
    public var successors: Set<DeliveryState> {
        switch self {
        case .held: [.queued, .suppressed, .cancelled, .expired, .failed]
        case .queued: [.held, .retrying, .sent, .delivered, .suppressed, .cancelled, .expired, .failed]
        case .retrying: [.held, .queued, .suppressed, .cancelled, .expired, .failed]
        case .sent: [.delivered]
        case .delivered, .suppressed, .cancelled, .expired, .failed: []
        }
    }

    /// Whether a local notification may leave this state before its device has shown it: a plan can be changed until then. It becomes
    /// `cancelled`, `suppressed` or `expired`.
    public var mayBeTakenBackFromPlan: Bool {
        isSuccess
    }

    /// Whether this state may be followed by `next`.
    public func mayBecome(_ next: DeliveryState) -> Bool {
        successors.contains(next)
    }

    /// Whether an operator may start this delivery again, which makes it `queued`.
    public var mayBeRetriedByOperator: Bool {
        self == .failed
    }
}
