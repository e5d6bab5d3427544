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
}
