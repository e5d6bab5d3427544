/// The hours in which a person is not disturbed, as times of day in the person's zone. They begin at `startMinute` and end before
/// `endMinute`. 22:00 to 07:00 passes midnight, 13:00 to 15:00 does not.
///
/// On the nights when clocks change, no person is woken early:
///
/// - If the start comes twice, the first time counts. If the end comes twice, the second time counts.
/// - Once quiet hours have begun they last until that end, even while the clock shows an hour again.
/// - A start or end inside a skipped hour means the first instant after that hour. A window that lies wholly inside is empty that night.
public struct QuietHours: Sendable, Hashable {
    /// Minutes after 00:00 on the wall: 0 to 1439.
    public var startMinute: Int
    /// Minutes after 00:00 on the wall: 0 to 1439, never equal to `startMinute`.
    public var endMinute: Int

    /// Makes quiet hours from minutes of the day. Nil when both are equal, which means no quiet hours, and when either is outside 0 to
    /// 1439.
    public init?(startMinute: Int, endMinute: Int) {
        let day = 0..<QuietHours.minutesPerDay
        guard startMinute != endMinute, day.contains(startMinute), day.contains(endMinute) else { return nil }
        self.startMinute = startMinute
        self.endMinute = endMinute
    }

    /// Whether a time of day is inside the window. On nights when clocks change this is not enough: use ``end(after:in:)`` for an instant.
    public func contains(minuteOfDay minute: Int) -> Bool {
        startMinute < endMinute
            ? startMinute <= minute && minute < endMinute
            : startMinute <= minute || minute < endMinute
    }

    /// Returns the end of the quiet hours that hold at `now`, exact to the second. Nil if none hold at `now`.
    public func end(after now: Timestamp, in zone: ZoneOffsets) -> Timestamp? {
        guard var end = nights(around: now, in: zone).first(where: { $0.contains(now) })?.upperBound else { return nil }
        // Look for another window at the end. A window of nearly a whole day begins again at once if a clock change skips the time between.
        for _ in 0..<QuietHours.longestChain {
            guard let next = nights(around: end, in: zone).first(where: { $0.contains(end) }) else { return end }
            end = next.upperBound
        }
        return end
    }

    /// Returns the next start of quiet hours after `now`, exact to the second. If quiet hours hold at `now`, this is the first start after
    /// their end.
    public func nextStart(after now: Timestamp, in zone: ZoneOffsets) -> Timestamp? {
        let free = end(after: now, in: zone) ?? now
        return nights(around: free, in: zone).first { $0.lowerBound > free }?.lowerBound
    }

    /// Returns the quiet spans that begin on days near an instant, earliest first. Spans that a skipped hour left empty are left out.
    private func nights(around instant: Timestamp, in zone: ZoneOffsets) -> [Range<Timestamp>] {
        let localSeconds = instant.wholeSeconds + Int64(zone.offset(at: instant))
        let today = localSeconds.flooredDivision(by: Timestamp.secondsPerDay).quotient
        return QuietHours.nearbyDays.compactMap { distance in
            let midnight = (today + distance) * Timestamp.secondsPerDay
            let length = endMinute > startMinute ? 0 : Timestamp.secondsPerDay
            let start = zone.firstInstant(showing: midnight + Int64(startMinute) * 60)
            let end = zone.lastInstant(showing: midnight + Int64(endMinute) * 60 + length)
            return start < end ? Timestamp(seconds: start)..<Timestamp(seconds: end) : nil
        }
    }

    static let minutesPerDay = 1_440
    /// The days that are searched, counted from today. A span that still lasts began at most two days ago: one for midnight, one for a
    /// repeated day. The next span begins within three days: one for a skipped night, one for a skipped day.
    private static let nearbyDays: ClosedRange<Int64> = -2...3
    /// The largest number of spans that follow each other without a gap. Clock changes make such chains and are months apart, so no real
    /// zone has more.
    private static let longestChain = 4
}
