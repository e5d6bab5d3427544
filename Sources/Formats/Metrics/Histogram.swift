import Synchronization

/// How long something took, counted in fixed buckets, in seconds.
public final class Histogram: Meter {
    public static let type = "histogram"

    /// Upper bounds in milliseconds, for a commit that takes one as for a call that runs into its deadline of 15 seconds.
    static let boundsInMilliseconds: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]

    private static let bounds = boundsInMilliseconds.map { $0 * 1_000_000 }
    private static let boundLabels = boundsInMilliseconds.map { Label("le", "\(Double($0) / 1_000)") } + [Label("le", "+Inf")]

    /// One for each bound and one for what is beyond them all; not yet cumulative.
    private let buckets = boundLabels.map { _ in Counter() }
    private let nanoseconds = Atomic<Int64>(0)

    public init() {}

    /// A negative duration, of a clock that was set back, counts as none.
    public func observe(_ duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .zero), Self.longest).components
        let time = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        buckets[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count].add()
        nanoseconds.wrappingAdd(time, ordering: .relaxed)
    }

    /// A day: what takes longer adds no more than this to the sum, so that it cannot overflow.
    private static let longest = Duration.seconds(86_400)

    /// Observations so far.
    public var count: Int { buckets.reduce(0) { $0 + $1.value } }

    /// Each bucket is read once, so that the lines agree with each other while others go on recording.
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
