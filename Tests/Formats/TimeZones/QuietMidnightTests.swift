import Testing
import TidingsCore
import TidingsTimeZones

/// Quiet hours at a quarter past midnight, on the machine's own zone data. A clock that shows 24:15 instead of 00:15 would end them a day
/// late, or would not find them.
@Suite struct QuietMidnightTests {
    /// Zones with and without changes of time, with changes at midnight, and with offsets of every fraction of an hour.
    private static let zones = [
        "Pacific/Honolulu", "Pacific/Marquesas", "America/Anchorage", "America/Los_Angeles", "America/Phoenix", "America/Denver",
        "America/Chicago", "America/Mexico_City", "America/New_York", "America/Havana", "America/Bogota", "America/Caracas",
        "America/Halifax", "America/Santiago", "America/St_Johns", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "America/Nuuk",
        "Atlantic/Azores", "UTC", "Europe/London", "Africa/Casablanca", "Europe/Berlin", "Africa/Cairo", "Asia/Beirut", "Europe/Moscow",
        "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Yangon", "Asia/Shanghai", "Australia/Eucla",
        "Asia/Tokyo", "Australia/Adelaide", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati",
    ]

    /// 2026-01-01T00:00:00Z, in seconds since 1970.
    private static let newYear: Int64 = 1_767_225_600
    private static let day: Int64 = 86_400
    private static let morning = 7 * 60

    @Test func theListHasFortyZones() { #expect(Set(Self.zones).count == 40) }

    /// At 00:15 of every day of a year, quiet hours end at 07:00 of the same day. Quiet hours of the day do not hold.
    @Test(arguments: zones) func aQuarterPastMidnightBelongsToItsOwnDay(zone: String) throws {
        let offsets = try TimeZoneDatabase().offsets(
            for: zone, from: Self.newYear - 10 * Self.day, through: Self.newYear + 400 * Self.day)
        let nights = try [22 * 60, 0].map { try #require(QuietHours(startMinute: $0, endMinute: Self.morning)) }
        let daytime = try #require(QuietHours(startMinute: Self.morning, endMinute: 22 * 60))
        var (moments, broken) = (0, [String]())
        for date in 0..<Int64(365) {
            for now in Self.quartersPastMidnight(Self.newYear + date * Self.day, in: offsets) {
                moments += 1
                broken += nights.compactMap { Self.fault(of: $0, at: now, in: offsets) }
                if daytime.end(after: now, in: offsets) != nil { broken.append("quiet hours of the day hold at \(now)") }
            }
        }
        // A change of time at midnight skips 00:15 of one day.
        #expect(moments >= 363)
        #expect(broken.isEmpty, "\(broken.prefix(5))")
    }

    private static func fault(of night: QuietHours, at now: Timestamp, in offsets: ZoneOffsets) -> String? {
        let name = "\(night.startText)–\(night.endText) at \(now)"
        guard let end = night.end(after: now, in: offsets) else { return "\(name): does not hold" }
        let (today, last) = (offsets.localTime(at: now), offsets.localTime(at: end))
        let isToday = (today.year, today.month, today.day) == (last.year, last.month, last.day)
        return isToday && last.minuteOfDay == morning && last.second == 0 ? nil : "\(name): ends \(last)"
    }

    /// Returns the instants at which the wall shows 00:15 of a day: one, none if a change of time skips it, two if it comes twice.
    ///
    /// - Parameter midnight: the day's 00:00, in seconds since the wall showed 1970-01-01T00:00.
    private static func quartersPastMidnight(_ midnight: Int64, in offsets: ZoneOffsets) -> [Timestamp] {
        Set([offsets.initialOffset] + offsets.transitions.map(\.offset)).sorted().compactMap { offset in
            let instant = Timestamp(seconds: midnight + 15 * 60 - Int64(offset))
            return offsets.offset(at: instant) == offset ? instant : nil
        }
    }
}
