/// A set of Unicode scalars: ranges, Unicode properties and other sets, possibly negated. A bit map answers for ASCII.
struct ScalarSet: Sendable {
    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [UnicodeProperty] = []
    private var sets: [ScalarSet] = []
    var isNegated = false
    private var lowBits: UInt64 = 0
    private var highBits: UInt64 = 0

    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return lowBits & (1 << UInt64(scalar)) != 0 }
        if scalar < 128 { return highBits & (1 << UInt64(scalar - 64)) != 0 }
        return isListed(scalar) != isNegated
    }

    private func isListed(_ scalar: UInt32) -> Bool {
        for range in ranges where range.contains(scalar) { return true }
        if !properties.isEmpty, let value = UnicodeScalar(scalar) {
            for property in properties where property.holds(for: value) { return true }
        }
        for set in sets where set.isListed(scalar) != set.isNegated { return true }
        return false
    }

    mutating func insert(range: ClosedRange<UInt32>) { ranges.append(range) }
    mutating func insert(property: UnicodeProperty) { properties.append(property) }

    mutating func insert(_ escape: PatternParser.Escape) {
        switch escape {
        case .scalar(let value): ranges.append(value...value)
        case .set(let set): sets.append(set)
        }
    }

    /// Returns the set with its bit map computed. Nothing may be inserted afterwards.
    func prepared() -> ScalarSet {
        var set = self
        (set.lowBits, set.highBits) = (0, 0)
        for scalar: UInt32 in 0..<128 where isListed(scalar) != isNegated {
            if scalar < 64 { set.lowBits |= 1 << UInt64(scalar) } else { set.highBits |= 1 << UInt64(scalar - 64) }
        }
        return set
    }

    /// Returns the set, or its complement if `negate` is true.
    func negated(_ negate: Bool) -> ScalarSet {
        guard negate else { return self }
        var set = self
        set.isNegated.toggle()
        return set.prepared()
    }

    private init(ranges: [ClosedRange<UInt32>], properties: [UnicodeProperty] = [], isNegated: Bool = false) {
        self.ranges = ranges
        self.properties = properties
        self.isNegated = isNegated
        self = prepared()
    }

    init() {}

    /// `\d`: ASCII only, by ECMA-262.
    static let digits = ScalarSet(ranges: [0x30...0x39])
    /// `\w`: ASCII only, by ECMA-262.
    static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: WhiteSpace and LineTerminator of ECMA-262.
    static let space = ScalarSet(
        ranges: [0x09...0x0D, 0xFEFF...0xFEFF, 0x2028...0x2029], properties: [.category([.spaceSeparator])])
    /// `.`: everything except the line terminators.
    static let anyButLineEnds = ScalarSet(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], isNegated: true)

    /// Whether the scalar is a word character. Beyond the text (nil) the answer is false.
    static func isWord(_ scalar: UInt32?) -> Bool { scalar.map { word.contains($0) } ?? false }

    /// The value of an ASCII digit.
    static func decimalValue(_ scalar: UnicodeScalar) -> Int? {
        0x30...0x39 ~= scalar.value ? Int(scalar.value - 0x30) : nil
    }
}
