import TidingsCore

/// Zones written from the published rules, so that these tests need no time zone database.
extension ZoneOffsets {
    /// A change of one hour in both directions, each at 02:00 local time.
    static let newYork2026 = handmade("America/New_York", hours: -5, [("2026-03-08T07:00:00Z", -4), ("2026-11-01T06:00:00Z", -5)])
    /// Midnight is skipped in November and occurs twice in February.
    static let saoPaulo2018 = handmade("America/Sao_Paulo", hours: -3, [("2018-11-04T03:00:00Z", -2), ("2019-02-17T02:00:00Z", -3)])
    /// Half an hour of daylight saving.
    static let lordHowe2026 = handmade("Australia/Lord_Howe", hours: 11, [("2026-04-04T15:00:00Z", 10.5), ("2026-10-03T15:30:00Z", 11)])
    static let kathmandu = handmade("Asia/Kathmandu", hours: 5.75, [])
    static let chatham2026 = handmade("Pacific/Chatham", hours: 13.75, [("2026-04-04T14:00:00Z", 12.75), ("2026-09-26T14:00:00Z", 13.75)])
    /// 30 December 2011 does not exist: the island moved across the date line.
    static let apia2011 = handmade("Pacific/Apia", hours: -10, [("2011-12-30T10:00:00Z", 14)])

    static let allHandmade = [utc, newYork2026, saoPaulo2018, lordHowe2026, kathmandu, chatham2026, apia2011]

    private static func handmade(_ name: String, hours: Double, _ changes: [(String, Double)]) -> ZoneOffsets {
        ZoneOffsets(
            name: name,
            initialOffset: Int(hours * 3_600),
            transitions: changes.map { Transition(at: instant($0.0).wholeSeconds, offset: Int($0.1 * 3_600)) }
        )
    }
}

/// The instant of an RFC 3339 text. Traps if the text is not valid.
func instant(_ text: String) -> Timestamp {
    guard let instant = Timestamp(rfc3339: text) else { preconditionFailure("not RFC 3339: \(text)") }
    return instant
}

/// Quiet hours from two times of day. Traps if they are not valid.
func quiet(_ start: String, _ end: String) -> QuietHours {
    guard let quietHours = try? QuietHours.parse(start: start, end: end) else { preconditionFailure("no window: \(start)–\(end)") }
    return quietHours
}
