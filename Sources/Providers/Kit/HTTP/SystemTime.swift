import Glibc
public import TidingsCore

extension Timestamp {
    /// The time of the system's clock, in UTC. Every provider uses this clock unless a test passes another.
    public static func systemTime() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
