import TidingsCore

/// The rule for years that a zone file does not list: the TZ string of POSIX with the extensions of RFC 9636 section 3.3.1. Examples are
/// `EST5EDT,M3.2.0,M11.1.0` and `<-02>2<-01>,M3.5.0/-1,M10.5.0/0`.
struct ZoneRule: Sendable {
    /// Seconds east of UTC.
    private let standardOffset: Int
    private let daylight: Daylight?

    private struct Daylight: Sendable {
        let offset: Int
        let start: RuleDay
        let end: RuleDay
    }

    init(_ text: [UInt8], zone: String) throws(TimeZoneError) {
        var reader = RuleReader(text)
        guard let rule = reader.rule(), reader.isAtEnd else {
            throw .unreadable(zone: zone, reason: "its rule for the future is malformed")
        }
        standardOffset = rule.standard
        daylight = rule.daylight.map { Daylight(offset: $0.offset, start: $0.start, end: $0.end) }
    }

    func offset(at instant: Int64) -> Int {
        // Look at two years before the instant, which hold its latest change.
        let near = changes(after: instant - 2 * Self.longestYear, through: instant)
        return near.last?.offset ?? standardOffset
    }

    private static let longestYear: Int64 = 366 * 86_400

    /// Returns the changes in `after + 1 ... through`, ascending.
    func changes(after: Int64, through: Int64) -> [ZoneOffsets.Transition] {
        guard let daylight, after < through else { return [] }
        var found: [ZoneOffsets.Transition] = []
        // Include the neighbouring years, because local time may be in another year than UTC.
        for year in (Self.year(of: after) - 1)...(Self.year(of: through) + 1) {
            guard let start = daylight.start.seconds(in: year), let end = daylight.end.seconds(in: year) else { continue }
            found.append(ZoneOffsets.Transition(at: start - Int64(standardOffset), offset: daylight.offset))
            found.append(ZoneOffsets.Transition(at: end - Int64(daylight.offset), offset: standardOffset))
        }
        // Sort the start last, so that it counts: daylight time all year is written as an end that coincides with the next start.
        found.sort { ($0.at, $0.offset == daylight.offset ? 1 : 0) < ($1.at, $1.offset == daylight.offset ? 1 : 0) }
        var kept: [ZoneOffsets.Transition] = []
        for change in found where change.at > after && change.at <= through {
            if kept.last?.at == change.at { kept.removeLast() }
            kept.append(change)
        }
        return kept
    }

    /// Returns the UTC year that holds an instant.
    private static func year(of seconds: Int64) -> Int {
        CivilDate(daysSinceEpoch: seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400).year
    }
}
