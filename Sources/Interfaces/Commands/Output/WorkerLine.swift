import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// A process in the table of `tidings status`: a row of `tidings_ops.workers`.
struct WorkerLine: Sendable {
    private let id: String
    private let state: String
    private let handled: Int
    private let startedAt: Timestamp
    private let heartbeatAt: Timestamp

    init(_ row: JSON) throws(ReportError) {
        id = try row.column("worker_id")
        state = try row.column("state")
        handled = try row.column("handled")
        startedAt = try row.column("started_at")
        heartbeatAt = try row.column("heartbeat_at")
    }

    func cells(now: Timestamp) -> JSON {
        [
            "process": .string(id), "state": .string(state), "handled": .number(JSONNumber(Int64(handled))),
            "started": .string(startedAt.minute(now: now)), "heartbeat": .string(heartbeatAt.minute(now: now)),
        ]
    }
}
