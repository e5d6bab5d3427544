/// Fills a buffer of known length with ASCII from left to right. Identifiers and timestamps are written for every delivery, so they are
/// written without intermediate strings.
struct FixedWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    mutating func byte(_ character: Unicode.Scalar) {
        buffer[count] = UInt8(ascii: character)
        count += 1
    }

    /// Writes a non-negative number with leading zeros; digits beyond `count` are lost.
    mutating func digits(_ value: Int64, count digitCount: Int) {
        var rest = value
        for index in stride(from: count + digitCount - 1, through: count, by: -1) {
            buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += digitCount
    }

    /// Writes the lowest `digitCount` hexadecimal digits, lower case.
    mutating func hexadecimal(_ value: UInt64, count digitCount: Int) {
        for index in 0..<digitCount {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(4 * (digitCount - 1 - index))) & 0xF
            buffer[count + index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
        count += digitCount
    }

    mutating func date(_ date: CivilDate) {
        digits(Int64(date.year), count: 4)
        byte("-")
        digits(Int64(date.month), count: 2)
        byte("-")
        digits(Int64(date.day), count: 2)
    }
}
