import TidingsCore

/// The requeue places of the two lanes, one queue each. Urgent deliveries never wait behind bulk deliveries.
struct ComeBackLines {
    private var urgent = ComeBackLine()
    private var bulk = ComeBackLine()

    subscript(isUrgent isUrgent: Bool) -> ComeBackLine {
        get { isUrgent ? urgent : bulk }
        set { if isUrgent { urgent = newValue } else { bulk = newValue } }
    }
}

/// The queue of refused sends of one host and lane, or of one rate. It holds times and no sends: each refused send is requeued at its own
/// place, one after another. However many sends wait, the number that pass through `due` in a second stays bounded.
///
/// Without the queue, every delivery for a slow or failing receiver would return each second. The database would then work at the pace of
/// the backlog.
package struct ComeBackLine {
    /// The time between two places, unless a rate requires more. It allows 500 sends a second in each queue of a process.
    package static let interval = Duration.milliseconds(2)
    /// The largest distance of a place. A receiver that works again is not left without sends for longer.
    package static let longest = Duration.seconds(600)

    /// The length from which a queue counts as long. At the smallest interval it holds 500 deliveries.
    package static let short = Duration.seconds(1)

    private var last: Timestamp?

    func isLong(after earliest: Timestamp) -> Bool { last.map { $0 - earliest >= Self.short } ?? false }

    /// Returns the next place, at `earliest` or later, and at least ``SendGate/comeBack`` from now.
    mutating func place(at earliest: Timestamp, every interval: Duration = Self.interval, now: Timestamp) -> Timestamp {
        let place = next(at: earliest, every: interval, now: now)
        last = place
        return place
    }

    /// Returns the next place if it is before `end`. Otherwise nobody gets it.
    mutating func place(at earliest: Timestamp, every interval: Duration, before end: Timestamp, now: Timestamp) -> Timestamp? {
        let place = next(at: earliest, every: interval, now: now)
        guard place < end else { return nil }
        last = place
        return place
    }

    private func next(at earliest: Timestamp, every interval: Duration, now: Timestamp) -> Timestamp {
        var place = max(earliest, now.adding(SendGate.comeBack))
        if let last { place = max(place, last.adding(max(interval, Self.interval))) }
        // A clock that was set back leaves places far in the future.
        return min(place, max(earliest, now).adding(Self.longest))
    }
}
