public import TidingsCore
import TidingsPostgres

/// The two tables of messages that an operator may publish again or close.
public enum RefusedTable: String, Sendable {
    case rejected, dead

    var name: SQL { self == .rejected ? "tidings.rejected" : "tidings.dead" }
    /// The time of the last refusal, or the last time at which the message was set aside.
    var lastTime: SQL { self == .rejected ? "r.last_at" : "r.at" }
    /// The condition of an open row, in the words of the partial index.
    var isOpen: SQL { self == .rejected ? "r.state = 'open'" : "r.state in ('open', 'quarantined', 'trying')" }
    /// A text that changes with every refusal and with every act of an operator.
    var version: SQL {
        self == .rejected
            ? "r.state || ' ' || r.occurrences" : "r.state || ' ' || r.deaths || ' ' || extract(epoch from r.at)"
    }
    /// Null for a row that can be published again. Otherwise a value of ``WhyNot``.
    var whyNot: SQL {
        switch self {
        case .rejected:
            """
            case when r.state <> 'open' then 'closed' when r.replayable then null
                when octet_length(r.raw) = 0 and r.size > 0 then 'bytesNotKept'
                when octet_length(r.raw) < r.size then 'keptInPart'
                when exists (select from tidings.reason_codes c where c.code = r.reason and not c.retryable) then 'refusedAgain'
                else 'contentType' end
            """
        case .dead:
            """
            case when r.state not in ('open', 'quarantined', 'trying') then 'closed' when r.replay_headers is null then 'keptInPart' end
            """
        }
    }
}

/// The reason why a row is not published again.
public enum WhyNot: String, Sendable, CaseIterable {
    /// An operator, or the trial of a suspect, has dealt with the row.
    case closed
    /// The bytes were not kept, because the budget of the day was used up.
    case bytesNotKept
    /// The event was too large, so only its beginning was kept. Or not all headers of the message are known.
    case keptInPart
    /// The same event would be refused for the same reason at any time.
    case refusedAgain
    /// No intake understands the content type.
    case contentType
}

/// The rows that an operator selects. A row must meet every given condition. Without ids only open rows are selected.
public struct RefusedFilter: Sendable {
    public var ids: [Int64] = []
    public var reason: String?
    /// The range of the last refusal: from `since` up to, but not including, `until`.
    public var since: Timestamp?
    public var until: Timestamp?
    /// For rejected rows only, like `tenant` and `source`. An event without a tenant belongs to the tenant `default`.
    public var type: String?
    public var tenant: String?
    public var source: String?
    /// For dead rows only: the queue from which the message came.
    public var queue: String?

    public init() {}

    func conditions(in table: RefusedTable) -> SQL {
        let shared: SQL = """
            (\(reason) is null or r.reason = \(reason)) and (\(since?.timestamptz) is null or \(table.lastTime) >= \(since?.timestamptz))
                and (\(until?.timestamptz) is null or \(table.lastTime) < \(until?.timestamptz))
                and (\(!ids.isEmpty) or \(table.isOpen))
            """
        return switch table {
        case .rejected:
            """
            \(shared) and (\(type) is null or r.type = \(type)) and (\(source) is null or r.source = \(source))
                and (\(tenant) is null or coalesce(r.tenant, \(Intent.defaultTenant)) = \(tenant))
            """
        case .dead: "\(shared) and (\(queue) is null or r.queue = \(queue))"
        }
    }
}
