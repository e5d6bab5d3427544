/// A hash that is the same in every process, on every machine and in every release, so that a choice made with it never changes.
///
/// The hash is FNV-1a over the bytes, 64 bits, with the finishing steps of splitmix64. Without these steps the high bits of short texts
/// hardly differ. Do not use the hash where an attacker could forge the input.
public struct StableHash: Sendable, Hashable {
    public private(set) var value: UInt64

    /// Hashes texts in order. ("ab", "c") and ("a", "bc") differ.
    public init(_ texts: String...) {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        func take(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        for text in texts {
            for byte in text.utf8 { take(byte) }
            // Separate the texts by a byte that UTF-8 never has, so that ("ab", "c") and ("a", "bc") differ.
            take(0xFF)
        }
        state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
        value = state ^ (state >> 31)
    }

    /// Returns a number in 0..<`count`, each as likely as the others. Returns 0 if `count` is not positive.
    public func below(_ count: Int) -> Int {
        count > 0 ? Int(value.multipliedFullWidth(by: UInt64(count)).high) : 0
    }
}
