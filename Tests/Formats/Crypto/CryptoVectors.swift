import Testing
import TidingsCrypto
import TidingsEncodings
import TidingsTestSupport

/// Random inputs. The seed and the number of the sequence decide every input (SplitMix64).
struct CryptoVectors {
    /// A new seed in every run, unless TIDINGS_CRYPTO_SEED sets one.
    private static let seed = environmentText("TIDINGS_CRYPTO_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999_999)

    /// The comment of a failed check: how to repeat the inputs, then the values that no seed decides, such as signatures.
    static func again(_ values: [UInt8]...) -> Comment {
        "again: TIDINGS_CRYPTO_SEED=\(seed) \(values.map { Hexadecimal.encode($0) }.joined(separator: " "))"
    }

    /// The lengths around the blocks of 16 bytes of AES and of 64 bytes of SHA-256, whose last block keeps 9 bytes for itself.
    private static let borders = [
        0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 121, 127, 128, 129, 183, 184, 191, 192, 193,
        255, 256, 257, 299, 300,
    ]

    private var sequence: SplitMix64

    init(_ number: UInt64) {
        sequence = SplitMix64(state: Self.seed &* 0xD1B5_4A32_D192_ED03 ^ number &* 0x9FB2_1C65_1E98_DF25)
    }

    mutating func next() -> UInt64 { sequence.next() }

    mutating func below(_ bound: Int) -> Int { sequence.below(bound) }

    mutating func bytes(_ count: Int) -> [UInt8] { sequence.bytes(count) }

    /// Messages of up to 300 bytes: one of each length at a border, then random lengths.
    mutating func messages(_ count: Int = 200) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for number in 0..<count {
            let length = number < Self.borders.count ? Self.borders[number] : below(301)
            messages.append(bytes(length))
        }
        return messages
    }

    /// A private key. One number in 2³² is out of range, which the caller sees as an error.
    mutating func key() throws -> P256PrivateKey { try P256PrivateKey(rawValue: bytes(P256PrivateKey.byteCount)) }
}

extension [UInt8] {
    /// A copy with one bit changed. Bits count from the highest bit of the first byte.
    func flipping(bit: Int) -> [UInt8] {
        var changed = self
        changed[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return changed
    }

    /// A number as the peer reads it, the most significant byte first.
    static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}
