import TidingsCore

/// A day of each year and a time of day, in one of the three forms of a TZ string.
enum RuleDay: Sendable {
    /// `Mm.w.d`: the `week`th (5: the last) `weekday` (0: Sunday) of a month.
    case weekday(month: Int, week: Int, weekday: Int, time: Int)
    /// `Jn`: 1 to 365. 29 February is never counted.
    case julian(Int, time: Int)
    /// `n`: 0 to 365. 29 February is counted.
    case ordinal(Int, time: Int)

    /// Returns seconds of local time since 1970-01-01T00:00 on the wall clock. Nil outside the years 1 to 9999.
    func seconds(in year: Int) -> Int64? {
        switch self {
        case .weekday(let month, let week, let weekday, let time):
            guard let first = CivilDate(validYear: year, month: month, day: 1)?.daysSinceEpoch else { return nil }
            // 1970-01-01 was a Thursday.
            let firstWeekday = ((first + 4) % 7 + 7) % 7
            var day = first + (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
            if CivilDate(daysSinceEpoch: day).month != month { day -= 7 }
            return day * 86_400 + Int64(time)
        case .julian(let number, let time):
            let isPastLeapDay = number >= 60 && CivilDate(validYear: year, month: 2, day: 29) != nil
            return Self.day(number - (isPastLeapDay ? 0 : 1), of: year).map { $0 * 86_400 + Int64(time) }
        case .ordinal(let number, let time):
            return Self.day(number, of: year).map { $0 * 86_400 + Int64(time) }
        }
    }

    /// Returns the day that is `number` days after 1 January.
    private static func day(_ number: Int, of year: Int) -> Int64? {
        CivilDate(validYear: year, month: 1, day: 1).map { $0.daysSinceEpoch + Int64(number) }
    }
}
