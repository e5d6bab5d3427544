/// Makes ids of version 7 that strictly increase. Each sequence that must increase needs its own generator.
///
/// The twelve bits after the version are the fraction of the millisecond (RFC 9562 section 6.2, method 3). Within one instant, and while
/// the clock stands or runs backwards, ids stay at the latest instant seen. Their random part then grows by a random step. So the ids of
/// one batch made at one instant do not run ahead of the clock.
public struct IdentifierGenerator: Sendable {
    private var last = NotificationID(high: 0, low: 0)

    /// A generator that has made nothing yet.
    public init() {}

    /// Returns the next id, greater than all before. An instant before 1970 counts as 1970. Ids of two generators collide
    /// only if both stand at the same instant and their 62 random bits are the same.
    public mutating func next(at instant: Timestamp, random: UInt64) -> NotificationID {
        let (milliseconds, rest) = max(0, instant.microseconds).flooredDivision(by: Timestamp.microsecondsPerMillisecond)
        let fraction = UInt64(rest) * 4_096 / 1_000
        let fresh = NotificationID(milliseconds: UInt64(milliseconds), fraction: fraction, random: random)
        last = fresh.high > last.high ? fresh : successor(random: random)
        return last
    }

    /// Returns the last id plus a random step of 1 to 2^32. If the random part is full, the step carries into the fraction, then into the
    /// milliseconds.
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
