/// The UTC offsets of one time zone as plain data. They are read outside of Core from the time zone database, so that rules about local
/// time stay pure.
public struct ZoneOffsets: Sendable, Hashable {
    /// From `at` on, the zone is `offset` seconds east of UTC.
    public struct Transition: Sendable, Hashable {
        /// Seconds since 1970-01-01T00:00:00Z.
        public var at: Int64
        /// Seconds east of UTC.
        public var offset: Int

        public init(at: Int64, offset: Int) {
            self.at = at
            self.offset = offset
        }
    }

    /// The IANA name, for example `America/New_York`, as it was asked for.
    public var name: String
    /// Seconds east of UTC before the first transition.
    public var initialOffset: Int
    /// Every change within the span of interest, earliest first.
    public var transitions: [Transition]

    /// A zone from its changes, which may come in any order.
    public init(name: String, initialOffset: Int, transitions: [Transition] = []) {
        self.name = name
        self.initialOffset = initialOffset
        self.transitions = transitions.sorted { $0.at < $1.at }
    }

    /// Coordinated universal time: no offset, no change.
    public static let utc = ZoneOffsets(name: "UTC", initialOffset: 0)

    /// Seconds east of UTC at an instant.
    public func offset(at instant: Timestamp) -> Int {
        offset(ofPeriod: period(at: instant.wholeSeconds))
    }

    /// Returns the date and time that a wall clock shows at an instant.
    public func localTime(at instant: Timestamp) -> LocalTime {
        LocalTime(localSeconds: instant.wholeSeconds + Int64(offset(at: instant)))
    }
}

/// Wall-clock time is not monotonic: it skips hours and repeats hours. Local times are counted here in seconds since 1970-01-01T00:00 on
/// the wall clock. If a time is skipped or comes twice, the two methods below choose the instant.
extension ZoneOffsets {
    /// Returns the first instant at which the wall clock shows `localSeconds` or later, in seconds since 1970. If a time comes twice this
    /// is the first of the two, and if it is skipped, the end of the gap.
    func firstInstant(showing localSeconds: Int64) -> Int64 {
        var period = period(at: localSeconds - ZoneOffsets.largestShift)
        while period < transitions.count {
            let instant = max(start(ofPeriod: period), localSeconds - Int64(offset(ofPeriod: period)))
            if instant < transitions[period].at { return instant }
            period += 1
        }
        return max(start(ofPeriod: period), localSeconds - Int64(offset(ofPeriod: period)))
    }

    /// Returns the last instant at which the wall clock shows `localSeconds`, in seconds since 1970. If a time comes twice this is the
    /// second of the two, and if it is skipped, the end of the gap.
    func lastInstant(showing localSeconds: Int64) -> Int64 {
        var period = period(at: localSeconds + ZoneOffsets.largestShift)
        var end = Int64.max
        while period > 0 {
            let instant = localSeconds - Int64(offset(ofPeriod: period))
            if instant >= start(ofPeriod: period) { return min(end, instant) }
            end = start(ofPeriod: period)
            period -= 1
        }
        return min(end, localSeconds - Int64(offset(ofPeriod: 0)))
    }

    /// Returns the number of the span between transitions that holds an instant. 0 is the span before the first transition.
    private func period(at seconds: Int64) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func offset(ofPeriod period: Int) -> Int {
        period == 0 ? initialOffset : transitions[period - 1].offset
    }

    private func start(ofPeriod period: Int) -> Int64 {
        period == 0 ? .min : transitions[period - 1].at
    }

    /// The largest distance between wall clock and UTC, in seconds. The two are never two days apart. A zone that changed sides of the date
    /// line (Apia, Kwajalein) moved by one day.
    private static let largestShift = 2 * Timestamp.secondsPerDay
}
