public import TidingsContracts
public import TidingsCore

/// One call to a provider, as it is recorded.
public struct AttemptRecord: Sendable {
    public var outcome: String
    public var reason: ReasonCode
    /// The provider's status, for HTTP the status code.
    public var status: Int?
    /// At most 500 printable bytes of what the provider said.
    public var detail: String?
    /// The provider may have acted on this call, and may see the delivery again.
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

/// How one delivery leaves its pack.
public struct Settlement: Sendable {
    public enum Exit: Sendable {
        case ended(DeliveryState, ReasonCode)
        /// Back to `due`; `attempt` is the number of the next attempt.
        case waiting(until: Timestamp, kind: DueKind, attempt: Int, ReasonCode)
    }

    public var entry: PackEntry
    public var exit: Exit
    public var providerMessageID: String?
    /// Nil when no call was made.
    public var attempt: AttemptRecord?
    /// The endpoint told that it was gone for good at this time; one registered later is another.
    public var endpointGoneAt: Timestamp?

    public init(
        _ entry: PackEntry, exit: Exit, providerMessageID: String? = nil, attempt: AttemptRecord? = nil, endpointGoneAt: Timestamp? = nil
    ) {
        self.entry = entry
        self.exit = exit
        self.providerMessageID = providerMessageID
        self.attempt = attempt
        self.endpointGoneAt = endpointGoneAt
    }

    /// The first call succeeded: the delivery's own row says it all, unless the outcome comes too late to be that row.
    var speaksForItself: Bool {
        if case .ended(let state, _) = exit { state.isSuccess && entry.attempt == 1 } else { false }
    }

    /// Calls made so far for an ending; for waiting, the number of the next one. What expired before its call was not attempted.
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
    /// After these nothing of what the worker claimed is left in the pack.
    public var isLast: Bool

    public init(_ pack: Pack, _ settlements: [Settlement], isLast: Bool) {
        self.pack = pack
        self.settlements = settlements
        self.isLast = isLast
    }
}
