/// Durations as a person writes them: `90m`, `3d`, `1h30m`, `500ms`.
public enum DurationText {
    /// Reads one or more whole numbers, each with a unit `d`, `h`, `m`, `s`, `ms` or `us`, larger units first. Nil for any other text.
    ///
    /// A number without a unit is refused, because a reader would have to guess whether `expiry: 60` is in seconds or minutes.
    public static func parse(_ text: String) -> Duration? {
        var rest = text.utf8[...]
        var total: Int64 = 0
        var lastUnit = Int64.max
        repeat {
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            rest = rest[digits.endIndex...]
            let letters = rest.prefix { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
            rest = rest[letters.endIndex...]
            guard let count = Int64(String(decoding: digits, as: UTF8.self)),
                let unit = units.first(where: { $0.name.utf8.elementsEqual(letters) })?.microseconds, unit < lastUnit
            else { return nil }
            let (part, overflow) = count.multipliedReportingOverflow(by: unit)
            let (sum, sumOverflow) = total.addingReportingOverflow(part)
            guard !overflow, !sumOverflow else { return nil }
            (total, lastUnit) = (sum, unit)
        } while !rest.isEmpty
        return .microseconds(total)
    }

    /// The shortest form with one unit that is exact to the microsecond; `parse` reads it back.
    public static func print(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        guard microseconds != 0, let unit = units.first(where: { microseconds % $0.microseconds == 0 }) else { return "0s" }
        return "\(microseconds / unit.microseconds)\(unit.name)"
    }

    private static let units: [(name: String, microseconds: Int64)] = [
        ("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1),
    ]
}
