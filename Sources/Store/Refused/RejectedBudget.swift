import TidingsContracts

/// Bytes of refused events that are kept in a day of UTC. Beyond the budget a refusal keeps its row with size and SHA-256, and is not replayable.
///
/// A router compares with what others had committed, so the batches that are written at the same moment may go beyond it together.
package enum RejectedBudget {
    /// A faulty producer fills 30 GiB in the 30 days of a closed row, or 60 GiB in the 60 of an open one: a disk that somebody looks after has them.
    package static let bytesADay: Int64 = 1 << 30
    /// One tenant leaves half of the day to the others.
    package static let bytesADayOfTenant: Int64 = 1 << 29
    /// Tenants are counted by a hash: a producer may name any number of them. Two tenants in one share divide what one may keep.
    package static let shares: UInt64 = 64
    /// Counters of one share, so that routers seldom wait for one another's commit. With ``shares`` it bounds what one check reads.
    package static let parts: Int16 = 8

    static func share(of tenant: String?) -> Int16 {
        Int16(Digest128(hashing: Array((tenant ?? "").utf8)).low % shares)
    }

    static func anyPart() -> Int16 { Int16.random(in: 0..<parts) }
}
