import TidingsCommands
import TidingsJSON
import TidingsServer

extension BenchReport {
    /// The report for people: the rates, the costs, and the numbers that must be zero.
    var text: String {
        let report = json
        func figure(_ name: String) -> String { report[name].map(Table.plain) ?? "" }
        func micros(_ what: String, _ name: String) -> String? {
            report[name].flatMap { $0.isNull ? nil : "\(what) \(Table.plain($0)) µs" }
        }
        var lines = [
            "\(figure("intentsPerSecond")) intents/s, \(figure("deliveriesPerSecond")) deliveries/s"
                + (runs.count > 1 ? " (median of \(figure("intentsPerSecondOfRuns")))" : "")
        ]
        for floor in report["floors"]?.arrayValue ?? [] {
            func member(_ name: String) -> String { floor[name].map(Table.plain) ?? "" }
            lines.append("\(member("program")): \(member("intentsPerSecond")) intents/s, so ours is \(member("ratio")) of it")
        }
        let costs = [
            micros("roles", "cpuMicrosPerIntent"), micros("producer", "producerCpuMicrosPerIntent"),
            micros("broker", "brokerCpuMicrosPerIntent"), micros("database", "databaseCpuMicrosPerIntent"),
        ]
        lines.append("CPU an intent: " + costs.compactMap { $0 }.joined(separator: ", "))
        if let latency = report["latencyMilliseconds"], !latency.isNull {
            let parts = ["p50", "p99", "p99.9", "max"].map { "\($0) \(latency[$0].map(Table.plain) ?? "") ms" }
            lines.append("confirm to inbox: \(parts.joined(separator: ", ")) (\(latency["samples"].map(Table.plain) ?? "") looked for)")
        }
        for process in report["memoryMegabytes"]?.arrayValue ?? [] {
            func member(_ name: String) -> String { process[name].map(Table.plain) ?? "" }
            lines.append("memory of \(member("role")): \(member("peak")) MB at most, \(member("now")) MB at the end")
        }
        let zeros = ["lost", "duplicated", "unaccounted", "unreached"].map { "\($0) \(figure($0))" }
        return (lines + [zeros.joined(separator: ", ") + " of \(figure("confirmed")) confirmed"]).joined(separator: "\n")
    }
}
