import PrivateServers

/// A primary that is lost, a standby that is away, and an old primary that comes back.
extension ClusterSchedule {
    /// The pause of an operator between the loss of the primary and the promotion.
    private static let failover: [ClusterStep] = [.kill(.first), .hold(seconds: 3), .promote]

    private static let oldPrimary =
        failover + [
            .hold(seconds: 6), .start(.first), .replace(["router", "deliver", "release"]), .hold(seconds: 30),
            .expect(.noDecisionByTheFirst), .stop(.first),
        ]

    static let databases = [
        ClusterSchedule(name: "primary-kill", promise: Promise(undecided: .seconds(40)), steps: failover),
        ClusterSchedule(
            name: "primary-kill-async", isSynchronous: false, promise: Promise(loss: .namedByReconcile),
            steps: [.stallReplication, .hold(seconds: 2)] + failover),
        ClusterSchedule(
            name: "standby-away", promise: Promise(noticed: .seconds(15)),
            steps: [
                .stop(.second), .hold(seconds: 5), .expect(.noDecisions(seconds: 10)), .hold(seconds: 135), .expect(.fewSessions),
                .start(.second),
            ]),
        standbyAway("standby-away-cancel", meanwhile: ends(by: "pg_cancel_backend")),
        standbyAway("standby-away-terminate", meanwhile: ends(by: "pg_terminate_backend")),
        standbyAway("standby-away-restart", meanwhile: [.expect(.waitingCommits), .stop(.first), .start(.first), .hold(seconds: 10)]),
        ClusterSchedule(
            name: "standby-away-without", promise: Promise(loss: .namedByReconcile, noticed: .seconds(15)),
            steps: [
                .stop(.second), .hold(seconds: 20), .goOnWithoutStandby, .load, .load, .kill(.first), .start(.second), .promote,
            ]),
        ClusterSchedule(name: "old-primary", promise: Promise(undecided: .seconds(40)), steps: oldPrimary),
        ClusterSchedule(
            name: "old-primary-async", isSynchronous: false, promise: Promise(loss: .namedByReconcile), steps: oldPrimary),
        ClusterSchedule(
            name: "switch-over", promise: Promise(undecided: .seconds(40)), steps: [.stop(.first), .promote, .rejoin(.first), .load]),
    ]

    /// The synchronous standby is away while commits wait for it. The primary is then lost, and the standby takes over.
    private static func standbyAway(_ name: String, meanwhile: [ClusterStep]) -> ClusterSchedule {
        ClusterSchedule(
            name: name, promise: Promise(noticed: .seconds(15)),
            steps: [.stop(.second), .hold(seconds: 20)] + meanwhile + [.kill(.first), .start(.second), .promote])
    }

    private static func ends(by function: String) -> [ClusterStep] { [.times(3, [.endWaits(by: function), .hold(seconds: 3)])] }
}
