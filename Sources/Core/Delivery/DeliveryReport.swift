/// A report of a provider about one delivery, sent some time after the provider accepted it.
public struct DeliveryReport: Sendable, Hashable {
    /// The name by which the report finds its delivery.
    public enum Reference: Sendable, Hashable {
        /// The delivery itself: the provider repeats the idempotency key that it got with the delivery.
        case delivery(NotificationID, ordinal: Int)
        /// The id that the provider gave the message.
        case message(String)
    }

    /// The provider's statement about the delivery.
    public enum Outcome: Sendable, Hashable {
        /// The person's device or address has the notification.
        case delivered
        /// The person opened the notification or followed a link in it. So it has arrived.
        case engaged
        /// The notification did not arrive, for this reason. If the endpoint is gone, nothing is sent to it again.
        case failed(ReasonCode, endpointGone: Bool)
        /// A step on the way that changes no state, such as "queued".
        case ignored
    }

    /// The most bytes of a reference and of a key.
    public static let longestText = 256

    /// Nil if the report names no delivery of Tidings.
    public var reference: Reference?
    public var outcome: Outcome
    /// The time of the event by the provider's clock. Nil if the report has none.
    public var at: Timestamp?
    /// The provider's name for the report. A second report of the same delivery with the same key is a repetition.
    public var key: String

    public init(_ reference: Reference?, _ outcome: Outcome, at: Timestamp? = nil, key: String) {
        self.reference = reference
        self.outcome = outcome
        self.at = at
        self.key = key
    }
}

extension DeliveryReport.Reference {
    /// Nil for a text that no provider's id of a message can be: empty, longer than ``DeliveryReport/longestText``, or with a NUL.
    public init?(messageID text: String) {
        guard (1...DeliveryReport.longestText).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        self = .message(text)
    }

    /// Reads the idempotency key of a delivery, `<notification>-<ordinal>`. Nil for every other text.
    public init?(idempotencyKey text: String) {
        let bytes = text.utf8
        guard let hyphen = bytes.lastIndex(of: UInt8(ascii: "-")), let id = NotificationID(String(text[..<hyphen])) else { return nil }
        let digits = bytes[bytes.index(after: hyphen)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let ordinal = Int16(String(Substring(digits)))
        else { return nil }
        self = .delivery(id, ordinal: Int(ordinal))
    }
}

/// The effect of a report on a delivery that has ended.
public enum ReportEffect: Sendable, Hashable {
    /// The delivery gets this state and reason.
    case move(DeliveryState, ReasonCode)
    /// The delivery keeps its state. A late report never moves a state back.
    case keep
}

/// Returns the effect of a report on a delivery with this state and reason.
///
/// - A delivery that is `sent` becomes `delivered` or `failed`: the provider had only accepted it.
/// - A delivery that failed because its outcome was not known gets the outcome that the report tells.
/// - A delivery that failed as a report told becomes `delivered`: the arrival is a fact, and the failure was a guess. So two reports have the
///   same effect in either order.
/// - A report of a failure with an unknown outcome tells nothing: the state stays.
/// - Every other state stays, also `delivered`: the report is kept in the history of the delivery.
///
/// - Parameter failedAsReported: whether a report told the failure of the delivery, and not the answer to its call.
public func effect(
    of outcome: DeliveryReport.Outcome, on state: DeliveryState, because reason: ReasonCode, failedAsReported: Bool = false
) -> ReportEffect {
    let mayFail: Bool
    switch state {
    case .sent: mayFail = true
    case .failed where reason == .outcomeUnknown: mayFail = true
    case .failed where failedAsReported: mayFail = false
    case .held, .queued, .retrying, .delivered, .suppressed, .cancelled, .expired, .failed: return .keep
    }
    return switch outcome {
    case .delivered, .engaged: .move(.delivered, .delivered)
    case .failed(.outcomeUnknown, _): .keep
    case .failed(let reason, _): mayFail ? .move(.failed, reason) : .keep
    case .ignored: .keep
    }
}
