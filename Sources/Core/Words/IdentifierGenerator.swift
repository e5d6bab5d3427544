/// Makes ids of version 7 that strictly increase, one generator for each sequence that must (RFC 9562 section 6.2, method 3: the twelve
/// bits after the version are the fraction of the millisecond).
///
/// Within one instant, and while the clock stands or runs backwards, ids stay at the latest instant seen and their random part grows by a
/// random step. So the ids of one batch made at one instant do not run ahead of the clock.
public struct IdentifierGenerator: Sendable {
    private var last = NotificationID(high: 0, low: 0)

    /// A generator that has made nothing yet.
    public init() {}

    /// The next id, greater than all before. An instant before 1970 counts as 1970. Two generators collide only if instant and all 62 used
    /// bits of `random` agree.
    public mutating func next(at instant: Timestamp, random: UInt64) -> NotificationID {
        let (milliseconds, rest) = max(0, instant.microseconds).flooredDivision(by: Timestamp.microsecondsPerMillisecond)
        let fraction = UInt64(rest) * 4_096 / 1_000
        let fresh = NotificationID(milliseconds: UInt64(milliseconds), fraction: fraction, random: random)
        last = fresh.high > last.high ? fresh : successor(random: random)
        return last
    }

    /// The last id plus a random step of 1 to 2^32; carries into the fraction, then into the milliseconds, when the random part is full.
    private func successor(random: UInt64) -> NotificationID {
        let step = (random & 0xFFFF_FFFF) + 1
        let grown = last.low & NotificationID.randomMask + step
        if grown <= NotificationID.randomMask {
            return NotificationID(milliseconds: last.high >> 16, fraction: last.high, random: grown)
        }
        let fraction = (last.high & 0xFFF) + 1
        return NotificationID(milliseconds: last.high >> 16 + (fraction >> 12), fraction: fraction, random: random >> 1)
    }
}
