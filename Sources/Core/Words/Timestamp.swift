/// An instant, in microseconds since 1970-01-01T00:00:00Z without leap seconds, which is PostgreSQL's precision.
///
/// Arithmetic saturates at ``distantPast`` and ``distantFuture``, so every computed timestamp can be printed.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z; negative before.
    public var microseconds: Int64

    /// An instant given in microseconds since 1970-01-01T00:00:00Z.
    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// An instant given in whole seconds since 1970-01-01T00:00:00Z; saturates beyond what microseconds can hold.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: Timestamp.microsecondsPerSecond)
        microseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// 9999-12-31T23:59:59.999999Z, the last instant RFC 3339 can write.
    public static let distantFuture = Timestamp(microseconds: 253_402_300_799_999_999)
    /// 0001-01-01T00:00:00Z, the first instant accepted from outside.
    public static let distantPast = Timestamp(microseconds: -62_135_596_800_000_000)

    /// The instant `duration` later (earlier when negative), no further than ``distantPast`` and ``distantFuture``. Parts of a microsecond
    /// are dropped.
    public func adding(_ duration: Duration) -> Timestamp {
        let (sum, overflow) = microseconds.addingReportingOverflow(duration.saturatedMicroseconds)
        if overflow { return duration < .zero ? .distantPast : .distantFuture }
        return min(max(Timestamp(microseconds: sum), .distantPast), .distantFuture)
    }

    /// The time from `right` to `left`; negative when `left` is earlier.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        let (difference, overflow) = left.microseconds.subtractingReportingOverflow(right.microseconds)
        return .microseconds(overflow ? (left < right ? Int64.min : Int64.max) : difference)
    }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Whole seconds since 1970, rounded down, also before 1970.
    public var wholeSeconds: Int64 {
        microseconds.flooredDivision(by: Timestamp.microsecondsPerSecond).quotient
    }

    /// Whole milliseconds since 1970, rounded down, also before 1970.
    public var wholeMilliseconds: Int64 {
        microseconds.flooredDivision(by: Timestamp.microsecondsPerMillisecond).quotient
    }

    static let microsecondsPerSecond: Int64 = 1_000_000
    static let microsecondsPerMillisecond: Int64 = 1_000
    static let secondsPerDay: Int64 = 86_400
}

extension Timestamp: CustomStringConvertible {
    public var description: String { rfc3339 }
}

extension Duration {
    /// The duration in whole microseconds, rounded towards zero and limited to the range of Int64.
    var saturatedMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: Timestamp.microsecondsPerSecond)
        let (sum, secondOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || secondOverflow ? (seconds < 0 ? .min : .max) : sum
    }
}

extension Int64 {
    /// Division that rounds down, with a remainder that is never negative. The divisor must be positive.
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
