import Glibc
import TidingsCommands
import TidingsServer

/// The resources that a process of this machine has used so far, as Linux reports them in `/proc`.
enum ProcessUsage {
    /// Seconds of user and system time of the process and all its descendants. Descendants that have ended count too, such as PostgreSQL's
    /// backends. Nil if there is no such process.
    static func processorSeconds(of processID: Int32) -> Double? {
        guard let stat = readFile("/proc/\(processID)/stat"), let end = stat.lastIndex(of: ")") else { return nil }
        // After the name: state is field 3, so utime, stime and those of reaped children (14 to 17) are 11 to 14 here.
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        let own = fields[11...14].compactMap { Double($0) }.reduce(0, +) / Double(sysconf(CInt(_SC_CLK_TCK)))
        let children = readFile("/proc/\(processID)/task/\(processID)/children")?.split(separator: " ") ?? []
        return own + children.compactMap { Int32($0) }.compactMap(processorSeconds).reduce(0, +)
    }

    static func processorSeconds(of processIDs: [Int32]) -> Double {
        processIDs.compactMap { processorSeconds(of: $0) }.reduce(0, +)
    }

    /// The most bytes in memory since the last ``forgetPeak(of:)``, and the bytes now. Nil if there is no such process.
    static func memory(of processID: Int32) -> (peak: Int, now: Int)? {
        guard let status = readFile("/proc/\(processID)/status") else { return nil }
        func bytes(_ name: String) -> Int? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?
                .split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
        }
        guard let peak = bytes("VmHWM"), let now = bytes("VmRSS") else { return nil }
        return (peak, now)
    }

    /// Begins a new measurement of the peak. Without the right to do so, the peak stays that of the process's whole life.
    static func forgetPeak(of processID: Int32) {
        let file = open("/proc/\(processID)/clear_refs", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    /// Seconds that this process itself has used.
    static var ownProcessorSeconds: Double {
        var usage = rusage()
        getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
