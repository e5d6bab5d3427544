/// The relation between the channels of one notification.
public enum Strategy: String, CaseIterable, Sendable, Hashable {
    /// Every channel at once, each on its own.
    case all
    /// One channel after another: the next starts only when the one before cannot reach the person.
    case escalate
}
