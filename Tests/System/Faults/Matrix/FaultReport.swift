import TidingsTestSupport

/// The result of a row, as a line of the table.
struct FaultReport: Sendable {
    let row: FaultRow
    var audit = Conservation.Audit()
    var recovery = Duration.zero
    /// The bars that the row has met or missed.
    var bar = Bar()
    /// The reason why the fault was not injected here.
    var lacking: String?

    init(row: FaultRow, audit: Conservation.Audit, recovery: Duration) {
        (self.row, self.audit, self.recovery) = (row, audit, recovery)
    }

    init(row: FaultRow, lacking: String) { (self.row, self.lacking) = (row, lacking) }

    /// The extra sends that the fault does not explain: more than its bound, or without a row.
    var beyondTheWindow: Int {
        switch row.bound {
        case .admitted: audit.silent
        case .atMost(let bound): max(audit.silent, audit.extra - bound)
        }
    }

    static let heading = [
        "| # | fault | injected | intents | lost | sent again (with a row) | beyond the window | unaccounted | in order after |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]

    /// The line in Markdown.
    var line: String {
        if let lacking { return "| \(row.number) | \(row.fault) | not here: \(lacking) | | | | | | |" }
        let tenths = Int(recovery / .milliseconds(100))
        let cells: [String] = [
            row.number, row.fault, row.injected, "\(audit.confirmed)", "\(audit.lost)", "\(audit.extra) (\(audit.admitted))",
            "\(beyondTheWindow)", "\(audit.unaccounted)", "\(tenths / 10).\(tenths % 10) s",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
