/// A day of the Gregorian calendar, extended to all years, without a time zone.
public struct CivilDate: Sendable, Hashable {
    /// Astronomical year: 0 is the year before 1.
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int

    /// The date that is `daysSinceEpoch` days after 1970-01-01.
    ///
    /// Years are counted from 1 March, so that the leap day is the last day of a year and 400 years (146,097 days) repeat exactly.
    public init(daysSinceEpoch: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + CivilDate.daysFromMarchOfYearZero).flooredDivision(by: CivilDate.daysPerEra)
        // Taking out the leap days that have passed leaves years of exactly 365 days.
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - CivilDate.daysBefore(yearOfEra: yearOfEra)
        // From March on, months alternate 31 and 30 days in groups of five that take 153 days.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5) + 1
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(era * 400 + yearOfEra) + (month <= 2 ? 1 : 0)
    }

    /// A date of the years 1 to 9999 that exists; nil otherwise.
    public init?(validYear year: Int, month: Int, day: Int) {
        guard (1...9_999).contains(year), (1...12).contains(month), day >= 1, day <= CivilDate.length(ofMonth: month, year: year) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Days from 1970-01-01 to this date; negative before.
    public var daysSinceEpoch: Int64 {
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let monthFromMarch = Int64(month <= 2 ? month + 9 : month - 3)
        let (era, yearOfEra) = marchYear.flooredDivision(by: 400)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        return era * CivilDate.daysPerEra + CivilDate.daysBefore(yearOfEra: yearOfEra) + dayOfYear - CivilDate.daysFromMarchOfYearZero
    }

    /// The number of days of a month.
    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static let daysPerEra: Int64 = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysFromMarchOfYearZero: Int64 = 719_468

    private static func daysBefore(yearOfEra year: Int64) -> Int64 {
        365 * year + year / 4 - year / 100
    }
}
