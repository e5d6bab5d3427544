/// One sentence on the whole system, and whether something is wrong.
package struct SystemVerdict: Sendable, Hashable {
    /// The worst level of all findings.
    package let level: Finding.Level
    package let words: String

    /// Findings that the sentence names. The lines below the sentence list all findings.
    private static let named = 3

    package init(_ findings: [Finding]) {
        let level = findings.map(\.level).max() ?? .ok
        self.level = level
        let worst = findings.filter { $0.level == level }
        let more = worst.count > Self.named ? "; and \(worst.count - Self.named) more" : ""
        let listed = worst.prefix(Self.named).map(\.words).joined(separator: "; ") + more
        words =
            switch level {
            case .error: "Degraded: \(listed)."
            case .warning: "Attention: \(listed)."
            case .note: "All is well, with a note: \(listed)."
            case .ok: "All is well: every role runs, nothing waits beyond its time, and no delivery needs an operator."
            }
    }

    /// True if something does not work. The exit code is 1 then.
    package var isBad: Bool { level == .error }
}
