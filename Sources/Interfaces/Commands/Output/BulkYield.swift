import TidingsJSON
import TidingsPipeline
import TidingsServer
import TidingsStore

/// A process whose bulk work yields to urgent work: a row of `tidings_ops.bulk_yields`.
struct BulkYield: Sendable {
    private let workerID: String
    private let pauseMilliseconds: Int
    private let urgentTookMilliseconds: Int?
    /// Messages in all bulk queues together.
    let ready: Int
    /// The time as PostgreSQL writes it. Nil while a bulk queue grows.
    private let clearsAt: String?

    init(_ row: JSON) throws(ReportError) {
        workerID = try row.column("worker_id")
        pauseMilliseconds = try row.column("bulk_pause_ms")
        urgentTookMilliseconds = try row.column("urgent_took_ms")
        ready = try row.column("bulk_ready")
        clearsAt = try row.column("clears_at")
    }

    /// The sentence that explains why bulk work is slow.
    var sentence: String {
        let target = Int(LaneBalance.target / .milliseconds(1))
        let took = urgentTookMilliseconds.map(String.init) ?? "?"
        let end = clearsAt.map { "done about \($0) at this pace" } ?? "and do not become fewer"
        return "bulk work yields: each batch of \(workerID) waits \(pauseMilliseconds) ms, because urgent work took "
            + "\(took) ms and should take at most \(target); \(ready) bulk messages wait, \(end)"
    }
}
