/// The state of one delivery.
///
///     held → queued → sent → delivered          queued ⇄ retrying
///
/// `suppressed`, `cancelled`, `expired` and `failed` are ends without success. Each state without success carries a ``ReasonCode``.
///
/// A local notification is `sent` when it is in its device's plan, and `delivered` when the device has confirmed that. It may be taken back
/// until it is shown.
public enum DeliveryState: String, CaseIterable, Sendable, Hashable {
    /// Waits for a time (schedule, end of quiet hours) or for an earlier channel.
    case held
    /// In a pack, on its way to a worker.
    case queued
    /// An attempt failed in a way that may pass. The delivery waits for the next one.
    case retrying
    /// The provider accepted the delivery. The state is an end, though it may still become `delivered`.
    case sent
    /// The delivery is known to have arrived: stored in the inbox, answered with 2xx, or confirmed by the device or the provider.
    case delivered
    /// The rules decided not to send. This is not a failure.
    case suppressed
    /// The delivery was cancelled before it was sent.
    case cancelled
    /// The time to live ended before the delivery was sent.
    case expired
    /// The delivery was tried without success, and no further attempt follows.
    case failed

    /// True when nothing more happens by itself. A `sent` delivery is terminal and may still be confirmed.
    public var isTerminal: Bool {
        switch self {
        case .held, .queued, .retrying: false
        case .sent, .delivered, .suppressed, .cancelled, .expired, .failed: true
        }
    }

    /// True when the person was reached, as far as Tidings can know.
    public var isSuccess: Bool {
        self == .sent || self == .delivered
    }
}
