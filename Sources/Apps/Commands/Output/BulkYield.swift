import TidingsJSON
import TidingsPipeline
import TidingsServer
import TidingsStore

/// The sentence that explains why bulk work is slow.
enum BulkYield {
    /// Returns the sentence for a row of `tidings_ops.bulk_yields`.
    static func sentence(_ row: JSON) -> String {
        func text(_ name: String) -> String { row[name]?.stringValue ?? row[name]?.intValue.map(String.init) ?? "?" }
        let target = Int(LaneBalance.target / .milliseconds(1))
        let end = row["clears_at"]?.stringValue.map { "done about \($0) at this pace" } ?? "and do not become fewer"
        return "bulk work yields: each batch of \(text("worker_id")) waits \(text("bulk_pause_ms")) ms, because urgent work took "
            + "\(text("urgent_took_ms")) ms and should take at most \(target); \(text("bulk_ready")) bulk messages wait, \(end)"
    }
}
