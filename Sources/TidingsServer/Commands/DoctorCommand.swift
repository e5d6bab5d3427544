import ArgumentParser
import TidingsAMQP
import TidingsCore
import TidingsProvider
import TidingsStore
import TidingsWire

/// Checks everything that must be right before a role runs.
struct DoctorCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the configuration, both servers, the schema, the topology and the catalogue. Exit 1 when one fails.")
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        var checks: [Check] = []
        let settings = try Settings.read()
        let zoneData = ZoneDataCheck(in: settings.environment)
        checks.append(Check("time zones", zoneData.isPassed ? .pass : .fail, zoneData.detail))
        let catalogue = await database(settings, context, &checks)
        await broker(settings, catalogue ?? .builtIn, &checks)
        if output.format == .text {
            for check in checks { Output.data("\(check.symbol) \(check.name): \(check.detail)") }
        } else {
            Output.list(checks.map(\.json), as: output.format, empty: "")
        }
        if checks.contains(where: { $0.verdict == .fail }) { throw Failure(.bad, "\(checks.filter { $0.verdict == .fail }.count) failed") }
    }

    private func database(_ settings: Settings, _ context: CommandContext, _ checks: inout [Check]) async -> Catalogue? {
        let store = Store(settings.database, size: 1, name: "tidings doctor")
        // A defer cannot await, and the answer is not to wait for a database that hangs: the process ends with the command.
        defer { Task { await store.close() } }
        do {
            try await store.open()
            checks.append(Check("database", .pass, "schema \(Migration.latest), clocks agree"))
            let catalogue = try await CatalogueSource(store).current.catalogue
            let problems = await context.providers.problems(of: catalogue, environment: settings.environment)
            checks.append(
                problems.isEmpty
                    ? Check("catalogue", .pass, "\(catalogue.types.count) types, hash \(catalogue.hash.prefix(16))")
                    : Check("catalogue", .fail, problems.map(\.description).joined(separator: "; ")))
            let unaccounted = try await store.unaccounted()
            checks.append(
                unaccounted.isEmpty
                    ? Check("conservation", .pass, "everything is accounted for") : Check("conservation", .fail, "run tidings db verify"))
            return catalogue
        } catch {
            checks.append(Check("database", .fail, Failure(error).message))
            return nil
        }
    }

    private func broker(_ settings: Settings, _ catalogue: Catalogue, _ checks: inout [Check]) async {
        let control = AMQPControl(configuration: settings.amqp, connectionName: "tidings doctor")
        do {
            let drifts = try await Topology(of: catalogue).check(on: control)
            let properties = try await control.serverProperties()
            var version = ""
            if case .string(let text)? = properties["version"] { version = "RabbitMQ \(text), " }
            if drifts.isEmpty { checks.append(Check("broker", .pass, version + "topology as declared")) }
            for drift in drifts {
                checks.append(
                    Check("broker", .fail, "\(drift); a role that starts declares what is missing, a difference must be deleted first"))
            }
        } catch {
            checks.append(Check("broker", .fail, Failure(error).message))
        }
        await control.close()
    }
}

private struct Check {
    enum Verdict: String { case pass, fail }

    let name: String
    let verdict: Verdict
    let detail: String

    init(_ name: String, _ verdict: Verdict, _ detail: String) {
        self.name = name
        self.verdict = verdict
        self.detail = detail
    }

    var symbol: String { verdict == .pass ? "✓" : "✗" }

    var json: JSON {
        ["check": .string(name), "verdict": .string(verdict.rawValue), "detail": .string(detail)]
    }
}
