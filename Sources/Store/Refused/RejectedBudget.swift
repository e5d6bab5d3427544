package import TidingsContracts

/// The limits for the bytes of refused events that are kept in one day of UTC. Beyond the budget the row of a refusal keeps size and
/// SHA-256 without the bytes, and is not replayable.
///
/// A router compares with the bytes that other routers have committed. Batches that are written at the same moment may exceed the budget
/// together.
package enum RejectedBudget {
    /// At this rate a faulty producer fills 30 GiB in the 30 days of a closed row. In the 60 days of an open row the producer fills 60 GiB.
    /// A maintained disk has that space.
    package static let bytesADay: Int64 = 1 << 30
    /// One tenant may use half of the day's budget and leaves the other half to the other tenants.
    package static let bytesADayOfTenant: Int64 = 1 << 29
    /// The number of shares. A hash assigns each tenant to a share, because a producer may name any number of tenants. Two tenants with one
    /// share divide the budget of one tenant.
    package static let shares: UInt64 = 64
    /// Counters of one share, so that routers seldom wait for each other's commit. ``shares`` times this number bounds the rows that one
    /// check reads.
    package static let parts: Int16 = 8

    /// The share of the tenant that a refused event names. Anybody may name a tenant in an event that is not verified, so all such events have
    /// one share.
    package static func share(of rejection: Rejection) -> Int16 {
        let tenant = rejection.isVerified ? rejection.tenant ?? "" : ""
        return Int16(Digest128(hashing: Array(tenant.utf8)).low % shares)
    }

    static func anyPart() -> Int16 { Int16.random(in: 0..<parts) }
}
