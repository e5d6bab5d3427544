import TidingsJSON
import TidingsStore

/// The progress of an erasure: a row of `tidings_ops.erasures`.
struct ErasureProgress: Sendable {
    private let state: String
    /// The step that runs.
    let step: String
    /// The obstacle of the step. Nil while the erasure goes on.
    let obstacle: String?

    init(_ row: JSON) throws(ReportError) {
        state = try row.column("state")
        step = try row.column("step")
        obstacle = try row.column("waits_for")
    }

    var isDone: Bool { state == "done" }
}
