import Glibc
import TidingsMetrics

extension ProcessFigures {
    /// The figures of this process as the kernel has them now; nil if `/proc` cannot be read.
    static func read() -> ProcessFigures? {
        guard let pages = words(of: "/proc/self/statm").dropFirst().first.flatMap({ Int($0) }),
            // The name in parentheses may hold spaces; the start, in ticks after boot, is the 20th word after it (proc(5), field 22).
            let ticks = words(of: "/proc/self/stat", after: ")").dropFirst(19).first.flatMap({ Double($0) })
        else { return nil }
        let bootedAt = seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME)
        return ProcessFigures(
            residentBytes: pages * sysconf(Int32(_SC_PAGESIZE)), cpuSeconds: seconds(CLOCK_PROCESS_CPUTIME_ID),
            startedAtSeconds: bootedAt + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    }

    private static func words(of path: String, after mark: Character? = nil) -> [Substring] {
        guard let text = readFile(path) else { return [] }
        let rest = mark.flatMap { text.lastIndex(of: $0) }.map { text[text.index(after: $0)...] } ?? text[...]
        return rest.split { $0 == " " || $0 == "\n" }
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
