import Testing

/// One fault: what is done to a system under load, how it is made good again, and how often a receiver may hear something twice because of it.
///
/// The rule for all of them: what the broker confirmed is decided once, every delivery ends, the books agree, nobody lends a hand.
struct FaultRow: Sendable, CustomTestStringConvertible {
    enum Broker: Sendable { case alone, behindProxy, cluster }

    /// Extra sends that the fault explains. Each must have its row in `tidings_ops.possible_duplicates` whatever the bound.
    enum Bound: Sendable, Equatable {
        case atMost(Int)
        /// As many as have their row.
        case admitted

        /// Nothing died while it held a call, so nothing may be sent again.
        static let none = atMost(0)
        /// Calls that one worker may have open.
        static let callsOfAWorker = atMost(128)
    }

    typealias Action = @Sendable (FaultScene) async throws -> Void

    /// As the matrix counts them; `39.afterSend` is one of many of number 39.
    let number: String
    let fault: String
    let injected: String
    var broker = Broker.alone
    /// Every process of ours reaches PostgreSQL through the proxy; the test itself does not.
    var isDatabaseBehindProxy = false
    /// The database's data lies on a file system of its own: ``DataDisk``.
    var hasDisk = false
    /// In the environment of every process.
    var variables: @Sendable (_ folder: String) async throws -> [String: String] = { _ in [:] }
    /// The processes that a supervisor keeps up.
    var crew = ["router", "deliver", "deliver", "release"]
    var load = FaultLoad.Shape.spread
    /// How often a transactional delivery is tried.
    var attempts = 10
    /// Somebody cancels what is pending all the while.
    var cancels = false
    /// The virtual clock ends leases and waits at once when production is over: for tests that must be quick.
    var hurries = false
    /// All is in order this long after the last confirm.
    var recovery = Duration.seconds(120)
    var bound = Bound.none
    /// All that was confirmed by then has ended this long after the fault; nil where a lease or a pause is to run out first.
    var isInOrder: Duration?
    /// What this machine lacks for it; nil when it can be injected here.
    var lacks: @Sendable () async -> String? = { nil }
    /// Under load; returns when the fault has held for as long as it should.
    var inject: Action
    /// Returns when nothing is broken any more. A process that died is replaced by ``Crew``, as by any supervisor.
    var heal: Action = { _ in }
    /// What else must hold, once everything has ended.
    var check: Action = { _ in }

    /// Of the receiver, while it is well.
    var answers: [String] { isInOrder == nil ? FaultLoad.answers : FaultLoad.answersThatNeverFail }

    var testDescription: String { "\(number) \(fault)" }

    /// Every row, in the order of the matrix.
    static let all = processes + brokers + links + databases + providers + steps + outages + clusters + elsewhere

    /// Chosen by number: 39 stands for all of its steps.
    static func chosen(by text: String) -> [FaultRow] {
        let wanted = Set(text.split { $0 == " " || $0 == "," }.map(String.init))
        return all.filter { row in wanted.contains(row.number) || wanted.contains(String(row.number.prefix { $0 != "." })) }
    }

    /// A row of the matrix that is proved, or cannot be injected, somewhere else.
    static func elsewhere(_ number: String, _ fault: String, _ why: String) -> FaultRow {
        FaultRow(number: number, fault: fault, injected: "", lacks: { why }, inject: { _ in })
    }

    private static let elsewhere = [
        elsewhere("9", "client on the minority side", "a link between nodes to cut: all nodes are on one loopback"),
        elsewhere(
            "32", "quiet hours at a change of time", "nothing to inject: QuietHoursTests and RouteInvariantTests go through all of it"),
    ]
}
