/// A date and a time of day, as a calendar and a wall clock show them.
public struct LocalTime: Sendable, Hashable {
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int
    /// 0 to 23.
    public var hour: Int
    /// 0 to 59.
    public var minute: Int
    /// 0 to 59; there are no leap seconds.
    public var second: Int

    /// The reading of a wall clock that has counted `localSeconds` since it showed 1970-01-01T00:00.
    init(localSeconds: Int64) {
        let (days, secondOfDay) = localSeconds.flooredDivision(by: Timestamp.secondsPerDay)
        let date = CivilDate(daysSinceEpoch: days)
        (year, month, day) = (date.year, date.month, date.day)
        hour = Int(secondOfDay / 3_600)
        minute = Int(secondOfDay / 60 % 60)
        second = Int(secondOfDay % 60)
    }

    /// Minutes since the wall showed 00:00: 0 to 1439.
    public var minuteOfDay: Int { hour * 60 + minute }
}

extension LocalTime: CustomStringConvertible {
    /// `2026-11-21 07:00:00`
    public var description: String {
        guard (0...9_999).contains(year) else { return "\(year)-\(month)-\(day) \(hour):\(minute):\(second)" }
        return String(unsafeUninitializedCapacity: 19) { buffer in
            var writer = FixedWriter(buffer: buffer)
            writer.digits(Int64(year), count: 4)
            for (separator, part) in [("-", month), ("-", day), (" ", hour), (":", minute), (":", second)] as [(Unicode.Scalar, Int)] {
                writer.byte(separator)
                writer.digits(Int64(part), count: 2)
            }
            return writer.count
        }
    }
}
