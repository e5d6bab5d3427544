public import TidingsCore
import TidingsPostgres

/// The two tables of messages that an operator may publish again or close.
public enum RefusedTable: String, Sendable {
    case rejected, dead

    /// States in which nobody has dealt with the row.
    public var openStates: [String] { self == .rejected ? ["open"] : ["open", "quarantined", "trying"] }

    var name: SQL { self == .rejected ? "tidings.rejected" : "tidings.dead" }
    /// The time of the last refusal, or of the last time at which the message was set aside.
    var lastTime: SQL { self == .rejected ? "r.last_at" : "r.at" }
    /// As the partial index has it.
    var isOpen: SQL { self == .rejected ? "r.state = 'open'" : "r.state in ('open', 'quarantined', 'trying')" }
    /// Changes with every refusal, and with every act of an operator.
    var version: SQL {
        self == .rejected
            ? "r.state || ' ' || r.occurrences" : "r.state || ' ' || r.deaths || ' ' || extract(epoch from r.at)"
    }
    /// Null for a row that can be published again; else a word of ``WhyNot``.
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
        case .dead: "case when r.state not in ('open', 'quarantined', 'trying') then 'closed' end"
        }
    }
}

/// Why a row is not published again.
public enum WhyNot: String, Sendable, CaseIterable {
    /// An operator, or the trial of a suspect, has dealt with it.
    case closed
    /// The budget of its day was used up.
    case bytesNotKept
    /// It was too large.
    case keptInPart
    /// Its reason holds for the same event at any time.
    case refusedAgain
    /// Nothing that takes it in understands its content type.
    case contentType
}

/// Which rows an operator means. All that is given must hold. Without ids only open rows are meant.
public struct RefusedFilter: Sendable {
    public var ids: [Int64] = []
    public var reason: String?
    /// From and until when a row was refused last. The end is not included.
    public var since: Timestamp?
    public var until: Timestamp?
    /// Of rejected rows. An event that names no tenant is of the tenant `default`.
    public var type: String?
    public var tenant: String?
    public var source: String?
    /// Of dead rows: the queue they came from.
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
