public import TidingsContracts
public import TidingsCore

/// The record of one call to a provider.
public struct AttemptRecord: Sendable, Equatable {
    public var outcome: String
    public var reason: ReasonCode
    /// The provider's status. For HTTP it is the status code.
    public var status: Int?
    /// At most 500 printable bytes: a note of the provider about the message that was sent, and the service's answer.
    public var detail: String?
    /// Whether the provider may have acted on this call and may see the delivery again.
    public var possibleDuplicate: Bool
    public var startedAt: Timestamp
    public var finishedAt: Timestamp

    public init(
        outcome: String, reason: ReasonCode, status: Int? = nil, detail: String? = nil, possibleDuplicate: Bool = false,
        startedAt: Timestamp, finishedAt: Timestamp
    ) {
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.detail = detail
        self.possibleDuplicate = possibleDuplicate
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}

/// The way in which one delivery leaves its pack. The `Settlement` of the AMQP driver is another value: an acknowledgement or a rejection.
public struct Settlement: Sendable {
    public enum Exit: Sendable, Equatable {
        case ended(DeliveryState, ReasonCode)
        /// The delivery waits in `due`. `attempt` is the number of the next attempt.
        case waiting(until: Timestamp, kind: DueKind, attempt: Int, ReasonCode)
    }

    public var entry: PackEntry
    public var exit: Exit
    public var providerMessageID: String?
    /// Whether reports of the provider name the delivery by ``providerMessageID``.
    public var isReportedByMessageID: Bool
    /// Nil if no call was made.
    public var attempt: AttemptRecord?
    /// The time at which the provider reported that the endpoint is gone for good. An endpoint registered later is a different endpoint.
    public var endpointGoneAt: Timestamp?

    public init(
        _ entry: PackEntry, exit: Exit, providerMessageID: String? = nil, isReportedByMessageID: Bool = false,
        attempt: AttemptRecord? = nil, endpointGoneAt: Timestamp? = nil
    ) {
        self.entry = entry
        self.exit = exit
        self.providerMessageID = providerMessageID
        self.isReportedByMessageID = isReportedByMessageID
        self.attempt = attempt
        self.endpointGoneAt = endpointGoneAt
    }

    /// Whether the delivery's own row holds everything about a first successful call. A call with a detail needs a row of its own: for
    /// example, its text was shortened. A late outcome needs one too.
    var speaksForItself: Bool {
        if case .ended(let state, _) = exit { state.isSuccess && entry.attempt == 1 && attempt?.detail == nil } else { false }
    }

    /// The number of calls made so far, for a delivery that ended. For a waiting delivery, the number of the next attempt. A delivery that
    /// expired before its call was not attempted.
    var attemptsMade: Int {
        switch exit {
        case .ended(let state, _): attempt == nil && !state.isSuccess ? entry.attempt - 1 : entry.attempt
        case .waiting(_, _, let next, _): next
        }
    }

    var reason: ReasonCode {
        switch exit {
        case .ended(_, let reason), .waiting(_, _, _, let reason): reason
        }
    }
}

/// Deliveries of one pack that are settled together.
public struct PackSettlement: Sendable {
    public let pack: Pack
    public var settlements: [Settlement]
    /// ``PackClaims/claimedAt`` of the claim that got the pack.
    public let claimedAt: Timestamp
    /// Whether nothing that the worker claimed is left in the pack after these settlements.
    public var isLast: Bool

    public init(_ pack: Pack, _ settlements: [Settlement], claimedAt: Timestamp, isLast: Bool) {
        self.pack = pack
        self.settlements = settlements
        self.claimedAt = claimedAt
        self.isLast = isLast
    }
}

/// A settlement whose delivery had left its worker's pack, because the lease had ended.
struct LateSettlement: Sendable {
    let pack: Pack
    let claimedAt: Timestamp
    let settlement: Settlement
}
