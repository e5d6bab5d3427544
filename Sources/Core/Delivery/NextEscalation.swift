/// The facts about one delivery of an escalating notification that decide the step to the next channel.
public struct EscalationMember: Sendable, Hashable {
    public var channel: Channel
    public var state: DeliveryState
    /// Whether the delivery is held for an earlier channel, not for a time.
    public var isAwaiting: Bool
    /// Whether the delivery is a copy for a provider. A copy reaches no person, so it decides nothing.
    public var isCopy: Bool

    public init(channel: Channel, state: DeliveryState, isAwaiting: Bool, isCopy: Bool = false) {
        self.channel = channel
        self.state = state
        self.isAwaiting = isAwaiting
        self.isCopy = isCopy
    }
}

extension EscalationMember {
    fileprivate var hasReached: Bool { channel == .local ? state == .delivered : state.isSuccess }
}

/// The consequence of a settled delivery for the channels after it. Numbers are positions in the list given.
public enum Escalation: Sendable, Hashable {
    /// Nothing to do: a delivery of an earlier channel is still under way, or no delivery waits.
    case wait
    /// The next channel's turn: judge these deliveries again and send them.
    case start([Int])
    /// These deliveries are not needed. They become `suppressed` with `escalationNotNeeded`.
    case close([Int])
}

/// Returns the next step of an escalation after one of its deliveries has ended. `members` are all its deliveries in planned order.
///
/// The next channel starts only when every delivery under way has ended and none reached the person. If a delivery was cancelled, the rest
/// is not wanted either. A local notification that its device has not confirmed has reached no person: it is in a plan that the app may
/// never fetch.
public func nextEscalation(among members: [EscalationMember]) -> Escalation {
    let awaiting = members.indices.filter { members[$0].isAwaiting && !members[$0].state.isTerminal }
    guard let next = awaiting.first else { return .wait }
    let begun = members.filter { !$0.isAwaiting && !$0.isCopy }
    if begun.contains(where: { $0.hasReached || $0.state == .cancelled }) { return .close(awaiting) }
    if begun.contains(where: { !$0.state.isTerminal }) { return .wait }
    return .start(awaiting.filter { members[$0].channel == members[next].channel })
}
