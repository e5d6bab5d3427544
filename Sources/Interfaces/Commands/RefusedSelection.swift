import ArgumentParser
import Glibc
import TidingsCore
import TidingsServer
import TidingsStore

/// The options of `replay` and `discard` that choose rejected or dead rows.
struct RefusedOptions: ParsableArguments {
    @Argument(help: "Numbers of rows, as `list` shows them; - reads them from standard input.") var ids: [String] = []
    @Option(help: "Only rows with this reason code.") var reason: String?
    @Option(help: "Only rows whose last refusal is at or after this time (RFC 3339), or within this duration, such as 2h.") var since:
        String?
    @Option(help: "Only rows whose last refusal is before this time, or longer ago than this duration.") var until: String?
    @Option(help: "Rows at most, the oldest first.") var limit: Int?
    @Flag(help: "Print how many rows are chosen, by reason, and change nothing.") var dryRun = false
    @Flag(help: "Do not ask before rows chosen by filters alone are changed.") var yes = false
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 or more") }
    }
}

/// The chosen rows, checked.
struct RefusedSelection: Sendable {
    /// The most numbers given at once. They form a list in memory, with eight bytes for each.
    private static let mostIDs = 1_000_000
    /// Numbers in one statement.
    private static let idsPerPage = 500

    let table: RefusedTable
    /// Ascending, each once.
    let ids: [Int64]
    private let filter: RefusedFilter
    let limit: Int
    let isDryRun: Bool
    private let mayAsk: Bool
    let format: OutputFormat

    /// Throws a ``Failure`` for a wrong number or time.
    init(_ options: RefusedOptions, in table: RefusedTable, now: Timestamp, _ more: (inout RefusedFilter) -> Void) throws {
        self.table = table
        ids = try Self.numbers(options.ids)
        var filter = RefusedFilter()
        filter.reason = options.reason
        filter.since = try options.since.map { try PastTime.read($0, "--since", now: now) }
        filter.until = try options.until.map { try PastTime.read($0, "--until", now: now) }
        more(&filter)
        if let since = filter.since, let until = filter.until, since >= until {
            throw Failure(.data, "--since is not before --until")
        }
        self.filter = filter
        limit = options.limit ?? .max
        isDryRun = options.dryRun
        mayAsk = !options.yes
        format = options.output.format
    }

    /// Throws for a selection with neither numbers nor filters: a forgotten filter must not publish every row.
    static func demandOne(_ options: RefusedOptions, orOneOf more: [String?]) throws {
        guard options.ids.isEmpty, (more + [options.reason, options.since, options.until]).allSatisfy({ $0 == nil }) else { return }
        throw ValidationError("give numbers of rows, or at least one filter, such as --reason")
    }

    /// Visits the rows in the order of their numbers, at most ``limit`` of them, until `body` returns false.
    func forEachPage(in store: Store, _ body: ([RefusedRow]) async throws -> Bool) async throws {
        // Stop at the last row of now. An event that is refused again during this run gets a new number, and waits for the next run.
        let end = try await store.refused.last(in: table)
        var left = limit
        for part in ids.isEmpty
            ? [[]]
            : stride(from: 0, to: ids.count, by: Self.idsPerPage).map({
                Array(ids[$0..<min($0 + Self.idsPerPage, ids.count)])
            })
        {
            var filter = filter
            filter.ids = part
            var after: Int64 = 0
            while left > 0 {
                let page = try await store.refused.page(in: table, filter, after: after, upTo: end)
                guard let last = page.last else { break }
                after = last
                let rows = Array(page.rows.prefix(left))
                left -= rows.count
                if !rows.isEmpty, try await !body(rows) { return }
            }
        }
    }

    /// Asks for a confirmation if the user chose rows by filters alone. Throws unless the answer is yes, and if there is no terminal.
    func confirm(_ verb: String, in store: Store) async throws {
        guard ids.isEmpty, mayAsk, !isDryRun else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(.usage, "rows chosen by filters alone need --yes", hint: "add --dry-run to see how many they are")
        }
        var count = 0
        try await forEachPage(in: store) { rows in
            count += rows.count
            return true
        }
        Output.note("\(verb) \(count) rows? Type yes:")
        guard readLine() == "yes" else { throw Failure(.bad, "nothing was changed") }
    }

    private static func numbers(_ texts: [String]) throws -> [Int64] {
        var words = texts.filter { $0 != "-" }
        if texts.contains("-") {
            guard let bytes = readBytes("-") else { throw Failure(.data, "cannot read standard input") }
            words += String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
            guard !words.isEmpty else { throw Failure(.data, "standard input has no number") }
        }
        guard words.count <= mostIDs else { throw Failure(.data, "\(words.count) numbers; at most \(mostIDs) at once") }
        return try Set(
            words.map { word in
                guard let number = Int64(word), number > 0 else {
                    throw Failure(.data, "\(word.prefix(40)) is no number of a row", hint: "tidings rejected list, tidings dead list")
                }
                return number
            }
        ).sorted()
    }
}

/// The check of a reason code against the codes of one kind.
enum ReasonChoice {
    /// Throws a ``Failure`` with exit code 65 that suggests the nearest code, or lists all codes.
    static func check(_ reason: String?, of kind: ReasonKind) throws {
        let known = ReasonCode.allCases.filter { $0.kind == kind }.map(\.rawValue)
        guard let reason, !known.contains(reason) else { return }
        let hint = NearestName.of(reason, among: known).map { "did you mean \($0)?" } ?? "it is one of \(known.joined(separator: ", "))"
        throw Failure(.data, "no \(kind.rawValue) row has the reason \(reason)", hint: hint)
    }
}
