/// The hours in which a person is left alone: wall-clock times of day in the person's zone, from `startMinute` up to but not including
/// `endMinute`. 22:00 to 07:00 passes midnight; 13:00 to 15:00 does not.
///
/// On the nights when clocks change nobody is woken early: a start that comes twice counts the first time, an end that comes twice counts
/// the second time, and once quiet has begun it lasts until that end, also while the wall shows an hour again. A start or end inside a
/// skipped hour means the first instant after it, so a window that lies wholly inside is no window that night.
public struct QuietHours: Sendable, Hashable {
    /// Minutes after 00:00 on the wall: 0 to 1439.
    public var startMinute: Int
    /// Minutes after 00:00 on the wall: 0 to 1439, never equal to `startMinute`.
    public var endMinute: Int

    /// Quiet hours from minutes of the day. Nil when both are equal, which means none, and when either is outside 0 to 1439.
    public init?(startMinute: Int, endMinute: Int) {
        let day = 0..<QuietHours.minutesPerDay
        guard startMinute != endMinute, day.contains(startMinute), day.contains(endMinute) else { return nil }
        self.startMinute = startMinute
        self.endMinute = endMinute
    }

    /// Whether the wall shows a time inside the window. Says nothing of nights when clocks change; ask ``end(after:in:)`` about an instant.
    public func contains(minuteOfDay minute: Int) -> Bool {
        startMinute < endMinute
            ? startMinute <= minute && minute < endMinute
            : startMinute <= minute || minute < endMinute
    }

    /// When the quiet that holds at `now` ends, exact to the second; nil when it is not quiet at `now`.
    public func end(after now: Timestamp, in zone: ZoneOffsets) -> Timestamp? {
        guard var end = nights(around: now, in: zone).first(where: { $0.contains(now) })?.upperBound else { return nil }
        // A window of nearly a whole day can begin again at once on a night when the clock skips what lies between.
        for _ in 0..<QuietHours.longestChain {
            guard let next = nights(around: end, in: zone).first(where: { $0.contains(end) }) else { return end }
            end = next.upperBound
        }
        return end
    }

    /// When quiet begins next, later than `now`, exact to the second. If it is quiet already, this is the beginning after that quiet has
    /// ended.
    public func nextStart(after now: Timestamp, in zone: ZoneOffsets) -> Timestamp? {
        let free = end(after: now, in: zone) ?? now
        return nights(around: free, in: zone).first { $0.lowerBound > free }?.lowerBound
    }

    /// The quiet spans that begin on days near an instant, earliest first, without those that a skipped hour left empty.
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
    /// A night that still lasts began at most two days ago (one for midnight, one for a repeated day); the next begins within three (one
    /// for a skipped night, one for a skipped day).
    private static let nearbyDays: ClosedRange<Int64> = -2...3
    /// Spans that follow each other without a pause are made by clock changes, which are months apart; more than this is no real zone.
    private static let longestChain = 4
}
