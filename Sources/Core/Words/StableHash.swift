/// A hash that is the same in every process, on every machine and in every release: what is chosen by it stays chosen.
///
/// FNV-1a over the bytes, 64 bits, with the finishing steps of splitmix64, because the high bits of FNV of short texts hardly differ. Not for
/// anything that somebody might forge.
public struct StableHash: Sendable, Hashable {
    public private(set) var value: UInt64

    /// Of texts in order; ("ab", "c") and ("a", "bc") differ.
    public init(_ texts: String...) {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        func take(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        for text in texts {
            for byte in text.utf8 { take(byte) }
            // No byte of UTF-8.
            take(0xFF)
        }
        state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
        value = state ^ (state >> 31)
    }

    /// A number in 0..<`count`, each as likely as the others; 0 when `count` is not positive.
    public func below(_ count: Int) -> Int {
        count > 0 ? Int(value.multipliedFullWidth(by: UInt64(count)).high) : 0
    }
}
