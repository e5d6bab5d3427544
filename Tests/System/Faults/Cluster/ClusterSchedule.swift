import PrivateServers
import Testing

/// Faults of a cluster in their order, and the promise that must hold.
struct ClusterSchedule: Sendable, CustomTestStringConvertible {
    /// The bars of a schedule. Lost intents, second notifications, `unaccounted` and `tidings db verify` have the same bar in all of them: 0.
    struct Promise: Sendable {
        enum Loss: Sendable {
            /// The servers are configured as Operating.md asks.
            case nothing
            /// An asynchronous standby loses the last commits. `tidings reconcile` names each lost intent, and after these are published again
            /// none is lost. Second sends may lack their row.
            case namedByReconcile
        }

        var loss = Loss.nothing
        /// The longest time from the confirm of an intent to its decision.
        var undecided: Duration?
        /// The longest time from the decision about an urgent webhook to its first call.
        var urgent: Duration?
        /// The longest time from the beginning of the fault until health shows it.
        var noticed: Duration?
        /// The longest time from the end of the fault until everything confirmed before has ended.
        var inOrder: Duration?
        /// The longest time from the last confirm until everything has ended.
        var ended = Duration.seconds(180)
    }

    let name: String
    /// As Operating.md asks, unless the schedule is about something else.
    var options = ClusterOptions(partitionHandling: .pauseMinority, tickSeconds: 15)
    /// Whether each commit waits for the standby.
    var isSynchronous = true
    var usesPooler = false
    /// Whether the first server's data lies on a file system of its own.
    var hasDisk = false
    /// Whether the clocks of all processes can be moved.
    var movesClocks = false
    var promise = Promise()
    /// Steps before the beginning of the fault.
    var preparation: [ClusterStep] = []
    let steps: [ClusterStep]

    var testDescription: String { name }

    static let all = brokers + databases + rest

    /// The schedules with these names, separated by spaces or commas. No name means all but ``short``.
    static func chosen(by text: String) -> [ClusterSchedule] {
        let wanted = Set(text.split { $0 == " " || $0 == "," }.map(String.init))
        return (all + [short]).filter { wanted.contains($0.name) }
    }

    /// A leader, the network and the primary, in one run of less than 90 s.
    static let short = ClusterSchedule(
        // The cut-off node notices the cut after some 5 s, and pauses itself.
        name: "short", options: ClusterOptions(partitionHandling: .pauseMinority, tickSeconds: 4),
        promise: Promise(undecided: .seconds(40)),
        steps: [
            .killLeader, .hold(seconds: 3), .startNodes, .load,
            .gather(on: 0), .cutOff(0), .admit, .hold(seconds: 12), .heal, .load,
            .kill(.first), .hold(seconds: 3), .promote,
        ])
}
