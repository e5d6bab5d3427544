import Testing
import TidingsCore

@Suite struct QuietHoursTests {
    struct Night: Sendable, CustomTestStringConvertible {
        var zone: ZoneOffsets
        var window: (String, String)
        var now: String
        /// The end of the quiet hours. Nil: it is not quiet.
        var end: String?

        init(_ zone: ZoneOffsets, _ window: (String, String), _ now: String, _ end: String?) {
            (self.zone, self.window, self.now, self.end) = (zone, window, now, end)
        }

        var testDescription: String { "\(zone.name) \(window.0)–\(window.1) at \(now)" }
    }

    static let nights = [
        // Plain nights, and windows that do not cross midnight.
        Night(.utc, ("22:00", "07:00"), "2026-01-10T21:59:59.999999Z", nil),
        Night(.utc, ("22:00", "07:00"), "2026-01-10T22:00:00Z", "2026-01-11T07:00:00Z"),
        Night(.utc, ("22:00", "07:00"), "2026-01-11T06:59:59.999999Z", "2026-01-11T07:00:00Z"),
        Night(.utc, ("22:00", "07:00"), "2026-01-11T07:00:00Z", nil),
        Night(.utc, ("13:00", "15:00"), "2026-01-10T14:59:00Z", "2026-01-10T15:00:00Z"),
        Night(.utc, ("13:00", "15:00"), "2026-01-10T23:00:00Z", nil),
        Night(.utc, ("00:00", "23:59"), "2026-01-10T23:58:00Z", "2026-01-10T23:59:00Z"),
        Night(.newYork2026, ("22:00", "07:00"), "2026-06-10T02:00:00Z", "2026-06-10T11:00:00Z"),
        // Kathmandu has 45 minutes in its offset.
        Night(.kathmandu, ("22:00", "07:00"), "2026-01-10T16:15:00Z", "2026-01-11T01:15:00Z"),
        Night(.kathmandu, ("22:00", "07:00"), "2026-01-10T16:14:59Z", nil),
        // New York, 8 March 2026: 02:00 to 03:00 does not exist.
        Night(.newYork2026, ("22:00", "07:00"), "2026-03-08T05:00:00Z", "2026-03-08T11:00:00Z"),
        Night(.newYork2026, ("22:00", "02:30"), "2026-03-08T06:30:00Z", "2026-03-08T07:00:00Z"),
        Night(.newYork2026, ("02:30", "04:00"), "2026-03-08T06:59:59Z", nil),
        Night(.newYork2026, ("02:30", "04:00"), "2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"),
        Night(.newYork2026, ("02:00", "03:00"), "2026-03-08T06:59:59Z", nil),
        Night(.newYork2026, ("02:00", "03:00"), "2026-03-08T07:00:00Z", nil),
        Night(.newYork2026, ("02:00", "03:00"), "2026-03-09T06:00:00Z", "2026-03-09T07:00:00Z"),
        // New York, 1 November 2026: 01:00 to 02:00 occurs twice. A window ends at the second occurrence and starts at the first.
        Night(.newYork2026, ("22:00", "01:30"), "2026-11-01T05:29:00Z", "2026-11-01T06:30:00Z"),
        Night(.newYork2026, ("22:00", "01:30"), "2026-11-01T05:45:00Z", "2026-11-01T06:30:00Z"),
        Night(.newYork2026, ("22:00", "01:30"), "2026-11-01T06:30:00Z", nil),
        Night(.newYork2026, ("22:00", "01:00"), "2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z"),
        Night(.newYork2026, ("22:00", "02:00"), "2026-11-01T06:59:59Z", "2026-11-01T07:00:00Z"),
        Night(.newYork2026, ("01:30", "05:00"), "2026-11-01T05:29:59Z", nil),
        Night(.newYork2026, ("01:30", "05:00"), "2026-11-01T05:30:00Z", "2026-11-01T10:00:00Z"),
        Night(.newYork2026, ("01:30", "05:00"), "2026-11-01T06:10:00Z", "2026-11-01T10:00:00Z"),
        Night(.newYork2026, ("01:00", "01:30"), "2026-11-01T05:45:00Z", "2026-11-01T06:30:00Z"),
        // São Paulo, 4 November 2018: 00:00 to 01:00 does not exist. On 16 February 2019, 23:00 to 24:00 occurs twice.
        Night(.saoPaulo2018, ("20:00", "00:00"), "2018-11-04T02:59:59Z", "2018-11-04T03:00:00Z"),
        Night(.saoPaulo2018, ("20:00", "00:30"), "2018-11-04T02:00:00Z", "2018-11-04T03:00:00Z"),
        Night(.saoPaulo2018, ("00:00", "06:00"), "2018-11-04T02:59:59Z", nil),
        Night(.saoPaulo2018, ("00:00", "06:00"), "2018-11-04T03:00:00Z", "2018-11-04T08:00:00Z"),
        Night(.saoPaulo2018, ("22:00", "23:30"), "2019-02-17T01:45:00Z", "2019-02-17T02:30:00Z"),
        Night(.saoPaulo2018, ("23:30", "06:00"), "2019-02-17T02:15:00Z", "2019-02-17T09:00:00Z"),
        // Lord Howe changes by half an hour. 4 October 2026 skips 02:00 to 02:30, and 5 April repeats 01:30 to 02:00.
        Night(.lordHowe2026, ("22:00", "02:15"), "2026-10-03T15:00:00Z", "2026-10-03T15:30:00Z"),
        Night(.lordHowe2026, ("22:00", "07:00"), "2026-10-03T15:00:00Z", "2026-10-03T20:00:00Z"),
        Night(.lordHowe2026, ("22:00", "01:45"), "2026-04-04T14:50:00Z", "2026-04-04T15:15:00Z"),
        // Chatham has 45 minutes in its offset and one hour of daylight saving. 27 September 2026 skips 02:45 to 03:45.
        Night(.chatham2026, ("22:00", "03:00"), "2026-09-26T13:59:00Z", "2026-09-26T14:00:00Z"),
        Night(.chatham2026, ("22:00", "07:00"), "2026-04-04T13:00:00Z", "2026-04-04T18:15:00Z"),
        // Apia: 30 December 2011 does not exist, so the end of the 29th is the start of the 31st.
        Night(.apia2011, ("22:00", "07:00"), "2011-12-30T09:00:00Z", "2011-12-30T17:00:00Z"),
        Night(.apia2011, ("13:00", "23:30"), "2011-12-30T09:00:00Z", "2011-12-30T09:30:00Z"),
        // The change of time removes the gap between two windows, so quiet hours go on for another day.
        Night(.newYork2026, ("02:59", "02:00"), "2026-03-08T06:00:00Z", "2026-03-09T06:00:00Z"),
        Night(.newYork2026, ("01:30", "01:00"), "2026-11-01T04:59:00Z", "2026-11-02T06:00:00Z"),
    ]

    @Test(arguments: nights)
    func theEndIsFound(night: Night) {
        let window = quiet(night.window.0, night.window.1)
        #expect(window.end(after: instant(night.now), in: night.zone) == night.end.map(instant))
    }

    @Test(arguments: [
        Night(.utc, ("22:00", "07:00"), "2026-01-10T12:00:00Z", "2026-01-10T22:00:00Z"),
        Night(.utc, ("22:00", "07:00"), "2026-01-10T22:00:00Z", "2026-01-11T22:00:00Z"),
        Night(.utc, ("22:00", "07:00"), "2026-01-11T03:00:00Z", "2026-01-11T22:00:00Z"),
        Night(.newYork2026, ("02:00", "03:00"), "2026-03-08T06:59:00Z", "2026-03-09T06:00:00Z"),
        Night(.newYork2026, ("02:30", "04:00"), "2026-03-08T06:59:00Z", "2026-03-08T07:00:00Z"),
        Night(.newYork2026, ("01:30", "05:00"), "2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z"),
        Night(.saoPaulo2018, ("00:00", "06:00"), "2018-11-04T01:00:00Z", "2018-11-04T03:00:00Z"),
        Night(.apia2011, ("22:00", "23:00"), "2011-12-30T09:30:00Z", "2011-12-31T08:00:00Z"),
    ])
    func theNextStartIsFound(night: Night) {
        let window = quiet(night.window.0, night.window.1)
        #expect(window.nextStart(after: instant(night.now), in: night.zone) == night.end.map(instant))
    }

    /// Checks windows of many shapes at every quarter of an hour, in the three days around each change of each zone.
    @Test(arguments: ZoneOffsets.allHandmade)
    func aWindowHoldsItsPromisesAtEveryQuarterHour(zone: ZoneOffsets) {
        var broken: [String] = []
        let changes = zone.transitions.isEmpty ? [0] : zone.transitions.map(\.at)
        for window in Self.windowShapes {
            for change in changes {
                for quarter in -144..<144 {
                    let now = Timestamp(seconds: change + Int64(quarter) * 900)
                    if let promise = brokenPromise(window, at: now, in: zone, isOrdinaryDay: zone.transitions.isEmpty) {
                        broken.append("\(promise): \(window.startText)–\(window.endText) at \(now)")
                    }
                }
            }
        }
        #expect(broken.isEmpty, "\(broken.prefix(5))")
    }

    private static let windowShapes = [
        ("22:00", "07:00"), ("13:00", "15:00"), ("00:00", "00:01"), ("23:59", "00:00"), ("02:00", "03:00"), ("01:15", "02:45"),
        ("02:30", "01:30"), ("00:30", "23:45"), ("23:30", "00:30"),
    ].map { quiet($0.0, $0.1) }

    private func brokenPromise(_ window: QuietHours, at now: Timestamp, in zone: ZoneOffsets, isOrdinaryDay: Bool) -> String? {
        let isInside = window.contains(minuteOfDay: zone.localTime(at: now).minuteOfDay)
        let end = window.end(after: now, in: zone)
        if isInside, end == nil { return "the wall shows a quiet time, but it is not quiet" }
        if isOrdinaryDay, !isInside, end != nil { return "quiet outside of the window" }
        guard let next = window.nextStart(after: now, in: zone), next > end ?? now else { return "no next beginning" }
        if window.end(after: next, in: zone) == nil { return "not quiet at the next beginning" }
        if window.end(after: next.adding(.microseconds(-1)), in: zone) != nil { return "quiet before the next beginning" }
        guard let end else { return nil }
        if end <= now { return "ended before now" }
        if window.end(after: end, in: zone) != nil { return "still quiet at the end" }
        if window.end(after: end.adding(.seconds(-1)), in: zone) != end { return "not quiet just before the end" }
        return nil
    }

    @Test func aTimeOfDayIsRead() throws {
        let window = try QuietHours.parse(start: "22:05", end: "07:00")
        #expect(window == QuietHours(startMinute: 1_325, endMinute: 420))
        #expect(window?.startText == "22:05" && window?.endText == "07:00")
        #expect(try QuietHours.parse(start: "22:00", end: nil) == nil)
        #expect(try QuietHours.parse(start: nil, end: "07:00") == nil)
        #expect(try QuietHours.parse(start: nil, end: nil) == nil)
        #expect(try QuietHours.parse(start: "07:00", end: "07:00") == nil)
        #expect(QuietHours(startMinute: 1_440, endMinute: 1) == nil)
        #expect(QuietHours(startMinute: 1, endMinute: -1) == nil)
    }

    @Test(arguments: ["", "7:00", "07:0", "24:00", "07:60", "0700", "07:00:00", "07-00", "ab:cd", "-1:00", "０7:00", " 07:00"])
    func aTextThatIsNoTimeOfDayIsRefused(text: String) {
        #expect(throws: QuietHoursError(field: .quietHoursStart, text: text)) { try QuietHours.parse(start: text, end: "07:00") }
        #expect(throws: QuietHoursError(field: .quietHoursEnd, text: text)) { try QuietHours.parse(start: nil, end: text) }
    }
}
