/// The first 16 bytes of a SHA-256, which is short enough for an index. A collision among a trillion keys is less likely than 1 in 10¹⁴.
public struct Digest128: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first eight bytes, most significant first.
    public var high: UInt64
    /// The next eight bytes, most significant first.
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func < (left: Digest128, right: Digest128) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }

    /// 32 hexadecimal digits.
    public var description: String {
        [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
