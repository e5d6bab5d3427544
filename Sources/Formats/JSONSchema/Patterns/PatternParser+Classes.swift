import TidingsEncodings

extension PatternParser {
    /// The meaning of an escape.
    enum Escape {
        case scalar(UInt32)
        case set(ScalarSet)
    }

    /// Reads a character class after its `[`, up to its `]`.
    mutating func characterClass() throws(PatternError) -> ScalarSet {
        let isNegated = take("^")
        var set = ScalarSet()
        while true {
            guard peek != nil else { throw PatternError("has a character class that never ends") }
            if take("]") { break }
            let low = try classAtom()
            guard peek == "-" else {
                set.insert(low)
                continue
            }
            _ = take("-")
            if take("]") {
                set.insert(low)
                set.insert(.scalar(UnicodeScalar("-").value))
                break
            }
            let high = try classAtom()
            guard case .scalar(let first) = low, case .scalar(let last) = high, first <= last else {
                throw PatternError("has a range in a character class that does not go from a character to a later one")
            }
            set.insert(range: first...last)
        }
        set.isNegated = isNegated
        return set.prepared()
    }

    private mutating func classAtom() throws(PatternError) -> Escape {
        let scalar = try next()
        return scalar == "\\" ? try escape(inClass: true) : .scalar(scalar.value)
    }

    /// Reads the part of an escape after the backslash.
    mutating func escape(inClass: Bool) throws(PatternError) -> Escape {
        let scalar = try next()
        switch scalar {
        case "d", "D": return .set(.digits.negated(scalar == "D"))
        case "w", "W": return .set(.word.negated(scalar == "W"))
        case "s", "S": return .set(.space.negated(scalar == "S"))
        case "p", "P": return .set(try property().negated(scalar == "P"))
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0A)
        case "v": return .scalar(0x0B)
        case "f": return .scalar(0x0C)
        case "r": return .scalar(0x0D)
        case "b" where inClass: return .scalar(0x08)
        case "0":
            if let after = peek, ScalarSet.decimalValue(after) != nil { throw PatternError("uses an octal escape") }
            return .scalar(0)
        case "1"..."9": throw PatternError("uses a back reference")
        case "k": throw PatternError("uses a back reference")
        case "c":
            let letter = try next()
            guard letter.isASCII, letter.properties.isAlphabetic else { throw PatternError("has a malformed control escape") }
            return .scalar(letter.value % 32)
        case "x": return .scalar(try hexadecimal(digits: 2))
        case "u": return .scalar(try unicodeEscape())
        default:
            guard scalar.isASCII, !scalar.properties.isAlphabetic, ScalarSet.decimalValue(scalar) == nil else {
                throw PatternError("has an unknown escape \\\(scalar)")
            }
            return .scalar(scalar.value)
        }
    }

    private mutating func unicodeEscape() throws(PatternError) -> UInt32 {
        if take("{") {
            var value: UInt32 = 0
            while !take("}") {
                let scalar = try next()
                guard scalar.isASCII, let digit = hexDigitValue(UInt8(scalar.value)) else {
                    throw PatternError("has a malformed \\u{…} escape")
                }
                value = value << 4 | UInt32(digit)
                guard value <= 0x10FFFF else { throw PatternError("has a \\u{…} escape beyond Unicode") }
            }
            return value
        }
        let high = try hexadecimal(digits: 4)
        guard 0xD800...0xDFFF ~= high else { return high }
        // Refuse half of a pair: it could match nothing, because text here is whole code points.
        guard high < 0xDC00, take("\\"), take("u") else { throw PatternError("has half of a surrogate pair") }
        let low = try hexadecimal(digits: 4)
        guard 0xDC00...0xDFFF ~= low else { throw PatternError("has half of a surrogate pair") }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func hexadecimal(digits: Int) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            let scalar = try next()
            guard scalar.isASCII, let digit = hexDigitValue(UInt8(scalar.value)) else {
                throw PatternError("has a malformed hexadecimal escape")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Reads the part after `\p`: a general category or one of a few binary properties, by its Unicode name.
    private mutating func property() throws(PatternError) -> ScalarSet {
        guard take("{") else { throw PatternError("has a \\p without a name in braces") }
        var name = ""
        while !take("}") { name.unicodeScalars.append(try next()) }
        for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) { name = String(name.dropFirst(prefix.count)) }
        guard let property = UnicodeProperty(name: name) else { throw PatternError("uses \\p{\(name)}, which is not known here") }
        var set = ScalarSet()
        set.insert(property: property)
        return set.prepared()
    }
}
