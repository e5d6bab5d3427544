import Synchronization

/// Durations, counted in fixed buckets, in seconds.
public final class Histogram: Meter {
    public static let type = "histogram"

    /// The upper bounds in milliseconds. They fit a commit that takes 1 ms as well as a call that reaches its deadline of 15 seconds.
    static let boundsInMilliseconds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]

    private static let bounds = boundsInMilliseconds.map { $0 * 1_000_000 }
    private static let boundLabels = boundsInMilliseconds.map { Label("le", "\(Double($0) / 1_000)") } + [Label("le", "+Inf")]

    /// One counter for each bound, and one for values beyond the last bound. The counts are not yet cumulative.
    private let buckets = boundLabels.map { _ in Counter() }
    private let nanoseconds = Atomic<Int64>(0)

    public init() {}

    /// Records a duration. A negative duration, from a clock that was set back, counts as zero.
    public func observe(_ duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .zero), Self.longest).components
        let time = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        buckets[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count].add()
        nanoseconds.wrappingAdd(time, ordering: .relaxed)
    }

    /// The longest duration that is added: one day. A longer one adds only this much to the sum, so that the sum cannot overflow.
    private static let longest = Duration.seconds(86_400)

    /// The number of observations so far.
    public var count: Int { buckets.reduce(0) { $0 + $1.value } }

    /// Reads each bucket once, so that the lines agree with each other while other threads record.
    public func append(to text: inout ExpositionText, name: String, labels: [Label]) {
        var total = 0
        for (bucket, bound) in zip(buckets, Self.boundLabels) {
            total += bucket.value
            text.sample(name + "_bucket", labels + [bound], String(total))
        }
        text.sample(name + "_sum", labels, "\(Double(nanoseconds.load(ordering: .relaxed)) / 1_000_000_000)")
        text.sample(name + "_count", labels, String(total))
    }
}
