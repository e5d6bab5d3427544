import PrivateServers

/// PgBouncer, a full disk, and clocks.
extension ClusterSchedule {
    static let rest = [
        ClusterSchedule(
            name: "pooler", usesPooler: true, promise: Promise(undecided: .seconds(60)),
            steps: [
                .reloadPooler, .load, .pooler("PAUSE"), .hold(seconds: 5), .expect(.noDecisions(seconds: 10)), .pooler("RESUME"), .load,
                .killPooler, .hold(seconds: 6), .startPooler,
            ]),
        ClusterSchedule(
            name: "pooler-failover", usesPooler: true, promise: Promise(undecided: .seconds(60)),
            steps: [.kill(.first), .hold(seconds: 3), .promote, .pointPooler]),
        ClusterSchedule(
            name: "disk-full", hasDisk: true, promise: Promise(noticed: .seconds(15)),
            steps: [.fillDisk, .hold(seconds: 60), .freeDisk]),
        clocks(name: "clock-day", seconds: 86_400),
        clocks(name: "clock-seconds", seconds: 10),
    ]

    /// The clocks of all processes jump ahead, back, behind, and back.
    private static func clocks(name: String, seconds: Int64) -> ClusterSchedule {
        ClusterSchedule(
            name: name, movesClocks: true, promise: Promise(undecided: .seconds(40)),
            steps: [seconds, 0, -seconds, 0].flatMap { shift -> [ClusterStep] in
                [.clocks(seconds: shift)] + (shift == 0 ? [] : [.expect(.noStart)]) + [.hold(seconds: 15)]
            })
    }
}
