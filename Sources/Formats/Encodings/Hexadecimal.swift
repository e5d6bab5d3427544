/// Bytes as lower-case hexadecimal digits, two each.
public enum Hexadecimal {
    /// Returns the digits of `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let length = bytes.count * 2
        return String(unsafeUninitializedCapacity: length) { buffer in
            var place = 0
            for byte in bytes {
                buffer[place] = digits[Int(byte >> 4)]
                buffer[place + 1] = digits[Int(byte & 15)]
                place += 2
            }
            return length
        }
    }

    /// Returns the bytes. Nil unless `text` is an even number of hexadecimal digits, of either case, and nothing else.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = hexDigitValue(digits[place]), let low = hexDigitValue(digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Whether a text has the form of a UUID (RFC 9562 section 4): 8-4-4-4-12 digits of either case.
    package static func isUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : ASCII.isHexDigit(byte)
        }
    }
}

/// Returns the value of one hexadecimal digit in ASCII, either case.
@inlinable
package func hexDigitValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
