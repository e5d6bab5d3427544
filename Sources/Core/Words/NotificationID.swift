/// A UUID of version 7 (RFC 9562 section 5.7): 48 bits of Unix milliseconds, then a fraction of the millisecond, then random bits.
///
/// Ids sort by time, so a table can be partitioned by them. An id tells when it was made, so never use one as a secret.
public struct NotificationID: Sendable, Hashable, Comparable {
    /// The first eight bytes, most significant first: milliseconds, version and fraction.
    public var high: UInt64
    /// The last eight bytes, most significant first: variant and random bits.
    public var low: UInt64

    /// Makes an id from sixteen bytes that are known to be one, for example from the database. Nothing is checked.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Assembles an id from its fields: `milliseconds` (48 bits used), `fraction` in 1/4096 of a millisecond (12 bits), `random` (62 bits).
    public init(milliseconds: UInt64, fraction: UInt64, random: UInt64) {
        high = milliseconds << 16 | 0x7000 | fraction & 0xFFF
        low = 0x8000_0000_0000_0000 | random & NotificationID.randomMask
    }

    /// Reads the form 8-4-4-4-12 in hexadecimal digits of either case. Nil for any other form, and for a UUID that is not of version 7.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let parsed = text.withUTF8 { NotificationID(utf8: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    private init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == NotificationID.textLength else { return nil }
        var digits = 0
        var halves: (UInt64, UInt64) = (0, 0)
        for position in 0..<NotificationID.textLength {
            let byte = text[position]
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let value = NotificationID.hexadecimalValue(of: byte) else { return nil }
                if digits < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
                digits += 1
            }
        }
        guard halves.0 >> 12 & 0xF == 7, halves.1 >> 62 == 0b10 else { return nil }
        (high, low) = halves
    }

    /// The time at which the id was made, to the millisecond.
    public var timestamp: Timestamp {
        Timestamp(microseconds: Int64(high >> 16) * Timestamp.microsecondsPerMillisecond)
    }

    /// The smallest id of the millisecond of `instant`: the bound of a partition that begins there.
    public static func lowerBound(at instant: Timestamp) -> NotificationID {
        NotificationID(milliseconds: UInt64(max(0, instant.wholeMilliseconds)), fraction: 0, random: 0)
    }

    @inlinable
    public static func < (left: NotificationID, right: NotificationID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }

    static let randomMask: UInt64 = 0x3FFF_FFFF_FFFF_FFFF
    private static let textLength = 36

    private static func hexadecimalValue(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension NotificationID: CustomStringConvertible {
    /// The form 8-4-4-4-12, lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: NotificationID.textLength) { buffer in
            var writer = FixedWriter(buffer: buffer)
            writer.hexadecimal(high >> 32, count: 8)
            writer.byte("-")
            writer.hexadecimal(high >> 16, count: 4)
            writer.byte("-")
            writer.hexadecimal(high, count: 4)
            writer.byte("-")
            writer.hexadecimal(low >> 48, count: 4)
            writer.byte("-")
            writer.hexadecimal(low, count: 12)
            return writer.count
        }
    }
}

/// The id of a pack, in the same form. It is never reused, so it also serves as the generation of the deliveries in the pack.
public typealias PackID = NotificationID
