/// One delivery of an escalating notification, as the step to the next channel sees it.
public struct EscalationMember: Sendable, Hashable {
    public var channel: Channel
    public var state: DeliveryState
    /// Held for an earlier channel, not for a time.
    public var isAwaiting: Bool
    /// A provider's copy, which reaches nobody and so decides nothing.
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

/// What a settled delivery means for the channels after it. Numbers are positions in the list given.
public enum Escalation: Sendable, Hashable {
    /// Something of an earlier channel is still under way, or nothing waits.
    case wait
    /// The next channel's turn: judge these again and send them.
    case start([Int])
    /// They are not needed: `suppressed` with `escalationNotNeeded`.
    case close([Int])
}

/// The next step of an escalation, given all its deliveries in planned order, after one of them has ended.
///
/// The next channel starts only when every delivery under way has ended and none reached the person. A cancelled delivery means that nobody
/// wants the rest either. A local notification that its device has not confirmed has reached nobody: it is only in a plan that the app may
/// never ask for.
public func nextEscalation(among members: [EscalationMember]) -> Escalation {
    let awaiting = members.indices.filter { members[$0].isAwaiting && !members[$0].state.isTerminal }
    guard let next = awaiting.first else { return .wait }
    let begun = members.filter { !$0.isAwaiting && !$0.isCopy }
    if begun.contains(where: { $0.hasReached || $0.state == .cancelled }) { return .close(awaiting) }
    if begun.contains(where: { !$0.state.isTerminal }) { return .wait }
    return .start(awaiting.filter { members[$0].channel == members[next].channel })
}
