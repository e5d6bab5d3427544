import ArgumentParser
import TidingsCore
import TidingsStore
import TidingsWire

/// Explains one notification.
struct WhyCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "What happened to a notification on each channel, and why.")

    @Argument(help: "A notification id, a delivery id, or the producer's event id.") var id: String
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (id, format) = (id, output.format)
        try await withStore { store, _ in
            Explanation.print(try await Explanation.all(of: notificationIDs(id, in: store), from: store), as: format)
        }
    }
}

/// The notifications an id stands for: its own, or those of a producer's event.
func notificationIDs(_ text: String, in store: Store) async throws -> [NotificationID] {
    if let id = NotificationID(String(text.prefix { $0 != "/" })) { return [id] }
    let found = try await store.find(text).filter { $0["kind"]?.stringValue == "notification" }
    let ids = found.compactMap { $0["id"]?.stringValue.flatMap { NotificationID($0) } }
    guard !ids.isEmpty else {
        let refused = try await store.find(text).contains { $0["kind"]?.stringValue == "rejected" }
        throw Failure(.bad, "no notification \(text)", hint: refused ? "it was rejected: tidings rejected list" : "tidings find \(text)")
    }
    return ids
}

/// Any id.
struct FindCommand: TidingsCommand {
    static let configuration = CommandConfiguration(commandName: "find", abstract: "Find the record of any id.")

    @Argument(help: "A notification, delivery, event or recipient id.") var id: String
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (id, format) = (id, output.format)
        try await withStore { store, _ in
            let rows = try await store.find(id)
            Output.list(rows, as: format, empty: "nothing has the id \(id)")
            if rows.isEmpty { throw Failure(.bad, "nothing found", hint: "what is past retention is gone") }
        }
    }
}

/// The decision for an intent that is not sent.
struct SimulateCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "What would be decided for an intent, without sending it: the same function the router runs.")

    @Argument(help: "A type of the catalogue.") var type: String
    @Option(help: "The recipient.") var to: String
    @Option(help: "At which moment, RFC 3339; now by default.") var at: String?
    @Option(help: "Only these channels.") var channel: [String] = []
    @Option var tenant = Intent.defaultTenant
    @Option var market: String?
    @Flag var critical = false
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (format, to, tenant) = (output.format, to, tenant)
        let moment = try at.map { text in
            guard let time = Timestamp(rfc3339: text) else { throw Failure(.data, "--at \(text) is no RFC 3339 time") }
            return time
        }
        var intent = Intent(tenant: tenant, source: "/tidings/simulate", id: "simulate", type: type, recipient: to)
        intent.market = market
        intent.critical = critical
        intent.channels = try Choices.channels(channel)
        let asked = intent
        let zones = try TimeZoneDatabase.required()
        try await withStore { store, _ in
            let source = try await CatalogueSource(store)
            if let refusal = source.current.refusal(of: asked) {
                throw Failure(.data, "\(refusal.reason.rawValue) at \(refusal.pointer): \(refusal.message)", hint: "tidings catalogue show")
            }
            let now = moment ?? store.clock.now()
            let facts = try await store.facts(of: to, tenant: tenant, zones: zones, around: now)
            let decision = route(
                asked, facts: facts, catalogue: source.current.catalogue, pauses: source.pauses, now: now, acceptedAt: now)
            Output.list(decision.deliveries.map(Self.row), as: format, empty: "no channel is eligible")
            if format == .text { for rule in decision.rules { Output.data("rule: \(rule)") } }
        }
    }

    private static func row(_ planned: PlannedDelivery) -> JSON {
        let (verdict, until): (String, String) =
            switch planned.verdict {
            case .send: ("send", "")
            case .hold(let until, _): ("hold", until.rfc3339)
            case .paused: ("hold", "")
            case .awaitEscalation: ("awaitEscalation", "")
            case .notSent: ("notSent", "")
            }
        return [
            "channel": .string(planned.channel.rawValue), "provider": .string(planned.provider), "verdict": .string(verdict),
            "state": .string(planned.verdict.state.rawValue), "reason_code": planned.verdict.reason.map { .string($0.rawValue) } ?? .null,
            "until": until.isEmpty ? .null : .string(until), "market": planned.market.map { .string($0) } ?? .null,
            "has_standby": .bool(planned.standby != .nobody),
        ]
    }
}

/// How things stand.
struct StatusCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Deliveries by state and reason, what is paused, queues, and who is running. Exit 1 when something is unaccounted for.")

    /// As the help of --watch says: slow enough to read, and the questions cost the database nothing worth naming.
    private static let watchEvery = Duration.seconds(2)

    @Flag(help: "Print again every two seconds until interrupted.") var watch = false
    @OptionGroup var output: OutputOptions

    mutating func run(in context: CommandContext) async throws {
        let (watch, format) = (watch, output.format)
        try await withStore { store, _ in
            repeat {
                let (counts, queues) = (try await store.stateCounts(), try await store.queues())
                let (pauses, yields) = (try await store.pauses(), try await store.bulkYields())
                let (workers, unaccounted) = (try await store.workers(), try await store.unaccounted())
                if format == .text {
                    Output.list(counts, as: format, empty: "no delivery yet")
                    Output.list(pauses, as: format, empty: "nothing is paused")
                    yields.map(BulkYield.sentence).forEach(Output.data)
                    Output.list(queues, as: format, empty: "no queue sampled yet: is a release role running?")
                    Output.list(workers, as: format, empty: "no process is running")
                    Output.list(unaccounted, as: format, empty: "everything is accounted for")
                } else {
                    Output.one(
                        [
                            "states": .array(counts), "pauses": .array(pauses), "bulkYields": .array(yields), "queues": .array(queues),
                            "workers": .array(workers),
                            "unaccounted": .array(unaccounted),
                        ], as: format)
                }
                if watch {
                    // Time to read it; Ctrl-C ends the process.
                    try await Task.sleep(for: Self.watchEvery)
                } else if !unaccounted.isEmpty {
                    throw Failure(.bad, "something is unaccounted for", hint: "tidings db verify")
                }
            } while watch
        }
    }
}
