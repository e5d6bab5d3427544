package import TidingsContracts
import TidingsCrypto

extension Digest128 {
    /// The digest of `bytes`.
    package init(hashing bytes: [UInt8]) {
        let hash = SHA256.hash(bytes)
        self.init(
            high: hash[0..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: hash[8..<16].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The digest of a list. Each part has its length before it, so that no two lists give the same bytes.
    init(hashingParts parts: [[UInt8]]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(0) { $0 + $1.count + 4 })
        for part in parts {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: part.count >> shift)) }
            bytes += part
        }
        self.init(hashing: bytes)
    }
}
