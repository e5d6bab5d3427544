import ArgumentParser
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsPipeline
import TidingsServer
import TidingsStore

struct RejectedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected", abstract: "Intents that were refused, each with its reason and its bytes.",
        subcommands: [List.self, Show.self, Replay.self, Discard.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "open, replayed or discarded.") var state: String?
        @Option(help: "Only this reason code.") var reason: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (state, reason, limit, format) = (state, reason, list.limit, output.format)
            try Choices.check(state, of: "state", isOneOf: ["open", "replayed", "discarded"])
            try ReasonChoice.check(reason, of: .rejected)
            try await withStore { store, _ in
                Output.list(
                    try await store.refused.rejected(state: state, reason: reason, limit: limit), as: format, empty: "nothing was rejected")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "One rejected intent with its bytes, as text and as base64.")
        @Argument var id: Int64
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, format) = (id, output.format)
            try await withStore { store, _ in
                guard let found = try await store.refused.rejected(id) else { throw Failure(.bad, "nothing rejected has the number \(id)") }
                Output.one(found, as: format)
            }
        }
    }

    struct Replay: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay", abstract: "Publish events again as they came, for example after their type was added to the catalogue.",
            discussion: RefusedAction.discussion(
                """
                A row is closed when the broker has confirmed its event. If a router refuses the event again, the row is open again. An event that \
                was accepted before is a duplicate and does no harm.
                """))
        @OptionGroup var rows: RefusedOptions
        @OptionGroup var filters: RejectedFilters
        @OptionGroup var pace: ReplayPace

        mutating func validate() throws { try RefusedSelection.demandOne(rows, orOneOf: filters.all) }

        mutating func run(in context: CommandContext) async throws {
            let (rows, filters, rate) = (rows, filters, pace.rate)
            try await RefusedAction.replay(rows, in: .rejected, rate: rate) { filters.apply(to: &$0) }
        }
    }

    struct Discard: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Close rows: nothing is to be done. They stay until their retention ends.",
            discussion: RefusedAction.discussion(""))
        @OptionGroup var rows: RefusedOptions
        @OptionGroup var filters: RejectedFilters

        mutating func validate() throws { try RefusedSelection.demandOne(rows, orOneOf: filters.all) }

        mutating func run(in context: CommandContext) async throws {
            let (rows, filters) = (rows, filters)
            try await RefusedAction.discard(rows, in: .rejected) { filters.apply(to: &$0) }
        }
    }
}

/// Filters that only rejected rows have.
struct RejectedFilters: ParsableArguments {
    @Option(help: "Only events of this type.") var type: String?
    @Option(help: "Only events of this tenant; an event that names none is of the tenant default.") var tenant: String?
    @Option(help: "Only events of this CloudEvents source.") var source: String?

    var all: [String?] { [type, tenant, source] }

    func apply(to filter: inout RefusedFilter) { (filter.type, filter.tenant, filter.source) = (type, tenant, source) }
}

/// The pace of a replay.
struct ReplayPace: ParsableArguments {
    @Option(help: "Messages a second, 1 to 1000.") var rate = RefusedReplay.standardRate

    mutating func validate() throws {
        guard (1...RefusedReplay.highestRate).contains(rate) else {
            throw ValidationError("--rate is from 1 to \(RefusedReplay.highestRate)")
        }
    }
}

struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Messages that could not be processed.",
        subcommands: [List.self, Show.self, Replay.self, Discard.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "open, trying, replayed, resolved, quarantined or discarded.") var state: String?
        @Option(help: "Only this reason code.") var reason: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (state, reason, limit, format) = (state, reason, list.limit, output.format)
            try Choices.check(state, of: "state", isOneOf: ["open", "trying", "replayed", "resolved", "quarantined", "discarded"])
            try ReasonChoice.check(reason, of: .dead)
            try await withStore { store, _ in
                Output.list(try await store.refused.dead(state: state, reason: reason, limit: limit), as: format, empty: "no dead letter")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "One dead letter with its bytes, as text and as base64.")
        @Argument var id: Int64
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, format) = (id, output.format)
            try await withStore { store, _ in
                guard let found = try await store.refused.dead(id) else { throw Failure(.bad, "no dead letter has the number \(id)") }
                Output.one(found, as: format)
            }
        }
    }

    struct Replay: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay", abstract: "Publish messages again to where they came from.",
            discussion: RefusedAction.discussion("A row is closed when the broker has confirmed its message."))
        @OptionGroup var rows: RefusedOptions
        @Option(help: "Only messages that came from this queue.") var queue: String?
        @OptionGroup var pace: ReplayPace

        mutating func validate() throws { try RefusedSelection.demandOne(rows, orOneOf: [queue]) }

        mutating func run(in context: CommandContext) async throws {
            let (rows, queue, rate) = (rows, queue, pace.rate)
            try await RefusedAction.replay(rows, in: .dead, rate: rate) { $0.queue = queue }
        }
    }

    struct Discard: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Close rows: nothing is to be done. They stay until their retention ends.",
            discussion: RefusedAction.discussion(""))
        @OptionGroup var rows: RefusedOptions
        @Option(help: "Only messages that came from this queue.") var queue: String?

        mutating func validate() throws { try RefusedSelection.demandOne(rows, orOneOf: [queue]) }

        mutating func run(in context: CommandContext) async throws {
            let (rows, queue) = (rows, queue)
            try await RefusedAction.discard(rows, in: .dead) { $0.queue = queue }
        }
    }
}

/// `replay` and `discard`, which work alike for rejected and dead rows.
private enum RefusedAction {
    static func discussion(_ first: String) -> String {
        (first.isEmpty ? "" : first + "\n\n") + """
            Give numbers of rows or filters; all filters must hold. --dry-run prints how many rows are chosen. Rows chosen by filters \
            alone need --yes, or an answer at the terminal. Exit 0 when all is done, 1 when some rows were not or were refused again, 65 \
            when a filter is wrong.
            """
    }

    static func replay(
        _ options: RefusedOptions, in table: RefusedTable, rate: Int, _ filters: @escaping @Sendable (inout RefusedFilter) -> Void
    ) async throws {
        try ReasonChoice.check(options.reason, of: table == .rejected ? .rejected : .dead)
        try await withStore { store, settings in
            let selection = try RefusedSelection(options, in: table, now: store.clock.now(), filters)
            guard !selection.isDryRun else { return try await preview(selection, "published again", asReplay: true, in: store) }
            try await selection.confirm("Publish again", in: store)
            try await (try RefusedReplay(selection, rate: rate, in: store, settings)).run()
        }
    }

    static func discard(
        _ options: RefusedOptions, in table: RefusedTable, _ filters: @escaping @Sendable (inout RefusedFilter) -> Void
    ) async throws {
        try ReasonChoice.check(options.reason, of: table == .rejected ? .rejected : .dead)
        try await withStore { store, _ in
            let selection = try RefusedSelection(options, in: table, now: store.clock.now(), filters)
            guard !selection.isDryRun else { return try await preview(selection, "closed", asReplay: false, in: store) }
            try await selection.confirm("Close", in: store)
            var counts = RefusedCounts(selection)
            try await selection.forEachPage(in: store) { rows in
                counts.done += try await store.refused.discard(counts.open(rows).map(\.id), in: table)
                return true
            }
            try counts.finish("closed", stoppedBy: nil)
        }
    }

    private static func preview(_ selection: RefusedSelection, _ done: String, asReplay: Bool, in store: Store) async throws {
        var counts = RefusedCounts(selection)
        try await selection.forEachPage(in: store) { rows in
            counts.preview(rows, asReplay: asReplay)
            return true
        }
        try counts.finishPreview(done)
    }
}

/// The broker returned the message, because no queue takes it. The broker does not keep it.
struct Returned: Error {
    let code: Int
    let text: String
}

/// Publishes a kept message again as it came: with its exchange, routing key, content type, and the headers that a router reads.
/// Throws unless the broker confirms it: ``Returned`` if only this message failed, else a ``Failure``.
///
/// The message may have arrived in spite of a failure. This does no harm: the same event is decided once.
///
/// The message names its first producer, so the operator's rights do not count. If the first producer is unknown, it stays unknown.
func publishAgain(_ kept: KeptMessage, with producer: Producer) async throws {
    var headers = ReplayHeaders.values(in: kept.headers)
    headers[QueueNames.producerHeader] = .string(kept.producer ?? "")
    let result = await producer.publish(
        raw: kept.body, contentType: kept.contentType ?? "", exchange: kept.exchange, routingKey: kept.routingKey, id: "replay-\(kept.id)",
        headers: headers)
    switch result {
    case .confirmed: return
    case .failed(let error): throw Failure(error)
    case .returned(let code, let text): throw Returned(code: code, text: text)
    case .nacked: throw Failure(.unavailable, "the broker refused the message")
    }
}
