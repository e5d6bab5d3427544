/// One numbered, append-only step of the schema. Its SQL never changes after a release; a correction is a new number.
public struct Migration: Sendable {
    /// What a migration means for the binaries that run meanwhile.
    public enum Kind: String, Sendable {
        /// Only adds: every earlier binary starts, runs and stops on the new schema.
        case expand
        /// Takes away something that earlier binaries use. They do not start any more.
        case contract
    }

    public let number: Int
    public let name: String
    public let kind: Kind
    /// The oldest schema whose binaries work on this one, where it is neither any schema nor this step's own.
    var oldestBinary: Int?
    /// Runs in one transaction together with the row that records it.
    public let sql: String

    /// The number that a binary must know to start on this schema; nil when every binary may. A `contract` step raises it to its own number
    /// unless it names another.
    public var oldestBinarySchema: Int? { oldestBinary ?? (kind == .contract ? number : nil) }

    /// Every migration of this binary, in order.
    public static let all: [Migration] = [
        tables, opsViews, enqueueAndRoles, comments, planner, enqueueLimits, leastPrivilege, pauses, yielding, find, devices, failover,
        localPlans, shares, findByDay, largePast, byRecipient, byTenant, words, recentKeys, claims, outbox, retention, catalogueHistory,
        compatibility, health, identities, dueByProvider, feedback,
    ]
    /// The schema this binary needs.
    public static var latest: Int { all[all.count - 1].number }
}
