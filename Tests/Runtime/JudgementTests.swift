import Foundation
import Testing
import TidingsCore

@testable import TidingsServer

/// The findings of `tidings status` and `tidings doctor` for a reading.
@Suite struct JudgementTests {
    private static let now = Timestamp(rfc3339: "2026-11-24T19:02:30Z") ?? .distantPast

    /// A healthy system. Every role has run in its own process for an hour. Every queue of the one provider was sampled 3 s ago.
    private static var healthy: SystemReading {
        var reading = SystemReading(now: now)
        reading.workers = ["router", "deliver", "release"].map { worker($0) }
        reading.queues = ["tidings.intents.urgent", "tidings.intents.bulk", "tidings.deliver.inApp.inbox.urgent", "tidings.rejected"].map {
            .init(name: $0, ready: 0, consumers: 1, sampledAt: ago(3))
        }
        return reading
    }

    private static func ago(_ seconds: Int) -> Timestamp { now.adding(.seconds(-seconds)) }

    private static func worker(
        _ role: String, _ state: SystemReading.Worker.State = .running, started: Int = 3_600, heard: Int = 2, providers: [String] = []
    ) -> SystemReading.Worker {
        .init(
            id: "\(role)-host-1", role: role, state: state, startedAt: ago(started), heartbeatAt: ago(heard),
            stoppedAt: state == .stopped ? ago(heard) : nil, providers: providers)
    }

    /// The level and code of each finding that is not ok.
    private static func standsOut(_ reading: SystemReading) -> [String] {
        Judgement.findings(of: reading).compactMap { finding in finding.code.map { "\(finding.level) \($0)" } }
    }

    @Test func aHealthySystemIsWell() {
        let findings = Judgement.findings(of: Self.healthy)
        #expect(findings.allSatisfy { $0.level == .ok && $0.code == nil && $0.whatToDo.isEmpty }, "\(findings)")
        #expect(
            findings.map(\.check) == [
                "workers", "commits", "publishing", "confirms", "intake", "consumers", "samples", "growth", "enqueue", "overdue",
                "breakers", "failures", "refused", "conservation", "failover", "pauses",
            ])
        let verdict = SystemVerdict(findings)
        #expect(verdict.level == .ok && !verdict.isBad && verdict.words.hasPrefix("All is well: "))
    }

    @Test func oneProcessWithEveryRoleIsEnough() {
        var reading = Self.healthy
        reading.workers = [Self.worker("all")]
        #expect(Self.standsOut(reading).isEmpty)
    }

    @Test(arguments: [("router", "noRunningRouter"), ("deliver", "noRunningDeliver"), ("release", "noRunningRelease")])
    func aRoleThatDoesNotRunIsAnError(role: String, code: String) throws {
        for (last, said) in [
            (nil, "no \(role) runs"),
            (Self.worker(role, .lost, heard: 95), "no \(role) runs, the last one was lost at 19:00 UTC"),
            (Self.worker(role, .stopped, heard: 95), "no \(role) runs, the last one stopped at 19:00 UTC"),
        ] {
            var reading = Self.healthy
            reading.workers = reading.workers.filter { $0.role != role } + [last].compactMap(\.self)
            #expect(Self.standsOut(reading) == ["error \(code)"])
            let verdict = SystemVerdict(Judgement.findings(of: reading))
            #expect(verdict.isBad && verdict.words == "Degraded: \(said).")
        }
    }

    /// A second process of the role goes on, so the lost one is a warning and no error. A clean stop is no finding.
    @Test func aLostProcessBesideAnotherIsAWarning() {
        var reading = Self.healthy
        reading.workers.append(Self.worker("deliver", .lost, heard: 40))
        reading.workers.append(Self.worker("router", .stopped, heard: 40))
        #expect(Self.standsOut(reading) == ["warning workerLost"])
        #expect(!SystemVerdict(Judgement.findings(of: reading)).isBad)
    }

    /// The supervisor has started another process. If that one dies as well, something is wrong.
    @Test func aLostProcessThatWasReplacedIsANote() {
        var reading = Self.healthy
        reading.workers.append(Self.worker("deliver", .lost, heard: 40))
        reading.workers.append(Self.worker("deliver", started: 35))
        #expect(Self.standsOut(reading) == ["note workerLost"])
        reading.workers.append(Self.worker("deliver", .lost, heard: 38))
        #expect(Self.standsOut(reading) == ["warning workerLost", "warning workerLost"])
    }

    /// The state of the last process of the API, whether a process of `tidings run all` runs, and the expected level. No queue waits for the
    /// API, so the API is missed for longer than the hour for which other processes are remembered.
    @Test(arguments: [
        (SystemReading.Worker.State.lost, false, "error"), (SystemReading.Worker.State.lost, true, "warning"),
        (SystemReading.Worker.State.stopped, false, "warning"), (SystemReading.Worker.State.stopped, true, "note"),
    ])
    func anAPIThatRanIsMissed(state: SystemReading.Worker.State, beside isAll: Bool, level: String) throws {
        var reading = Self.healthy
        #expect(Self.standsOut(reading).isEmpty, "an installation without an API")
        if isAll { reading.workers = [Self.worker("all")] }
        reading.workers.append(Self.worker("api", state, started: 90_000, heard: 7_500))
        #expect(Self.standsOut(reading) == ["\(level) noRunningAPI"])
        let finding = try #require(Judgement.findings(of: reading).first { $0.code == .noRunningAPI })
        let end = state == .lost ? "was lost" : "stopped"
        #expect(finding.words == "no api runs, the last one \(end) at 16:57 UTC")
        #expect(finding.whatToDo.contains("tidings run api") && finding.whatToDo.contains("TIDINGS_API_LISTEN") == isAll)
        reading.workers.append(Self.worker("api"))
        #expect(Self.standsOut(reading) == (state == .lost ? ["note workerLost"] : []), "another one has started since")
    }

    /// A process with other channels does not go on with the work of the lost one.
    @Test func aLostChannelIsAnError() throws {
        var reading = Self.healthy
        for lane in ["urgent", "bulk"] { reading.observe(queue: "tidings.deliver.push.fcm.\(lane)", ready: 0, consumers: 1) }
        reading.workers.append(Self.worker("deliver", .lost, heard: 40, providers: ["fcm"]))
        #expect(Self.standsOut(reading) == ["warning workerLost"], "another process consumes the queues")
        for lane in ["urgent", "bulk"] { reading.observe(queue: "tidings.deliver.push.fcm.\(lane)", ready: 0, consumers: 0) }
        #expect(Self.standsOut(reading) == ["error workerLost"])
        let finding = try #require(Judgement.findings(of: reading).first { $0.code == .workerLost })
        #expect(
            finding.words
                == "deliver-host-1 was lost at 19:01 UTC, and no process consumes tidings.deliver.push.fcm.urgent and 1 more queue")
        #expect(finding.whatToDo.contains("tidings run deliver push"))

        reading.workers[1].startedAt = Self.ago(9)
        #expect(Self.standsOut(reading) == ["note workerLost"], "a process has only started, and may be about to consume")
        reading.workers[1].startedAt = Self.ago(3_600)
        reading.workers[3].providers = ["apns"]
        #expect(Self.standsOut(reading) == ["warning workerLost"], "the queues were never those of the lost process")
        reading.observe(queue: "tidings.deliver.inApp.inbox.urgent", ready: 0, consumers: 0)
        #expect(Self.standsOut(reading) == ["error workerLost"], "no heartbeat names the inbox")
    }

    /// A role of a newer version is not known here.
    @Test func aLostProcessIsCoveredOnlyByItsRole() throws {
        var reading = Self.healthy
        reading.workers.append(Self.worker("archive", .lost, heard: 40))
        let finding = try #require(Judgement.findings(of: reading).first { $0.code == .workerLost })
        #expect(finding.level == .warning && finding.words.hasSuffix(", and no other process of its role runs"))
        reading.workers.append(Self.worker("archive"))
        #expect(Judgement.findings(of: reading).contains { $0.words.hasSuffix(", another process of its role runs") })
    }

    /// The queue, its messages, its consumers, and the expected findings.
    @Test(arguments: [
        ("tidings.intents.bulk", 0, 0, ["error noConsumer"]), ("tidings.intents.bulk", 6, 0, ["error queueWithoutConsumer"]),
        ("tidings.deliver.inApp.inbox.urgent", 0, 0, []), ("tidings.deliver.inApp.inbox.urgent", 1, 0, ["error queueWithoutConsumer"]),
        ("tidings.rejected", 0, 0, []), ("tidings.rejected", 2, 0, ["error queueWithoutConsumer"]),
        ("tidings.intents.bulk", 6, 1, []),
    ])
    func aQueueNeedsAConsumer(queue: String, ready: Int, consumers: Int, expected: [String]) {
        var reading = Self.healthy
        reading.observe(queue: queue, ready: ready, consumers: consumers)
        #expect(Self.standsOut(reading) == expected)
    }

    /// A provider was renamed. Its deliveries were routed again, and its messages stay.
    @Test(arguments: [(10, 0, 0, ["warning queueLeftOver"]), (10, 1, 0, []), (10, 0, 2, []), (0, 0, 0, [])])
    func aQueueOfAProviderThatIsGoneIsNamed(ready: Int, consumers: Int, packs: Int, expected: [String]) {
        let name = "tidings.deliver.webhook.webhook.urgent"
        var reading = Self.healthy
        reading.ownQueues = Set(reading.queues.map(\.name))
        reading.queues.append(.init(name: name, ready: ready, consumers: consumers, sampledAt: Self.ago(3), packs: packs))
        #expect(Self.standsOut(reading) == expected)
        let advice = Judgement.findings(of: reading).compactMap { $0.code == .queueLeftOver ? $0.whatToDo : nil }
        #expect(advice.allSatisfy { $0.contains("rabbitmqctl delete_queue --vhost <vhost> \(name)") })
    }

    @Test func everyQueueNeedsItsConsumerIfNoCatalogueIsRead() {
        var reading = Self.healthy
        reading.observe(queue: "tidings.deliver.webhook.webhook.urgent", ready: 10, consumers: 0)
        #expect(Self.standsOut(reading) == ["error queueWithoutConsumer"])
    }

    @Test func theVerdictNamesTheRoleAndTheQueue() {
        var reading = Self.healthy
        reading.workers.removeAll { $0.role == "router" }
        let index = reading.queues.firstIndex { $0.name == "tidings.intents.bulk" } ?? 0
        reading.queues[index] = .init(
            name: "tidings.intents.bulk", ready: 3_000, consumers: 0, sampledAt: Self.ago(3), waitingSince: Self.ago(29))
        #expect(
            SystemVerdict(Judgement.findings(of: reading)).words
                == "Degraded: no router runs; 3,000 messages wait in tidings.intents.bulk since 19:02 UTC, and it has no consumer.")
    }

    /// A process registers before it consumes, and an old sample proves nothing.
    @Test func aQueueIsNotJudgedTooEarlyNorByAnOldSample() {
        var reading = Self.healthy
        reading.observe(queue: "tidings.intents.bulk", ready: 6, consumers: 0)
        reading.workers[0].startedAt = Self.ago(9)
        #expect(Self.standsOut(reading).isEmpty)
        reading.workers[0].startedAt = Self.ago(11)
        #expect(Self.standsOut(reading) == ["error queueWithoutConsumer"])
        reading.queues[1].sampledAt = Self.ago(31)
        #expect(Self.standsOut(reading).isEmpty, "the others are fresh: this one is of a provider that is gone")
    }

    @Test func samplesThatStayAwayAreAnError() {
        var reading = Self.healthy
        for index in reading.queues.indices { reading.queues[index].sampledAt = Self.ago(30) }
        #expect(Self.standsOut(reading).isEmpty)
        for index in reading.queues.indices { reading.queues[index].sampledAt = Self.ago(31) }
        #expect(Self.standsOut(reading) == ["error samplesStale"])
        reading.queues = []
        #expect(Self.standsOut(reading) == ["warning notSampled"])
        reading.workers[2].startedAt = Self.ago(9)
        #expect(Self.standsOut(reading) == ["note notSampled"], "it has only started")
    }

    @Test(arguments: [(1_000, -0.1, ["warning queueGrows"]), (999, -50, []), (5_000, 0, []), (5_000, 10, [])])
    func aLongQueueThatGrowsIsAWarning(ready: Int, drained: Double, expected: [String]) {
        var reading = Self.healthy
        reading.queues[1].ready = ready
        reading.queues[1].drainedPerSecond = drained
        #expect(Self.standsOut(reading) == expected)
    }

    /// The seconds for which the oldest delivery has waited, and the expected level.
    @Test(arguments: [(60, ""), (61, "warning"), (600, "warning"), (601, "error")])
    func aDeliveryThatWaitsBeyondItsTimeIsAFinding(seconds: Int, level: String) {
        var reading = Self.healthy
        (reading.enqueued, reading.enqueuedSince) = (17, Self.ago(seconds))
        #expect(Self.standsOut(reading) == (level.isEmpty ? [] : ["\(level) enqueuedWaits"]))

        reading = Self.healthy
        reading.overdue = [.init(lane: "bulk", channel: "push", provider: "fcm", deliveries: 3, oldestAt: Self.ago(seconds))]
        #expect(Self.standsOut(reading) == (level.isEmpty ? [] : ["\(level) overdue"]))
        reading.overdue[0].isSaturated = true
        #expect(Self.standsOut(reading) == ["note providerSaturated"], "its provider has enough to do")
    }

    @Test func aMatterForAnOperatorIsAWarning() {
        var reading = Self.healthy
        reading.openBreakers = [.init(channel: "push", provider: "fcm", deliveries: 341, since: Self.ago(70))]
        reading.rejected = 30
        reading.dead = 1
        #expect(Self.standsOut(reading) == ["warning breakerOpen", "warning rejectedOpen", "warning deadOpen"])
        #expect(
            SystemVerdict(Judgement.findings(of: reading)).words.hasPrefix(
                "Attention: the breaker of push fcm is open: 341 deliveries wait"))
        reading.unaccounted = [.init(kind: "takenNotDecided", count: 2)]
        #expect(Self.standsOut(reading).contains("error unaccounted"))
    }

    @Test func deliveriesThatFailAreNamed() throws {
        var reading = Self.healthy
        reading.failures = [
            .init(channel: "push", provider: "fcm", reason: "misconfigured", deliveries: 3_040, sample: "01a2/0"),
            .init(channel: "push", provider: "apns", reason: "tokenMalformed", deliveries: 8, sample: "01a3/1"),
        ]
        #expect(Self.standsOut(reading) == ["warning deliveriesFail"])
        let verdict = SystemVerdict(Judgement.findings(of: reading))
        #expect(
            verdict.words == "Attention: 3,048 deliveries failed in the last 15 minutes: 3,040 push fcm misconfigured, "
                + "8 push apns tokenMalformed.")
        let advice = try #require(Judgement.findings(of: reading).first { $0.code == .deliveriesFail }).whatToDo
        #expect(advice.contains("settings") && advice.contains("tidings why 01a2/0") && advice.contains("--reason misconfigured"))
    }

    /// A delivery without a provider is suppressed and did not fail.
    @Test func deliveriesWithoutAProviderAreNamed() throws {
        var reading = Self.healthy
        reading.failures = [
            .init(channel: "push", provider: "", state: "suppressed", reason: "noProvider", deliveries: 12, sample: "01a2/0")
        ]
        #expect(Self.standsOut(reading) == ["warning deliveriesFail"])
        let finding = try #require(Judgement.findings(of: reading).first { $0.code == .deliveriesFail })
        #expect(finding.words == "12 deliveries were suppressed in the last 15 minutes: 12 push noProvider")
        #expect(finding.whatToDo.contains("in the catalogue") && finding.whatToDo.contains("--state suppressed --reason noProvider"))
        reading.failures.append(.init(channel: "push", provider: "fcm", reason: "misconfigured", deliveries: 1, sample: "01a3/0"))
        #expect(
            SystemVerdict(Judgement.findings(of: reading)).words
                == "Attention: 13 deliveries failed or were suppressed in the last 15 minutes: 12 push noProvider, 1 push fcm misconfigured."
        )
    }

    /// Channel, reason, and whether an operator has to act.
    @Test(arguments: [
        ("push", "providerRejected", true), ("push", "retriesExhausted", true), ("webhook", "misconfigured", true),
        ("webhook", "retriesExhausted", false), ("webhook", "httpStatus", false), ("push", "endpointGone", false),
        ("push", "outcomeUnknown", false), ("push", "aReasonOfTheFuture", true),
    ])
    func anOperatorIsAskedOnlyForWhatAnOperatorMends(channel: String, reason: String, isTold: Bool) {
        var reading = Self.healthy
        reading.failures = [.init(channel: channel, provider: "p", reason: reason, deliveries: 1, sample: "01a2/0")]
        #expect(Self.standsOut(reading) == (isTold ? ["warning deliveriesFail"] : []))
    }

    @Test func aPauseIsWantedAndNamed() {
        var reading = Self.healthy
        reading.pauses = [
            .init(target: "channel push", reason: "bad template", by: "dana@ops-1", since: Self.ago(90_000), deliveries: 3_102)
        ]
        #expect(Self.standsOut(reading) == ["note paused"])
        #expect(
            SystemVerdict(Judgement.findings(of: reading)).words
                == "All is well, with a note: channel push is paused since 2026-11-23 18:02 UTC "
                + "by dana@ops-1: bad template; 3,102 deliveries wait.")
    }

    @Test func aLongListOfErrorsIsCut() {
        var reading = Self.healthy
        reading.workers = []
        reading.unaccounted = [.init(kind: "a", count: 1), .init(kind: "b", count: 1)]
        #expect(
            SystemVerdict(Judgement.findings(of: reading)).words
                == "Degraded: no router runs; no deliver runs; no release runs; and 2 more.")
    }

    /// The user of the API and that of a releaser, and the users that vouch. The routers run as `router`, and a releaser names producers
    /// only if the catalogue restricts them.
    @Test(
        arguments: [
            ("router", "router", [], true, []), ("api", "router", ["api"], true, []), ("api", "router", [], false, ["api"]),
            ("router", "release", [], false, []), ("api", "release", ["release"], true, ["api"]),
            ("api", "release", ["other"], true, ["api", "release"]),
        ] as [(String, String, [String], Bool, [String])])
    func aPublisherThatRoutersDoNotBelieveIsAnError(
        api: String, release: String, vouching: [String], areNamed: Bool, doubted: [String]
    ) {
        var reading = Self.healthy
        reading.workers.append(Self.worker("api"))
        for index in reading.workers.indices {
            reading.workers[index].brokerUser = ["api": api, "release": release][reading.workers[index].role] ?? "router"
        }
        reading.producers = .init(areNamed: areNamed, vouching: vouching)
        #expect(Self.standsOut(reading) == doubted.map { _ in "error publisherNotBelieved" })
        let words = Judgement.findings(of: reading).filter { $0.code == .publisherNotBelieved }.map(\.words)
        #expect(words.count == doubted.count && zip(words, doubted).allSatisfy { $0.hasPrefix("\($1)-host-1 publishes as \($1)") })
    }

    /// Incidents.md explains every code.
    @Test func everyCodeIsInTheTable() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let path = "Sources/Documentation.docc/Incidents.md"
        let page = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        for code in Finding.Code.allCases { #expect(page.contains("`\(code.rawValue)`"), "\(code) is not in \(path)") }
    }

    /// The records that a failover lost are missing everywhere, so every other check is green.
    @Test func aFailoverIsToldForItsDayWithTheNextStep() throws {
        var reading = Self.healthy
        reading.failover = .init(timeline: 4, previousTimeline: 3, isOtherCluster: false, seenAt: Self.ago(3_600))
        #expect(Self.standsOut(reading) == ["warning failover"])
        let promoted = try #require(Judgement.findings(of: reading).first { $0.code == .failover })
        #expect(promoted.words.contains("timeline 4 since 18:02 UTC, before: 3"), "\(promoted)")
        #expect(promoted.whatToDo.contains("tidings reconcile --source <source> --since 2026-11-24T17:52:30.000Z"), "\(promoted)")
        reading.failover?.isOtherCluster = true
        let moved = try #require(Judgement.findings(of: reading).first { $0.code == .failover })
        #expect(moved.words.contains("in another cluster since 18:02 UTC"), "\(moved)")
    }
}
