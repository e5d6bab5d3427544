/// The time at which a device shows a local notification, as one of the two kinds of trigger that devices have.
public enum LocalTrigger: Sendable, Hashable {
    /// Fires when the device's own clock shows this minute.
    case calendar(LocalTime)
    /// Fires this many seconds after the app has planned it, at least 1.
    case timeInterval(seconds: Int)

    /// The shortest notice of a calendar trigger, in seconds. With less notice an interval is used: the minute may begin while the answer
    /// is on its way. A calendar trigger for a minute that has begun never fires.
    public static let calendarNotice: Int64 = 60

    /// - Parameters:
    ///   - time: nil for at once. A calendar trigger has whole minutes, so it fires at the first minute that is not before `time`.
    ///   - zone: the time zone in which the device reads a calendar.
    ///
    /// If a clock change repeats an hour, a calendar trigger means the first of the two. A time in the second one becomes an interval. In
    /// an unknown zone every time becomes an interval, because an interval needs no calendar. The notification is shown once in each case.
    public init(showing time: Timestamp?, in zone: Zone, now: Timestamp) {
        guard let time, time > now else {
            self = .timeInterval(seconds: 1)
            return
        }
        let interval = LocalTrigger.timeInterval(seconds: Int(max(1, LocalTrigger.seconds(notBefore: time) - now.wholeSeconds)))
        guard case .known(let zone) = zone else {
            self = interval
            return
        }
        let minute = LocalTrigger.minute(notBefore: time)
        let localSeconds = minute + Int64(zone.offset(at: Timestamp(seconds: minute)))
        let isFirst = zone.firstInstant(showing: localSeconds) == minute
        if isFirst, minute - now.wholeSeconds >= LocalTrigger.calendarNotice {
            self = .calendar(LocalTime(localSeconds: localSeconds))
        } else {
            self = interval
        }
    }

    private static func seconds(notBefore time: Timestamp) -> Int64 {
        time > Timestamp(seconds: time.wholeSeconds) ? time.wholeSeconds + 1 : time.wholeSeconds
    }

    private static func minute(notBefore time: Timestamp) -> Int64 {
        let (minutes, rest) = seconds(notBefore: time).flooredDivision(by: 60)
        return (rest == 0 ? minutes : minutes + 1) * 60
    }
}
