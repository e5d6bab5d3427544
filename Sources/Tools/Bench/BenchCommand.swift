public import ArgumentParser
import Foundation
import TidingsCatalogue
public import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// Publishes intents while the roles work, waits until every delivery has ended, and reports the cost.
public struct BenchCommand: TidingsCommand {
    public static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Publish many intents while the roles run, and measure until every delivery has ended.",
        discussion: """
            Without configured servers, or with --private, it starts servers and roles of its own, with an empty database under --home, and a
            provider that accepts at once on every channel but the inbox. Otherwise it works on the configured servers, with their catalogue
            and the roles that run there. In both cases the product's own path is measured: every row is written.

            Each intent goes to a person of its own, so that nothing is cached. A wait lasts from the producer's confirm until a query by an
            index finds the intent in the person's inbox. With --rate, the wait of a late intent begins when it was due. CPU is user and
            system time of the roles; producer and servers are listed separately. Exit code 1 if anything was lost, doubled or left
            unaccounted, or did not reach its person on servers of its own.

            --push FILE measures push through the providers of a catalogue, such as those that tidings capture stands in for: each person gets
            a device. Each run comes after a run of the same catalogue in which push is accepted at once.

            --api measures the HTTP API on servers of its own: open event streams while notifications come at --rate, listings beside the same
            statements by pgbench, and intents over HTTP beside intents over AMQP. Exit code 1 if a request was refused, or if a
            notification was lost or told by no event.
            """)

    @Option(help: "The number of intents.") var intents = 50_000
    @Option(help: "The number of runs; the figures are medians.") var runs = 1
    @Option(help: "Intents a second; without it as fast as the broker confirms.") var rate: Int?
    @Option(help: "The type of the intents.") var type = "orderUpdate"
    @Option(help: "Deliveries of each intent with servers of its own: 1 (inbox), 2 (push too) or 5.") var fanOut = 2
    @Option(help: "Bytes of the body, up to 200000; an ordinary sentence without it.") var body: Int?
    @Option(help: "Intents in one message, 1 to 1000.") var perMessage = 1
    @Flag(help: "Publish everything before the roles start (own servers).") var preload = false
    @Option(help: "The number of bulk intents that wait when the roles start and are handled during the run (own servers).") var backlog =
        0
    @Option(help: "one process with all roles, or each role in its own (own servers).") var processes = BenchSystem.Processes.one
    @Option(help: "A program that shows the most that the servers can do; runs in turn with ours. May be repeated.") var floor: [String] =
        []
    @Option(help: "A catalogue whose default market has providers of push; each run is compared to one without a network (own servers).")
    var push: String?
    @Flag(name: .customLong("private"), help: "Use servers and roles of its own, even if servers are configured.") var isPrivate = false
    @Option(help: "Where its own servers keep their data, which is deleted first.") var home = ".tidings/bench"
    @Flag(help: "Keep the data under --home and measure on it, such as the data of deploy/fill (own servers).") var keep = false
    @Option(help: "Seconds to wait for the end of each run.") var timeout = 600
    @Flag(help: "Measure the HTTP API, always on servers of its own.") var api = false
    @Option(help: "Open event streams, each of a person of its own (--api).") var streams = 10_000
    @Option(help: "Notifications in the inboxes of these people before the measurement (--api).") var stored = 1_000_000
    @Option(help: "Seconds of each round of listings (--api).") var seconds = 10
    @Option(help: "A file for a picture (SVG) of the roles' memory over the last run.") var memoryGraph: String?
    @OptionGroup var output: OutputOptions

    public mutating func validate() throws {
        func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
            guard range.contains(value) else {
                throw ValidationError("--\(name) is from \(range.lowerBound) to \(range.upperBound)")
            }
        }
        try check("intents", intents, 1...10_000_000)
        try check("runs", runs, 1...100)
        try check("rate", rate ?? 1, 1...100_000)
        try check("body", body ?? 1, 1...200_000)
        try check("per-message", perMessage, 1...1_000)
        try check("backlog", backlog, 0...10_000_000)
        try check("timeout", timeout, 1...86_400)
        try check("streams", streams, 1...50_000)
        try check("stored", stored, 0...10_000_000)
        try check("seconds", seconds, 1...3_600)
        guard !api || floor.isEmpty && push == nil && backlog == 0 && !preload && memoryGraph == nil && processes == .one else {
            throw ValidationError("--api excludes --floor, --push, --backlog, --preload, --memory-graph and --processes each")
        }
        guard Self.channels[fanOut] != nil else { throw ValidationError("--fan-out is 1, 2 or 5") }
        guard push == nil || fanOut == 2 else { throw ValidationError("--push measures the inbox and push: --fan-out 2") }
        guard rate == nil || !preload else { throw ValidationError("--preload and --rate exclude each other") }
    }

    private static let channels: [Int: [Channel]] = [1: [.inApp], 2: [.inApp, .push], 5: [.inApp, .push, .webPush, .email, .sms]]
    /// The type of the backlog's intents: a bulk type that goes to every person's inbox.
    private static let backlogType = "social"

    public init() {}

    public mutating func run(in context: CommandContext) async throws {
        if api { return try await measureAPI(in: context) }
        let floors = try floor.map { try FloorProgram(path: $0) }
        var benchPush: BenchPush?
        if let push { benchPush = try BenchPush(try await readCatalogue(push, context, Settings.processEnvironment(), strict: true)) }
        let system = try await chooseSystem(in: context)
        let report: BenchReport
        do {
            report = try await measure(on: system, floors, benchPush)
            if let memoryGraph { try Self.draw(report, into: memoryGraph) }
        } catch {
            try? await system.close()
            throw error
        }
        try await system.close()
        if output.format == .text { Output.text(report.text) } else { Output.one(report.json, as: output.format) }
        guard report.isSound else { throw Failure(.bad, "something was lost, doubled, left unaccounted or did not reach its person") }
    }

    private static func draw(_ report: BenchReport, into path: String) throws {
        guard let trace = report.runs.last?.trace else { return }
        do {
            try MemoryGraph(trace: trace).svg.write(toFile: path, atomically: true, encoding: .utf8)
        } catch {
            throw Failure(.config, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    private func chooseSystem(in context: CommandContext) async throws -> BenchSystem {
        if !isPrivate, let settings = try? Settings.read() {
            guard !preload, backlog == 0, processes == .one, !keep, push == nil else {
                throw Failure(
                    .usage, "--preload, --backlog, --processes, --keep and --push need servers of their own", hint: "add --private")
            }
            return try await .configured(settings)
        }
        return try await .own(home: home, keep: keep, in: context)
    }

    private func measure(on system: BenchSystem, _ floors: [FloorProgram], _ push: BenchPush?) async throws -> BenchReport {
        if system.isPrivate { try await system.use(push?.catalogue ?? .ofBinary) }
        let types = try await CatalogueSource(system.store, builtIn: .ofBinary).current.catalogue.types
        guard let type = types[type] else { throw Failure(.data, "the catalogue has no type \(type)") }
        guard backlog == 0 || types[Self.backlogType] != nil else { throw Failure(.data, "--backlog needs the type \(Self.backlogType)") }
        var figures: [BenchFigures] = []
        var withoutNetwork: [Double] = []
        var rates = floors.map { _ in [Double]() }
        for turn in 1...runs {
            func note(_ what: String, _ rate: Double) { Output.note("run \(turn) of \(runs)\(what): \(Int(rate)) intents/s") }
            if let push {
                try await system.use(push.withoutNetwork)
                let result = try await run(of: type, types[Self.backlogType], on: system).run()
                withoutNetwork.append(result.intentsPerSecond)
                note(", without a network", result.intentsPerSecond)
                try await system.use(push.catalogue)
            }
            let run = run(of: type, types[Self.backlogType], on: system)
            try await push?.registerDevices(for: run.load, in: system.store)
            let result = try await run.run()
            note("", result.intentsPerSecond)
            figures.append(result)
            for (position, program) in floors.enumerated() {
                let rate = try await program.run(
                    intents: intents, deliveries: fanOut, on: system.settings, within: .seconds(timeout))
                note(", \(program.name)", rate)
                rates[position].append(rate)
            }
        }
        return BenchReport(
            runs: figures, floors: (push == nil ? [] : [("without a network", withoutNetwork)]) + zip(floors, rates).map { ($0.name, $1) })
    }

    private func run(of type: NotificationType, _ backlogType: NotificationType?, on system: BenchSystem) -> BenchRun {
        BenchRun(
            system: system, load: load(of: type, intents: intents, on: system), rate: rate,
            backlog: backlog == 0 ? nil : backlogType.map { load(of: $0, intents: backlog, on: system) },
            preload: preload, processes: processes, timeout: .seconds(timeout))
    }

    private func load(of type: NotificationType, intents: Int, on system: BenchSystem) -> BenchLoad {
        BenchLoad(
            run: RandomIdentifier.make(), type: type, channels: system.isPrivate ? Self.channels[fanOut] : nil, bodyBytes: body,
            eventsPerMessage: perMessage, intents: intents)
    }
}

extension BenchSystem.Processes: ExpressibleByArgument {}
