import TidingsCatalogue
import TidingsCommands
import TidingsCore
import TidingsServer

extension BenchCommand {
    /// Measures the API, and prints the report.
    func measureAPI(in context: CommandContext) async throws {
        let catalogue = Catalogue.ofBinary
        guard let type = catalogue.types[type] else { throw Failure(.data, "the built-in catalogue has no type \(type)") }
        // Each stream takes a descriptor of this process and one of the API.
        let needed = streams + OpenFiles.reserve
        if let limit = OpenFiles.raiseLimit(), limit < needed {
            throw Failure(
                .config, "\(streams) streams need \(needed) open files, and the limit is \(limit)",
                hint: "raise ulimit -n, or choose fewer --streams")
        }
        let system = try await BenchSystem.own(home: home, keep: keep, in: context)
        let report: APIBenchReport
        do {
            try await system.use(catalogue)
            report = try await APIBench(on: system, type: type, plan: plan).run()
        } catch {
            try? await system.close()
            throw error
        }
        try await system.close()
        if output.format == .text { Output.text(report.text) } else { Output.one(report.json, as: output.format) }
        guard report.isSound else { throw Failure(.bad, "something was refused, lost, doubled, left unaccounted or not told") }
    }

    private var plan: APIBench.Plan {
        APIBench.Plan(
            streams: streams, stored: stored, perSecond: rate ?? Self.standardRate, intents: intents, runs: runs, seconds: seconds,
            bodyBytes: body, timeout: .seconds(timeout))
    }

    /// Notifications a second while the streams are open.
    private static let standardRate = 1_000
}
