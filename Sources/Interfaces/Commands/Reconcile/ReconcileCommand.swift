import ArgumentParser
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// Compares the event ids of a producer with the records, and prints the ids to publish again.
struct ReconcileCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare the event ids of a producer with what was accepted, and print the ids to publish again.",
        discussion: """
            Run it after a failover to an asynchronous standby, and after a restore. The ids to publish again go to standard output, and \
            the counts to standard error. The command exits with 0 if every id is accounted for, 1 if ids are to be published again, and \
            65 if a record of the file is invalid.
            """)

    /// Clocks of producers and of the database differ, so records from this long before `--since` count too.
    static let margin = Duration.seconds(3_600)
    private static let betweenNotes = Duration.seconds(3)

    @Argument(help: "The file with the ids. Without a file, or with -, they are read from standard input.") var file: String?
    @Option(help: "The CloudEvents source of the events.") var source: String
    @Option(
        help: """
            The time from which on the events were published (RFC 3339), or a duration before now, such as 2h. Records of the hour before \
            count too.
            """)
    var since: String
    @Option(help: "Only records of this tenant.") var tenant: String?
    @Option(help: "lines (an id on each line), csv (with a header), or jsonl (ids or events).") var input = EventFormat.lines
    @Option(help: "The column of a CSV file that has the ids.") var column = "event_id"
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if source.isEmpty { throw ValidationError("--source is empty") }
    }

    mutating func run(in context: CommandContext) async throws {
        let (file, source, since, tenant, format) = (file, source, since, tenant, output.format)
        let records = EventRecords(input, column: column, source: source, tenant: tenant)
        let events = try EventFile(file)
        try await withStore { store, _ in
            let now = store.clock.now()
            let start = try PastTime.read(since, "--since", now: now)
            let earliest = try await Self.earliest(start, now: now, in: store)
            var comparison = Comparison(store: store, source: source, tenant: tenant, since: earliest, format: format)
            try await comparison.run(events, records, noting: Self.betweenNotes)
            var (waiting, withoutID) = (0, 0)
            if comparison.result.toPublish > 0 {
                waiting = try await Self.waiting(in: store)
                withoutID = try await store.operations.refusedWithoutID(since: earliest)
            }
            try comparison.result.finish(source: source, since: start, waiting: waiting, withoutID: withoutID)
        }
    }

    /// The time from which on records count. Throws a ``Failure`` for a time in the future, and for a time whose records are past
    /// retention: an event of that time cannot be told from a lost one, and a repetition could send it twice.
    private static func earliest(_ start: Timestamp, now: Timestamp, in store: Store) async throws -> Timestamp {
        guard start <= now else { throw Failure(.data, "--since \(start.rfc3339) is in the future") }
        let kept = try await store.operations.keptSince() ?? now
        guard start >= kept else {
            throw Failure(
                .data, "--since \(start.rfc3339) is before \(kept.rfc3339), the oldest day that is kept completely",
                hint: "compare only events that were published later: an older event cannot be told from a lost one")
        }
        return max(kept, start.adding(.zero - margin))
    }

    /// The messages that waited in the intake queues at the last sample.
    private static func waiting(in store: Store) async throws -> Int {
        try await store.operations.queues().filter { try $0.column("queue", as: String.self).hasPrefix("tidings.intents.") }
            .reduce(0) { $0 + (try $1.column("ready", as: Int?.self) ?? 0) }
    }
}

/// The comparison of one file, batch by batch.
private struct Comparison {
    let store: Store
    let source: String
    let tenant: String?
    let since: Timestamp
    var result: Reconciliation
    private var batch: [(id: String, recipients: Int)] = []

    init(store: Store, source: String, tenant: String?, since: Timestamp, format: OutputFormat) {
        self.store = store
        self.source = source
        self.tenant = tenant
        self.since = since
        result = Reconciliation(as: format)
    }

    mutating func run(_ file: EventFile, _ records: EventRecords, noting betweenNotes: Duration) async throws {
        var (records, noteDue) = (records, ContinuousClock.now + betweenNotes)
        do {
            while let piece = try file.next() {
                take(try records.add(piece))
                while batch.count >= Store.reconcileBatch { try await compare() }
                if ContinuousClock.now >= noteDue {
                    Output.note("\(result.compared) ids compared so far")
                    noteDue = .now + betweenNotes
                }
            }
            if let last = try records.end() { take([last]) }
        } catch let problem as EventRecords.Problem {
            throw Failure(.data, "record \(problem.record): \(problem.text)", hint: "correct the file, and compare it again")
        }
        while !batch.isEmpty { try await compare() }
    }

    private mutating func take(_ found: [EventRecords.Record]) {
        for record in found {
            if case .event(let id, let recipients) = record { batch.append((id, recipients)) } else { result.skip(record) }
        }
    }

    private mutating func compare() async throws {
        let part = batch.prefix(Store.reconcileBatch)
        let answers = try await store.operations.reconcile(part.map(\.id), source: source, tenant: tenant, since: since)
        for (asked, answer) in zip(part, answers) { result.count(answer, recipients: asked.recipients) }
        batch.removeFirst(part.count)
    }
}
