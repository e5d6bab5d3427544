/// A decimal number without rounding: sign × digits × 10^exponent, normalised so that equal values have equal parts.
package struct ExactDecimal: Hashable {
    /// False for zero.
    var isNegative: Bool
    /// 0…9 each, most significant first, no zero at either end; empty is zero.
    var digits: ArraySlice<UInt8>
    /// Power of ten of the last digit; 0 for zero.
    var exponent: Int

    /// The largest magnitude of an exponent. The limit keeps the addition of digits from overflowing. Two numbers beyond it compare by
    /// digits.
    private static let exponentLimit = 1_000_000_000_000

    /// `text` must follow RFC 8259 section 6.
    init(jsonNumber text: String) {
        var all: [UInt8] = []
        all.reserveCapacity(text.utf8.count)
        var scale = 0
        var written = 0
        var writtenNegative = false
        var place = Place.whole
        isNegative = false
        for byte in text.utf8 {
            switch (byte, place) {
            case (UInt8(ascii: "-"), .exponent): writtenNegative = true
            case (UInt8(ascii: "-"), _): isNegative = true
            case (UInt8(ascii: "."), _): place = .fraction
            case (UInt8(ascii: "e"), _), (UInt8(ascii: "E"), _): place = .exponent
            case (UInt8(ascii: "+"), _): break
            case (_, .exponent):
                written = min(written * 10 + Int(byte &- 48), Self.exponentLimit)
            case (_, .fraction):
                all.append(byte &- 48)
                scale -= 1
            case (_, .whole):
                all.append(byte &- 48)
            }
        }
        digits = all.drop { $0 == 0 }
        exponent = scale + (writtenNegative ? -written : written)
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            exponent = 0
            isNegative = false
        }
        // Limit again, because the digits have changed the exponent: a number that is written must be read as the same value.
        exponent = min(max(exponent, -Self.exponentLimit), Self.exponentLimit)
    }

    private enum Place { case whole, fraction, exponent }

    var isZero: Bool { digits.isEmpty }

    /// The value when it is integral and fits 64 bits.
    var int64: Int64? {
        if isZero { return 0 }
        // 19 digits are the most that 64 bits can hold.
        guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
        var value: Int64 = 0
        for place in 0..<(digits.count + exponent) {
            let digit = place < digits.count ? Int64(digits[digits.startIndex + place]) : 0
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (next, tooLow) = product.subtractingReportingOverflow(digit)
            if tooLarge || tooLow { return nil }
            value = next
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// Whether a division by `divisor` has no remainder.
    package func isMultiple(of divisor: Divisor) -> Bool {
        if isZero { return true }
        // Compare the exponents first. Neither number ends in a zero, so digits cannot make up for a smaller power of ten here.
        if exponent < divisor.exponent { return false }
        var remainder: UInt64 = 0
        for digit in digits {
            remainder = UInt64((UInt128(remainder) * 10 + UInt128(digit)) % UInt128(divisor.digits))
        }
        let power = Self.powerOfTen(exponent - divisor.exponent, modulo: divisor.digits)
        return (UInt128(remainder) * UInt128(power)) % UInt128(divisor.digits) == 0
    }

    /// A positive number that is small enough for exact division.
    package struct Divisor: Hashable {
        var digits: UInt64
        var exponent: Int

        /// Nil for zero, negative numbers, and more than 18 significant digits, which 64-bit arithmetic cannot hold.
        package init?(_ number: ExactDecimal) {
            guard !number.isZero, !number.isNegative, number.digits.count <= 18 else { return nil }
            digits = number.digits.reduce(0) { $0 * 10 + UInt64($1) }
            exponent = number.exponent
        }
    }

    private static func powerOfTen(_ exponent: Int, modulo: UInt64) -> UInt64 {
        var result: UInt128 = 1 % UInt128(modulo)
        var base: UInt128 = 10 % UInt128(modulo)
        var left = exponent
        while left > 0 {
            if left & 1 == 1 { result = result * base % UInt128(modulo) }
            base = base * base % UInt128(modulo)
            left >>= 1
        }
        return UInt64(result)
    }
}

extension ExactDecimal: Comparable {
    package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        let ascending = left.isLessInMagnitude(than: right)
        return left.isNegative ? right.isLessInMagnitude(than: left) : ascending
    }

    private func isLessInMagnitude(than other: ExactDecimal) -> Bool {
        if isZero || other.isZero { return isZero && !other.isZero }
        let (mine, theirs) = (digits.count + exponent, other.digits.count + other.exponent)
        if mine != theirs { return mine < theirs }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

extension ExactDecimal {
    /// The most zeros that are written out. Beyond it the exponent form is written, because no person reads more zeros.
    private static let plainZeros = 20

    /// The value in its one spelling: `10e-1` and `1.0` both give `1`.
    package var canonicalText: String {
        if isZero { return "0" }
        let plain = digits.map { Character(UnicodeScalar($0 + 48)) }
        var text = isNegative ? "-" : ""
        if exponent >= 0, exponent <= Self.plainZeros {
            text += String(plain) + String(repeating: "0", count: exponent)
        } else if exponent < 0, exponent >= -Self.plainZeros, plain.count + exponent > 0 {
            let point = plain.count + exponent
            text += String(plain[..<point]) + "." + String(plain[point...])
        } else {
            text += String(plain) + "e" + String(exponent)
        }
        return text
    }
}
