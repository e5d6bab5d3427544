import TidingsCore
import TidingsJSON
import TidingsServer

/// The answer of `tidings status`: first the verdict, then the findings and the tables.
struct StatusReport: Sendable {
    let verdict: SystemVerdict
    private let rows: SystemRows
    private let findings: [Finding]
    private let all: Bool

    /// Findings shown of each level. There may be a thousand pauses; `tidings pause list` shows all of them.
    private static let shownOfALevel = 20

    /// - Parameter all: true to list also the queues that are empty and have a consumer.
    init(_ rows: SystemRows, _ findings: [Finding], all: Bool) {
        self.rows = rows
        self.findings = findings
        self.all = all
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
        // Leave out workers for which no bulk work waits: their pauses delay nothing.
        lines += rows.yields.filter { ($0["bulk_ready"]?.intValue ?? 0) > 0 }.map(BulkYield.sentence)
        for table in [rows.states, queues, workers] where !table.isEmpty { lines += ["", Table(table).text] }
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

    private var queues: [JSON] {
        rows.queues.filter { all || !Self.isIdle($0) }.map { row in
            [
                "queue": row["queue"] ?? .null, "messages": row["ready"] ?? .null, "consumers": row["consumers"] ?? .null,
                "deliveries": row["deliveries"] ?? .null,
                "since": time(row["waiting_since"] ?? .null, else: row["oldest_at"]),
                "clears": (row["ready"]?.intValue ?? 0) > 0 ? forecast(row["clears_at"] ?? .null) : .null,
            ]
        }
    }

    private var workers: [JSON] {
        rows.workers.map { row in
            [
                "process": row["worker_id"] ?? .null, "state": row["state"] ?? .null, "handled": row["handled"] ?? .null,
                "started": time(row["started_at"] ?? .null), "heartbeat": time(row["heartbeat_at"] ?? .null),
            ]
        }
    }

    /// True if the queue is empty and has a consumer.
    private static func isIdle(_ row: JSON) -> Bool {
        (row["ready"]?.intValue ?? 0) == 0 && (row["packs"]?.intValue ?? 0) == 0 && (row["consumers"]?.intValue ?? 0) > 0
    }

    private func forecast(_ value: JSON) -> JSON {
        guard let time = value.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else { return .null }
        return .string(time.forecast(now: rows.reading.now))
    }

    private func time(_ value: JSON, else other: JSON? = nil) -> JSON {
        guard let text = value.stringValue ?? other?.stringValue, let time = Timestamp(rfc3339: text) else { return .null }
        return .string(time.minute(now: rows.reading.now))
    }
}
