/// One numbered, append-only step of the schema. Its SQL never changes after a release; a correction is a new number.
public struct Migration: Sendable {
    /// What a migration means for the binaries that run meanwhile.
    public enum Kind: String, Sendable {
        /// Only adds: the previous release goes on working.
        case expand
        /// Takes away what the previous release no longer uses.
        case contract
    }

    public let number: Int
    public let name: String
    public let kind: Kind
    /// Runs in one transaction together with the row that records it.
    public let sql: String

    /// Every migration of this binary, in order.
    public static let all: [Migration] = [
        tables, opsViews, enqueueAndRoles, comments, planner, enqueueLimits, leastPrivilege, pauses, yielding, find, devices, failover,
        localPlans, shares, findByDay, largePast, byRecipient, byTenant, words, recentKeys, claims,
    ]
    /// The schema this binary needs.
    public static var latest: Int { all[all.count - 1].number }
}
