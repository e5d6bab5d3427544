package import TidingsCore
import TidingsStore

/// One reading of the whole system. The values are plain, so that a judgement needs no server.
package struct SystemReading: Sendable {
    struct Worker: Sendable {
        enum State: String, Sendable { case running, stopped, lost }

        var id: String
        /// `router`, `deliver`, `release`, `api`, or `all` for a process of `tidings run all`.
        var role: String
        var state: State
        var startedAt: Timestamp
        var heartbeatAt: Timestamp
        var stoppedAt: Timestamp?
        /// The names of the providers that the process called at its last heartbeat.
        var providers: [String] = []
        /// The obstacles to its work at its last heartbeat.
        var obstacles: [Obstacle] = []
        /// The AMQP user as which the process publishes. Nil for a process of an earlier version.
        var brokerUser: String?
    }

    /// The part of the catalogue that says whom routers believe.
    struct Producers: Sendable {
        /// Whether the catalogue names producers, so that others may name no tenant but the default one.
        var areNamed = false
        /// AMQP users that may name another producer.
        var vouching: [String] = []
    }

    struct Obstacle: Sendable {
        var kind: WorkerObstacle.Kind
        /// The reason in the words of the server.
        var detail = ""
        var since: Timestamp
    }

    /// Packs that the broker has not confirmed.
    struct Unconfirmed: Sendable {
        var packs: Int
        var since: Timestamp
    }

    struct Commits: Sendable {
        var standbys = SynchronousStandbys()
        /// Commits that have waited for a standby for more than 5 s, as far as this login sees the sessions.
        var waiting = 0
        /// Whether a commit of the asking command has ended. Nil if it made none.
        var isProven: Bool?
    }

    /// A queue with its last sample from the broker. Values of the sample are nil if no sample exists.
    struct Queue: Sendable {
        var name: String
        var ready: Int?
        var consumers: Int?
        var sampledAt: Timestamp?
        /// Packs of the queue that are unfinished in the database.
        var packs = 0
        var waitingSince: Timestamp?
        /// Negative while the queue grows; nil without two samples.
        var drainedPerSecond: Double?
    }

    struct Overdue: Sendable {
        var lane: String
        var channel: String
        var provider: String
        var deliveries: Int
        var oldestAt: Timestamp
        /// True if the queue already has the most unfinished packs that it may have.
        var isSaturated = false
    }

    struct OpenBreaker: Sendable {
        var channel: String
        var provider: String
        var deliveries: Int
        var since: Timestamp
    }

    /// Deliveries that failed lately, or were suppressed because they had no provider, at one provider and for one reason.
    struct Failed: Sendable {
        var channel: String
        /// Empty if none was chosen.
        var provider: String
        /// `failed` or `suppressed`.
        var state = "failed"
        /// A ``ReasonCode``, or a word of a newer version.
        var reason: String
        var deliveries: Int
        /// The id of one of these deliveries.
        var sample: String
    }

    struct Paused: Sendable {
        var target: String
        var reason: String
        var by: String
        var since: Timestamp
        var deliveries: Int
    }

    /// A change of the database's timeline.
    struct Failover: Sendable {
        var timeline: Int
        var previousTimeline: Int
        /// Whether the database moved to another cluster, by an upgrade or a restore from a dump.
        var isOtherCluster: Bool
        var seenAt: Timestamp
    }

    struct Unaccounted: Sendable {
        var kind: String
        var count: Int
    }

    /// The database's business time.
    package var now: Timestamp
    /// The processes that were heard of within the last hour. Also the last process of the role `api` of the last seven days.
    var workers: [Worker] = []
    var queues: [Queue] = []
    /// The names of the queues of the active catalogue. Nil if the catalogue was not read.
    var ownQueues: Set<String>?
    /// Nil if the catalogue was not read.
    var producers: Producers?
    /// Events of `tidings_api.enqueue` that wait, and the time since which the first of them waits.
    var enqueued = 0
    var enqueuedSince: Timestamp?
    var overdue: [Overdue] = []
    var openBreakers: [OpenBreaker] = []
    /// Deliveries of the last ``Judgement/lately``.
    var failures: [Failed] = []
    /// Rejected and dead rows of the last 24 hours that are still open.
    var rejected = 0
    var dead = 0
    var unaccounted: [Unaccounted] = []
    var unconfirmed: Unconfirmed?
    var commits = Commits()
    var pauses: [Paused] = []
    /// The last one within a day.
    var failover: Failover?

    /// Whether a commit should be tried: nothing yet shows that commits wait.
    package var needsProofOfCommits: Bool { commits.waiting == 0 && !commits.standbys.areMissing }

    /// Notes whether a commit of the asking command has ended.
    package mutating func observe(commitEnds isProven: Bool) { commits.isProven = isProven }

    /// Replaces the sample of a queue by the numbers that the broker itself reports now.
    package mutating func observe(queue name: String, ready: Int, consumers: Int) {
        let index = queues.firstIndex { $0.name == name } ?? queues.endIndex
        if index == queues.endIndex { queues.append(Queue(name: name)) }
        queues[index].ready = ready
        queues[index].consumers = consumers
        queues[index].sampledAt = now
        if ready == 0 { queues[index].waitingSince = nil }
    }
}
