import PrivateServers

/// Brokers that die, lose each other, or take nothing.
extension ClusterSchedule {
    private static let nodes = [0, 1, 2]
    /// As `rabbitmq-queues rebalance quorum`: RabbitMQ moves no leader back by itself.
    private static let rebalance = ClusterStep.rabbitmqctl([0], ["eval", #"rabbit_amqqueue:rebalance(quorum, <<".*">>, <<".*">>)."#])

    /// The producer publishes several intents at once, and learns of a confirm when all of them were confirmed or the wait of 30 s is over.
    private static let confirmWait = 35

    static let brokers = [
        ClusterSchedule(
            name: "leader-kills", promise: Promise(undecided: .seconds(40), urgent: .seconds(10)),
            steps: [
                .times(
                    5,
                    [
                        .killLeader, .hold(seconds: 5), .startNodes, .load,
                        .killBusiest, .hold(seconds: 5), .startNodes, .load,
                    ])
            ]),
        ClusterSchedule(
            name: "no-quorum", promise: Promise(noticed: .seconds(15)), preparation: [.stopNodes([1])],
            steps: [
                .stopNodes([2]), .hold(seconds: confirmWait), .expect(.noConfirms(seconds: 25)), .startNodes, .expect(.whole),
            ]),
        partition(
            .ignore, name: "partition-ignore", meanwhile: [],
            after: [
                .hold(seconds: 20), .expect(.partition(true, seenBy: 1)), .stopNodes([0]), .startNodes, .expect(.whole),
                .expect(.partition(false, seenBy: 1)),
            ]),
        partition(
            .pauseMinority, name: "partition-pause", meanwhile: [.expect(.paused(0))],
            after: [.expect(.whole), .expect(.partition(false, seenBy: 0)), .expect(.partition(false, seenBy: 1))]),
        ClusterSchedule(
            name: "rolling-restart", promise: Promise(undecided: .seconds(40)),
            steps: nodes.flatMap { node -> [ClusterStep] in
                [.awaitNoCriticalNode, .stopNodes([node]), .hold(seconds: 5), .startNodes, .load]
            } + [rebalance]),
        ClusterSchedule(
            name: "spread", promise: Promise(undecided: .seconds(40)),
            // Processes that have just started do not know of each other yet.
            preparation: [.hold(seconds: 90), .expect(.spread)],
            // The node is tried last for a minute and is on trial for another. Then connections move back, one in some 10 s.
            steps: [.killBusiest, .hold(seconds: 10), .startNodes, .hold(seconds: 240), rebalance, .expect(.spread)]),
        ClusterSchedule(
            name: "memory-alarm", promise: Promise(noticed: .seconds(15)),
            steps: [
                .rabbitmqctl([1], ["set_vm_memory_high_watermark", "0.0001"]), .hold(seconds: confirmWait),
                .expect(.noConfirms(seconds: 25)),
                .rabbitmqctl([1], ["set_vm_memory_high_watermark", "0.4"]),
            ]),
        ClusterSchedule(
            // RabbitMQ looks at a disk every 10 s.
            name: "disk-alarm", promise: Promise(noticed: .seconds(20)),
            steps: [
                .rabbitmqctl([1], ["set_disk_free_limit", "500000GB"]), .hold(seconds: confirmWait), .expect(.noConfirms(seconds: 25)),
                .rabbitmqctl([1], ["set_disk_free_limit", "200MB"]),
            ]),
    ]

    /// All clients are on a node that loses the other nodes for a minute. The wait before the cut is longer than the minute for which a
    /// client avoids a node that refused it: afterwards every node is as good as any.
    private static func partition(
        _ handling: ClusterOptions.PartitionHandling, name: String, meanwhile: [ClusterStep], after: [ClusterStep]
    ) -> ClusterSchedule {
        ClusterSchedule(
            name: name, options: ClusterOptions(partitionHandling: handling, tickSeconds: 15),
            promise: Promise(undecided: .seconds(40), noticed: .seconds(10)),
            preparation: [.expect(.rules), .gather(on: 0), .hold(seconds: 65)],
            steps: [.cutOff(0), .admit, .hold(seconds: 60)] + meanwhile + [.heal] + after)
    }
}
