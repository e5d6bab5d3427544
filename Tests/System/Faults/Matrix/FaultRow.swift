import Testing

/// One fault: how it is injected into a system under load, how it is repaired, and how many duplicates a receiver may get from it.
///
/// All rows have the same rule. Each confirmed intent is decided once, every delivery ends, and the records agree, without any help.
struct FaultRow: Sendable, CustomTestStringConvertible {
    enum Broker: Sendable { case alone, behindProxy, cluster }

    /// The extra sends that the fault explains. With every bound, each extra send must have its row in `tidings_ops.possible_duplicates`.
    enum Bound: Sendable, Equatable {
        case atMost(Int)
        /// As many extra sends as have their row.
        case admitted

        /// No process died while it held a call, so nothing may be sent again.
        static let none = atMost(0)
        /// The calls that one worker may have open.
        static let callsOfAWorker = atMost(128)
    }

    typealias Action = @Sendable (FaultScene) async throws -> Void

    /// The number in the matrix. `39.afterSend` is one of many rows of number 39.
    let number: String
    let fault: String
    let injected: String
    var broker = Broker.alone
    /// Every role reaches PostgreSQL through the proxy. The test itself does not.
    var isDatabaseBehindProxy = false
    /// Whether the database's data lies on a file system of its own: ``DataDisk``.
    var hasDisk = false
    /// The variables in the environment of every process.
    var variables: @Sendable (_ folder: String) async throws -> [String: String] = { _ in [:] }
    /// The processes that a supervisor keeps up.
    var crew = ["router", "deliver", "deliver", "release"]
    var load = FaultLoad.Shape.spread
    /// The attempts that a transactional delivery gets.
    var attempts = 10
    /// Whether an operator cancels pending notifications all the time.
    var cancels = false
    /// Whether the virtual clock ends leases and waits at once when production is over, for tests that must be quick.
    var hurries = false
    /// The longest time from the last confirm until everything has ended.
    var recovery = Duration.seconds(120)
    var bound = Bound.none
    /// The longest time from the fault's end until every intent confirmed by then has ended. Nil if a lease or a pause must run out first.
    var isInOrder: Duration?
    /// The feature that this machine lacks for the row. Nil if the fault can be injected here.
    var lacks: @Sendable () async -> String? = { nil }
    /// Injects the fault under load. Returns when the fault has lasted long enough.
    var inject: Action
    /// Repairs the system. Returns when nothing is broken any more. ``Crew`` replaces a process that died, as any supervisor does.
    var heal: Action = { _ in }
    /// Further checks after everything has ended.
    var check: Action = { _ in }

    /// The receiver's behaviours while it works normally.
    var answers: [String] { isInOrder == nil ? FaultLoad.answers : FaultLoad.answersThatNeverFail }

    var testDescription: String { "\(number) \(fault)" }

    /// Every row, in the order of the matrix.
    static let all = processes + brokers + links + databases + providers + steps + outages + clusters + elsewhere

    /// The rows with these numbers. The number 39 means all of its steps.
    static func chosen(by text: String) -> [FaultRow] {
        let wanted = Set(text.split { $0 == " " || $0 == "," }.map(String.init))
        return all.filter { row in wanted.contains(row.number) || wanted.contains(String(row.number.prefix { $0 != "." })) }
    }

    /// A row of the matrix that is proved somewhere else, or cannot be injected here.
    static func elsewhere(_ number: String, _ fault: String, _ why: String) -> FaultRow {
        FaultRow(number: number, fault: fault, injected: "", lacks: { why }, inject: { _ in })
    }

    private static let elsewhere = [
        elsewhere("9", "client on the minority side", "the schedules partition-pause and partition-ignore of deploy/fault --cluster"),
        elsewhere(
            "32", "quiet hours at a change of time", "nothing to inject: QuietHoursTests and RouteInvariantTests go through all of it"),
    ]
}
