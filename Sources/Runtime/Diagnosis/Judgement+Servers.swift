import TidingsCore
import TidingsStore

/// The checks of outcomes. A server that answers may still take nothing.
extension Judgement {
    /// The time without a heartbeat of any process after which commits wait. A heartbeat comes every 5 s.
    static let silence = Duration.seconds(10)

    /// Whether the database takes commits. A reading shows only that it answers.
    static func commits(_ reading: SystemReading) -> [Finding] {
        (refusedCommits(reading) + waitingCommits(reading)).orOK("commits", "the database takes commits")
    }

    private static func refusedCommits(_ reading: SystemReading) -> [Finding] {
        guard let first = reading.reports(of: .commitsRefused).first else { return [] }
        let sqlState = String(first.obstacle.detail.prefix { $0 != " " })
        let look = sqlState == "53100" ? "Run df -h on the machine of PostgreSQL" : "See the log of PostgreSQL"
        let shortage = Failure.shortage(sqlState).map { ": \($0)" } ?? ""
        return [
            Finding(
                "commits", .error, .commitsRefused,
                "the database refuses commits since \(first.obstacle.since.minute(now: reading.now)): \(first.obstacle.detail)",
                whatToDo: "\(look)\(shortage). Nothing is lost: the broker keeps the intents meanwhile.")
        ]
    }

    private static func waitingCommits(_ reading: SystemReading) -> [Finding] {
        let (standbys, waiting) = (reading.commits.standbys, reading.commits.waiting)
        let silent = reading.silentTogether
        let moment = silent.map(\.heartbeatAt).max()?.minute(now: reading.now) ?? ""
        func found(_ level: Finding.Level, _ words: String, _ whatToDo: String) -> [Finding] {
            [Finding("commits", level, .commitsWait, words, whatToDo: whatToDo)]
        }
        if waiting > 0 {
            let words = "\(waiting.of("commit waits", "commits wait")) for a standby"
            return found(.error, standbys.areMissing ? standbys.words : words, SynchronousStandbys.remedy)
        }
        if reading.commits.isProven == false { return found(.error, "a commit of doctor does not end", SynchronousStandbys.remedy) }
        guard !silent.isEmpty, reading.commits.isProven == nil else { return [] }
        if standbys.areMissing { return found(.error, standbys.words, SynchronousStandbys.remedy) }
        let look = "See /health/ready or the log of a process, and tidings doctor, which tries a commit."
        guard silent.count > 1 else {
            // One process alone may have ended: after 30 s it counts as lost.
            let isLost = silent.contains { $0.state == .lost }
            return isLost ? [] : found(.warning, "the only process has recorded nothing since \(moment): it ended, or commits wait", look)
        }
        return found(
            .error,
            "\(silent.count) processes fell silent together at \(moment): the database takes no commits, or it is out of their reach",
            "\(look) Start them only if they do not run.")
    }

    /// The first step for an alarm of RabbitMQ.
    package static let alarmRemedy =
        "rabbitmq-diagnostics alarms names the node. Free memory or disk there. Producers wait, and nothing is lost."
    /// The first step if RabbitMQ answers and confirms nothing.
    package static let silentBrokerRemedy =
        "rabbitmqctl cluster_status names nodes that are down or cut off. Messages without a confirm are published again."
    /// The first step if RabbitMQ refuses messages.
    package static let refusingBrokerRemedy =
        "rabbitmqctl list_queues -p / name type members online shows a queue without a majority. Start its other nodes."

    /// Whether the broker takes what the processes publish. It answers connections and questions also while it takes nothing.
    static func publishing(_ reading: SystemReading) -> [Finding] {
        func found(_ kind: WorkerObstacle.Kind, _ code: Finding.Code, _ remedy: String, _ words: (SystemReading.Report) -> String)
            -> [Finding]
        {
            let reports = reading.reports(of: kind)
            let processes = Set(reports.map(\.worker))
            let others = processes.count > 1 ? ", and of \((processes.count - 1).of("more process", "more processes"))" : ""
            return reports.prefix(1).map { report in
                let since = report.obstacle.since.minute(now: reading.now)
                return Finding("publishing", .error, code, "\(words(report)) of \(report.worker)\(others) since \(since)", whatToDo: remedy)
            }
        }
        let findings =
            found(.blocked, .brokerBlocks, alarmRemedy) { "the broker has an alarm (\($0.obstacle.detail)) and takes nothing" }
            + found(.unconfirmed, .brokerConfirmsNothing, silentBrokerRemedy) { _ in "the broker answers and confirms no message" }
            + found(.refused, .brokerRefuses, refusingBrokerRemedy) { _ in "the broker refuses messages" }
        return findings.orOK("publishing", "the broker takes what the processes publish")
    }

    /// The age of a pack without a confirm from which an operator should look, and the age by which a releaser has published it again in vain.
    static let (lateConfirm, lostConfirm) = (Duration.seconds(8), Duration.seconds(60))

    /// Whether the rows of packs have their confirms. A process that died before it published leaves packs behind for a short while.
    static func confirms(_ reading: SystemReading) -> [Finding] {
        guard let late = reading.unconfirmed, reading.now - late.since >= lateConfirm else {
            return [.ok("confirms", "no pack waits for its confirm for more than \(lateConfirm)")]
        }
        let words =
            "\(late.packs.of("pack has", "packs have")) no confirm of the broker, the first since \(late.since.minute(now: reading.now))"
        let remedy =
            "A releaser publishes them again after \(Store.confirmTimeoutSeconds) s. If they stay, see the log of tidings run release, and "
            + "rabbitmqctl cluster_status."
        let level: Finding.Level = reading.now - late.since >= lostConfirm ? .error : .warning
        return [Finding("confirms", level, .packsUnconfirmed, words, whatToDo: reading.seeCause ?? remedy)]
    }

    /// Whether routers finish the intents that they hold. The broker counts such messages neither as ready nor as lost.
    static func intake(_ reading: SystemReading) -> [Finding] {
        reading.reports(of: .unfinished).map { report in
            Finding(
                "intake", .error, .intentsUnfinished,
                "\(report.worker) holds intents since \(report.obstacle.since.minute(now: reading.now)) and commits none",
                whatToDo: reading.seeCause
                    ?? "See its log. If it goes on like this, stop the process: the broker gives its messages to another router.")
        }.orOK("intake", "every router commits the intents that it holds")
    }
}

extension SystemReading {
    /// An obstacle with the process that reported it.
    struct Report: Sendable {
        let worker: String
        let obstacle: Obstacle
    }

    /// The reports of running processes, the oldest obstacle first.
    func reports(of kind: WorkerObstacle.Kind) -> [Report] {
        workers.filter { $0.state == .running }.flatMap { worker in
            worker.obstacles.filter { $0.kind == kind }.map { Report(worker: worker.id, obstacle: $0) }
        }.sorted { $0.obstacle.since < $1.obstacle.since }
    }

    /// The processes whose heartbeats ended at the same moment, if nothing was recorded after that moment. Empty if one has just beaten.
    var silentTogether: [Worker] {
        let alive = workers.filter { $0.state != .stopped }
        guard let last = alive.map(\.heartbeatAt).max(), let any = workers.map(\.heartbeatAt).max() else { return [] }
        // A later stop was recorded, so the database took a commit after the silence had begun.
        guard now - last >= Judgement.silence, any - last < Judgement.silence else { return [] }
        return alive.filter { last - $0.heartbeatAt < Judgement.silence }
    }

    /// The processes of which nothing is known, because the database takes no commits. They may well run.
    var unheard: Set<String> {
        let silent = silentTogether
        let isShown = commits.waiting > 0 || commits.standbys.areMissing || commits.isProven == false
        let areWaiting = isShown || silent.count > 1 && commits.isProven == nil
        return areWaiting ? Set(silent.map(\.id)) : []
    }

    /// The check that has found why a server takes nothing. Nil if both servers take everything.
    var cause: String? {
        (Judgement.commits(self) + Judgement.publishing(self)).first { $0.level == .error }?.check
    }

    /// The next step for a finding that only follows from another one.
    var seeCause: String? { cause.map { "This follows from the finding about \($0)." } }
}
