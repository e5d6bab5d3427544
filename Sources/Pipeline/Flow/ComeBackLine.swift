import TidingsCore

/// The lines of the two lanes: what is urgent never waits behind bulk.
struct ComeBackLines {
    private var urgent = ComeBackLine()
    private var bulk = ComeBackLine()

    subscript(isUrgent isUrgent: Bool) -> ComeBackLine {
        get { isUrgent ? urgent : bulk }
        set { if isUrgent { urgent = newValue } else { bulk = newValue } }
    }
}

/// The sends of one host and lane, or of one rate, that were turned away, one after the other: however many wait, no more of them a second go
/// round through `due`.
///
/// Without it every delivery that waits for a slow or failing receiver would come back each second, and the database would work at the pace of
/// the backlog.
package struct ComeBackLine {
    /// Between two that come back, unless a rate says more: 500 a second in each line of a process.
    package static let interval = Duration.milliseconds(2)
    /// No place is further away than this, so that a receiver that is well again is not left alone for longer.
    package static let longest = Duration.seconds(600)

    /// Beyond this a line is long: 500 deliveries.
    package static let short = Duration.seconds(1)

    private var last: Timestamp?

    func isLong(after earliest: Timestamp) -> Bool { last.map { $0 - earliest >= Self.short } ?? false }

    /// The next place, `earliest` or later, and at least ``SendGate/comeBack`` from now.
    mutating func place(at earliest: Timestamp, every interval: Duration = Self.interval, now: Timestamp) -> Timestamp {
        var place = max(earliest, now.adding(SendGate.comeBack))
        if let last { place = max(place, last.adding(max(interval, Self.interval))) }
        // A clock that was set back leaves places behind that are far away.
        place = min(place, max(earliest, now).adding(Self.longest))
        last = place
        return place
    }
}
