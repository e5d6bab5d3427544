import TidingsEncodings

/// Offsets of UTC that platforms give in place of the name of a zone: `GMT+0500` of Apple, `GMT+05:00` of Java, `UTC+5`, `+05:00`.
public enum FixedOffset {
    /// Returns the IANA name of the zone that always has the offset: `Etc/GMT-5` for `GMT+0500`, because these names count to the west.
    ///
    /// Returns nil if the text is no offset. IANA has such a zone for whole hours from 12 hours west to 14 hours east, so the function also
    /// returns nil for `GMT+0530`: several zones have this offset today, and their rules may differ tomorrow.
    public static func zoneName(_ text: String) -> String? {
        guard let minutes = minutesEast(text), minutes.isMultiple(of: 60), (-12 * 60...14 * 60).contains(minutes) else { return nil }
        let hours = minutes / 60
        if hours == 0 { return "Etc/UTC" }
        return "Etc/GMT" + (hours > 0 ? "-\(hours)" : "+\(-hours)")
    }

    /// Reads an optional `GMT` or `UTC`, a sign, and `H`, `HH`, `HHMM` or `HH:MM`. Nil for any other text.
    private static func minutesEast(_ text: String) -> Int? {
        var rest = Array(text.utf8)[...]
        for prefix in ["GMT", "UTC"] where rest.starts(with: prefix.utf8) {
            rest = rest.dropFirst(prefix.utf8.count)
            break
        }
        guard let sign = rest.popFirst(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let parts = rest.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard [[1], [2], [4], [1, 2], [2, 2]].contains(parts.map(\.count)), parts.joined().allSatisfy(ASCII.isDigit) else { return nil }
        let number = parts.joined().reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        let hasMinutes = parts.count == 2 || parts[0].count == 4
        let (hours, minutes) = hasMinutes ? (number / 100, number % 100) : (number, 0)
        guard minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }
}
