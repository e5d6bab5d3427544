import ArgumentParser
import TidingsCore
import TidingsServer
import TidingsStore

/// Prints a verdict on the whole system.
struct StatusCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "A verdict on the whole system, then what is wrong, deliveries by state, queues and processes. Exit 1 when something is wrong.",
        discussion: "This command asks only the database. `tidings doctor` makes the same checks, and asks the broker too.")

    /// The interval of `--watch`, as its help says. It is slow enough to read, and the queries cost the database next to nothing.
    private static let watchEvery = Duration.seconds(2)

    @Flag(help: "Print again every two seconds until interrupted.") var watch = false
    @Flag(help: "Also queues that are empty and have a consumer.") var all = false
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (watch, all, format) = (watch, all, output.format)
        try await withStore { store, _ in
            repeat {
                let rows = try await SystemRows(from: store)
                let report = try StatusReport(rows, Judgement.findings(of: rows.reading), all: all)
                if watch, format == .text { Output.frame(at: store.clock.now()) }
                format == .text ? report.lines.forEach(Output.text) : Output.one(report.json, as: format)
                if watch {
                    // Time to read the report. Ctrl-C ends the process.
                    try await Task.sleep(for: Self.watchEvery)
                } else if report.verdict.isBad {
                    throw Failure(.bad, "something is wrong", hint: "tidings doctor looks further")
                }
            } while watch
        }
    }
}
