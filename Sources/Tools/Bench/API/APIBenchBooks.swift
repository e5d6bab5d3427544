import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// The books of all loads of a measurement of the API. They are compared with the database at its end.
struct APIBenchBooks {
    /// The intents of one load that the broker, or the API, has confirmed.
    private struct Entry {
        let load: BenchLoad
        let confirmed: Int
        /// Event ids that may or may not have arrived.
        let unconfirmed: [String]
    }

    let before: Totals
    private let since: Timestamp
    private var entries: [Entry] = []

    /// Notifications are looked for from this long before, because the database has a clock of its own.
    private static let clockSlack = Duration.seconds(60)

    init(_ store: Store) async throws {
        before = try await store.operations.totals()
        since = store.clock.now().adding(.zero - Self.clockSlack)
    }

    var confirmed: Int { entries.reduce(0) { $0 + $1.confirmed } }

    mutating func add(_ load: BenchLoad, _ ledger: BenchLedger) {
        entries.append(Entry(load: load, confirmed: ledger.confirmed, unconfirmed: ledger.unconfirmed.map { "\($0)" }))
    }

    mutating func add(_ load: BenchLoad, confirmed: Int) { entries.append(Entry(load: load, confirmed: confirmed, unconfirmed: [])) }

    /// Counts the confirmed intents that became no notification, and the notifications beyond one of each intent.
    func audit(_ store: Store) async throws -> (lost: Int, duplicated: Int) {
        var (lost, duplicated) = (0, 0)
        for entry in entries {
            let found = try await store.operations.measured(source: entry.load.source, since: since, unconfirmed: entry.unconfirmed)
            lost += max(0, entry.confirmed - found.events)
            duplicated += found.notifications - found.events + found.possibleDuplicates
        }
        return (lost, duplicated)
    }
}
