import TidingsJSON
import TidingsServer

/// The answer of `tidings status`: first the verdict, then the findings and the tables.
struct StatusReport: Sendable {
    let verdict: SystemVerdict
    private let rows: SystemRows
    private let findings: [Finding]
    private let yields: [BulkYield]
    private let queues: [QueueLine]
    private let workers: [WorkerLine]

    /// Findings shown of each level. There may be a thousand pauses; `tidings pause list` shows all of them.
    private static let shownOfALevel = 20

    /// Throws ``ReportError`` if a row has lost a column of a table.
    ///
    /// - Parameter all: true to list also the queues that are empty and have a consumer.
    init(_ rows: SystemRows, _ findings: [Finding], all: Bool) throws {
        self.rows = rows
        self.findings = findings
        // Leave out workers for which no bulk work waits: their pauses delay nothing.
        yields = try rows.yields.map { try BulkYield($0) }.filter { $0.ready > 0 }
        queues = try rows.queues.map { try QueueLine($0) }.filter { all || !$0.isIdle }
        workers = try rows.workers.map { try WorkerLine($0) }
        verdict = SystemVerdict(findings)
    }

    /// The lines for people, at most 100 columns wide if names allow it.
    var lines: [String] {
        var lines = [Table.plain(.string(verdict.words))]
        for level in [Finding.Level.error, .warning, .note] {
            let shown = findings.filter { $0.level == level }
            lines += shown.prefix(Self.shownOfALevel).map(\.text)
            if shown.count > Self.shownOfALevel { lines.append("\(level.symbol) and \(shown.count - Self.shownOfALevel) more") }
        }
        lines += yields.map(\.sentence)
        let now = rows.reading.now
        for table in [rows.states, queues.map { $0.cells(now: now) }, workers.map { $0.cells(now: now) }] where !table.isEmpty {
            lines += ["", Table(table).text]
        }
        return lines
    }

    var json: JSON {
        [
            "verdict": .string(verdict.words), "level": .string(verdict.level.word),
            "problems": .array(findings.filter { $0.level > .ok }.map(\.json)), "states": .array(rows.states),
            "pauses": .array(rows.pauses), "bulk_yields": .array(rows.yields), "queues": .array(rows.queues),
            "workers": .array(rows.workers), "unaccounted": .array(rows.unaccounted),
        ]
    }
}
