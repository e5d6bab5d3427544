/// Standard padded Base64, RFC 4648 section 4.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Returns `bytes` in Base64, padded, in one line.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var filled = 0
        func append(sextets: Int) {
            for place in 0..<4 {
                text.append(place < sextets ? alphabet[Int(group >> UInt32(18 - 6 * place) & 63)] : padding)
            }
        }
        for byte in bytes {
            group |= UInt32(byte) << UInt32(16 - 8 * filled)
            filled += 1
            if filled == 3 {
                append(sextets: 4)
                (group, filled) = (0, 0)
            }
        }
        if filled > 0 { append(sextets: filled + 1) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes. Nil when the text is not exactly the text that ``encode(_:)`` writes.
    ///
    /// Missing padding, line breaks, the URL-safe alphabet and stray low bits are refused, so that every byte string has one spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padded = digits.suffix(2).reversed().prefix { $0 == padding }.count
        let content = digits.dropLast(padded)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for digit in content {
            guard let value = sextet(digit) else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            pending &= (1 << bits) - 1
        }
        return pending == 0 ? bytes : nil
    }

    private static func sextet(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

/// The URL-safe alphabet without padding, RFC 4648 section 5. JSON Web Signatures use it (RFC 7515 section 2).
public enum Base64URL {
    /// Returns `bytes` in one line.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64.encode(bytes).utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: digit
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes. Nil when the text is not exactly the text that ``encode(_:)`` writes.
    public static func decode(_ text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count + 2)
        for digit in text.utf8 {
            switch digit {
            case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: digits.append(digit)
            }
        }
        while !digits.count.isMultiple(of: 4) { digits.append(UInt8(ascii: "=")) }
        return Base64.decode(String(decoding: digits, as: UTF8.self))
    }
}
