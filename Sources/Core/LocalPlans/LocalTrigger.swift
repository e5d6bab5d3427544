/// When a device shows a local notification, in the terms of the two triggers that it has.
public enum LocalTrigger: Sendable, Hashable {
    /// When the device's own clock shows this minute.
    case calendar(LocalTime)
    /// So many seconds after the app has planned it, at least 1.
    case timeInterval(seconds: Int)

    /// Seconds before a time from which it is given as an interval: the minute may begin while the answer is on its way, and a calendar
    /// trigger for a minute that has begun never fires.
    public static let calendarNotice: Int64 = 60

    /// - Parameters:
    ///   - time: nil for at once. A calendar trigger has whole minutes, so it shows at the first minute that is not before `time`.
    ///   - zone: the device's, in which it reads a calendar.
    ///
    /// An hour that the wall shows twice cannot be told from the first in a calendar; the second is given as an interval. In an unknown zone
    /// every time is an interval: it needs no calendar, and the notification is shown once.
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
