import Testing
import TidingsCore
import TidingsStore

@testable import TidingsServer

/// `tidings status` and `tidings doctor` look at outcomes: commits, confirms, and intents that are finished.
@Suite struct ServerJudgementTests {
    private static let now = Timestamp(rfc3339: "2026-11-24T19:02:30Z") ?? .distantPast

    private static func ago(_ seconds: Int) -> Timestamp { now.adding(.seconds(-seconds)) }

    private static func worker(_ role: String, _ state: SystemReading.Worker.State = .running, heard: Int = 2) -> SystemReading.Worker {
        .init(id: "\(role)-host-1", role: role, state: state, startedAt: ago(3_600), heartbeatAt: ago(heard))
    }

    /// Three processes, each with its last heartbeat so many seconds ago.
    private static func reading(heard: Int = 2, _ state: SystemReading.Worker.State = .running) -> SystemReading {
        var reading = SystemReading(now: now)
        reading.workers = ["router", "deliver", "release"].map { worker($0, state, heard: heard) }
        for name in ["tidings.intents.urgent", "tidings.intents.bulk"] { reading.observe(queue: name, ready: 0, consumers: 1) }
        return reading
    }

    private static func standsOut(_ reading: SystemReading) -> [String] {
        Judgement.findings(of: reading).compactMap { finding in finding.code.map { "\(finding.level) \($0)" } }
    }

    private static func finding(_ code: Finding.Code, _ reading: SystemReading) -> Finding? {
        Judgement.findings(of: reading).first { $0.code == code }
    }

    // MARK: Commits

    /// The processes run. If they counted as lost, an operator would start more of them.
    @Test func processesThatFallSilentTogetherAreNotMissed() throws {
        #expect(Self.standsOut(Self.reading(heard: 9)).isEmpty)
        #expect(Self.standsOut(Self.reading(heard: 10)) == ["error commitsWait"])
        var reading = Self.reading(heard: 40, .lost)
        reading.workers[0].heartbeatAt = Self.ago(44)
        #expect(Self.standsOut(reading) == ["error commitsWait"])
        let finding = try #require(Self.finding(.commitsWait, reading))
        #expect(
            finding.words == "3 processes fell silent together at 19:01 UTC: the database takes no commits, or it is out of their reach")
        #expect(finding.whatToDo.contains("/health/ready") && finding.whatToDo.contains("only if they do not run"))
        #expect(
            Judgement.findings(of: reading).first?.words == "3 processes ran when commits began to wait: every role was there",
            "nobody is told to start a router")

        reading.workers.append(Self.worker("api", .lost, heard: 42))
        #expect(Self.standsOut(reading) == ["error commitsWait"], "the API is one of them")
        reading.workers.append(Self.worker("archive", .lost, heard: 600))
        #expect(Self.standsOut(reading) == ["warning workerLost", "error commitsWait"], "an older loss has another cause")
    }

    /// A commit after the silence began proves that the processes ended.
    @Test func aCommitAfterTheSilenceProvesThatProcessesEnded() {
        let missing = ["error noRunningRouter", "error noRunningDeliver", "error noRunningRelease"]
        var reading = Self.reading(heard: 40, .lost)
        reading.workers.append(Self.worker("api", .stopped, heard: 5))
        #expect(Self.standsOut(reading) == missing + ["warning noRunningAPI"], "the API recorded its stop")
        reading = Self.reading(heard: 40, .lost)
        reading.commits.isProven = true
        #expect(Self.standsOut(reading) == missing, "doctor's own commit ended")
        reading.commits.isProven = false
        #expect(Self.standsOut(reading) == ["error commitsWait"])
        #expect(Self.finding(.commitsWait, reading)?.words == "a commit of doctor does not end")
    }

    /// One silent process may have ended: a warning until it counts as lost.
    @Test func theOnlyProcessMayHaveEnded() {
        var reading = Self.reading()
        reading.workers = [Self.worker("all", heard: 12)]
        #expect(Self.standsOut(reading) == ["warning commitsWait"])
        reading.commits.standbys.names = "nobody"
        #expect(Self.standsOut(reading) == ["error commitsWait"])
        reading.workers = [Self.worker("all", .lost, heard: 40)]
        #expect(Self.standsOut(reading) == ["error commitsWait"], "the standby explains it")
        reading.commits.standbys.names = ""
        #expect(Self.standsOut(reading).contains("error noRunningRouter") && !Self.standsOut(reading).contains("error commitsWait"))
    }

    @Test func commitsThatWaitForAStandbyNameTheStandby() throws {
        var reading = Self.reading()
        reading.commits.waiting = 37
        #expect(Self.finding(.commitsWait, reading)?.words == "37 commits wait for a standby", "a standby that does not answer")
        reading.commits.standbys.names = "b"
        let finding = try #require(Self.finding(.commitsWait, reading))
        #expect(finding.words == "every commit waits: synchronous_standby_names asks for 1 standby, and none is connected")
        #expect(finding.level == .error && finding.whatToDo.contains("pg_stat_replication"))
    }

    @Test func aFullDiskIsNamed() throws {
        var reading = Self.reading()
        for index in 0...1 {
            reading.workers[index].obstacles = [
                .init(kind: .commitsRefused, detail: "53100 could not extend file: No space left on device", since: Self.ago(20 + index))
            ]
        }
        #expect(Self.standsOut(reading) == ["error commitsRefused"], "once, however many processes report it")
        let finding = try #require(Self.finding(.commitsRefused, reading))
        #expect(
            finding.words == "the database refuses commits since 19:02 UTC: 53100 could not extend file: No space left on device"
                && finding.whatToDo.contains("df -h") && finding.whatToDo.contains("the disk of the server is full"))
        reading.workers[0].obstacles[0].detail = "53200 out of memory"
        reading.workers[1].obstacles = []
        #expect(Self.finding(.commitsRefused, reading)?.whatToDo.contains("df -h") == false)
        reading.workers[0].state = .lost
        #expect(Self.finding(.commitsRefused, reading) == nil, "a lost process tells nothing of now")
    }

    // MARK: Publishing

    /// The obstacle, the code, a part of the words, and the first command.
    @Test(arguments: [
        (WorkerObstacle.Kind.blocked, Finding.Code.brokerBlocks, "an alarm (low on memory)", "rabbitmq-diagnostics alarms"),
        (.unconfirmed, .brokerConfirmsNothing, "confirms no message", "rabbitmqctl cluster_status"),
        (.refused, .brokerRefuses, "refuses messages", "rabbitmqctl list_queues"),
    ])
    func aBrokerThatTakesNothingIsAnError(kind: WorkerObstacle.Kind, code: Finding.Code, part: String, command: String) throws {
        var reading = Self.reading()
        reading.workers[0].obstacles = [.init(kind: kind, detail: "low on memory", since: Self.ago(20))]
        #expect(Self.standsOut(reading) == ["error \(code)"])
        let finding = try #require(Self.finding(code, reading))
        #expect(finding.check == "publishing" && finding.words.contains(part) && finding.whatToDo.contains(command), "\(finding)")
        #expect(finding.words.hasSuffix("of router-host-1 since 19:02 UTC"))
        reading.workers[2].obstacles = reading.workers[0].obstacles
        #expect(Self.finding(code, reading)?.words.hasSuffix("of router-host-1, and of 1 more process since 19:02 UTC") == true)
    }

    /// The age of the first pack without a confirm, and the expected level.
    @Test(arguments: [(7, ""), (8, "warning"), (59, "warning"), (60, "error")])
    func packsWithoutAConfirmAreTold(seconds: Int, level: String) {
        var reading = Self.reading()
        reading.unconfirmed = .init(packs: 12, since: Self.ago(seconds))
        #expect(Self.standsOut(reading) == (level.isEmpty ? [] : ["\(level) packsUnconfirmed"]))
    }

    @Test func aRouterThatHoldsIntentsIsTold() {
        var reading = Self.reading()
        reading.workers[0].obstacles = [.init(kind: .unfinished, since: Self.ago(20))]
        #expect(Self.standsOut(reading) == ["error intentsUnfinished"])
        #expect(Self.finding(.intentsUnfinished, reading)?.words == "router-host-1 holds intents since 19:02 UTC and commits none")
    }

    // MARK: Consequences

    /// A finding that follows from another one names the other one, and no process to start.
    @Test func theCauseIsNamedInPlaceOfAReleaser() throws {
        func words(_ change: (inout SystemReading) -> Void) throws -> (words: String, whatToDo: String) {
            var reading = Self.reading()
            reading.enqueued = 625
            reading.enqueuedSince = Self.ago(61)
            change(&reading)
            let finding = try #require(Self.finding(.enqueuedWaits, reading))
            return (finding.words, finding.whatToDo)
        }
        let obstacle = { (kind: WorkerObstacle.Kind) in SystemReading.Obstacle(kind: kind, since: Self.ago(70)) }
        let usual = try words { _ in }
        #expect(usual.words.contains("wait to be published since") && usual.whatToDo.contains("tidings run release"))
        #expect(try words { $0.workers.removeLast() }.words.contains("wait for a releaser since"))
        let broker = try words { $0.workers[0].obstacles = [obstacle(.unconfirmed)] }
        #expect(broker.words.contains("wait for the broker since") && broker.whatToDo.contains("publishing"))
        let database = try words { $0.workers[0].obstacles = [obstacle(.commitsRefused)] }
        #expect(database.words.contains("wait for the database since") && database.whatToDo.contains("commits"))
    }

    /// A node that is cut off from the others reports no consumer, although the processes consume.
    @Test func aQueueWhoseConsumersRunSendsToTheBroker() throws {
        var reading = Self.reading()
        reading.observe(queue: "tidings.intents.bulk", ready: 19, consumers: 0)
        let finding = try #require(Self.finding(.queueWithoutConsumer, reading))
        #expect(finding.words == "19 messages wait in tidings.intents.bulk, and it has no consumer, although 1 process runs for it")
        #expect(finding.whatToDo.contains("rabbitmqctl cluster_status") && !finding.whatToDo.contains("tidings run router"))

        reading = Self.reading()
        reading.observe(queue: "tidings.deliver.push.fcm.urgent", ready: 3, consumers: 0)
        #expect(
            Self.finding(.queueWithoutConsumer, reading)?.whatToDo.contains("tidings run deliver push") == true, "it has other channels")
        reading.workers[1].providers = ["fcm"]
        #expect(Self.finding(.queueWithoutConsumer, reading)?.words.contains("although 1 process runs for it") == true)
    }

    /// A router that lost only the database keeps its messages until its connection to the broker ends.
    @Test func aLostProcessMayStillHoldItsMessages() throws {
        var reading = Self.reading()
        reading.workers.append(Self.worker("router", .lost, heard: 60))
        let finding = try #require(Self.finding(.workerLost, reading))
        #expect(finding.whatToDo.contains("when the broker has noticed") && !finding.whatToDo.contains("have taken over"))
    }
}
