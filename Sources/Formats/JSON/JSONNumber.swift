/// A JSON number with the digits it was written with. A number of any size is never rounded.
///
/// Two numbers are equal when their exact decimal values are: `1.0`, `1` and `10e-1` are one number, and
/// 9007199254740993 is not 9007199254740992.
public struct JSONNumber: Sendable {
    /// The number as written, in the grammar of RFC 8259 section 6.
    public let text: String

    /// The integer in plain digits.
    public init(_ value: Int64) { text = String(value) }

    /// Takes a double by its shortest exact text. Nil for infinities and NaN, which JSON cannot express.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        let text = value.description
        self.text = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Takes text that is exactly one JSON number. Nil for anything else, including spaces.
    public init?(text: String) {
        guard case .number(let parsed)? = try? JSON.parse(text), parsed.text.utf8.count == text.utf8.count else { return nil }
        self = parsed
    }

    /// Takes text the parser has already checked.
    init(verifiedText: String) { text = verifiedText }

    /// The value when it is integral and fits. `1.0` and `1e3` are integers, as JSON Schema says.
    public var int64: Int64? {
        if let plain = plainInt64 { return plain }
        return exact.int64
    }

    /// The nearest double. Nil when the magnitude is beyond the range of a double (`1e400`).
    public var double: Double? {
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Whether the exact value has no fraction, however large it is.
    public var isInteger: Bool {
        if !text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) { return true }
        return exact.exponent >= 0
    }

    /// The exact value, split into sign, digits and exponent.
    package var exact: ExactDecimal { ExactDecimal(jsonNumber: text) }

    /// The same value in its one spelling.
    var canonical: JSONNumber {
        // Return a short plain integer as it is. Only `-0` has another spelling.
        if plainInt64 != nil, text != "-0" { return self }
        return JSONNumber(verifiedText: exact.canonicalText)
    }

    /// The most digits of a plain number. 18 digits always fit 64 bits, so that no step below can overflow.
    private static let plainDigits = 18

    /// The value of a short number without fraction and exponent. This is by far the usual case, and it needs no allocation.
    private var plainInt64: Int64? {
        var digits = text.utf8[...]
        let negative = digits.first == UInt8(ascii: "-")
        if negative { digits = digits.dropFirst() }
        guard digits.count <= Self.plainDigits else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return negative ? -value : value
    }
}

extension JSONNumber: Hashable, Comparable {
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if let a = left.plainInt64, let b = right.plainInt64 { return a == b }
        return left.exact == right.exact
    }

    public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if let a = left.plainInt64, let b = right.plainInt64 { return a < b }
        return left.exact < right.exact
    }

    public func hash(into hasher: inout Hasher) {
        if let value = int64 { hasher.combine(value) } else { hasher.combine(exact) }
    }
}
