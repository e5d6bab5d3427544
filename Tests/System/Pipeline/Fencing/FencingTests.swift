import Foundation
import Glibc
import Testing
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A worker that sleeps through its lease must not send the rest of its pack. The outcomes that the worker knows count more than the
/// guesses of a releaser.
@Suite struct FencingTests {
    /// Longer than a lease and the time for which a releaser watches the database before it recovers anything.
    private static let patience = Duration.seconds(120)
    private static let recovered: SQL = "select count(*) from tidings_ops.attempts where reason_code = 'workerDied'"

    /// The worker stops before its first byte. A releaser recovers each delivery of its pack, and an operator cancels one notification.
    /// Then the worker wakes and says that it had not begun. So nothing is a possible duplicate, and the delivery that the releaser gave up is
    /// sent after all.
    @Test func aWorkerThatSleptThroughItsLeaseSendsNothing() async throws {
        try await withSleeper(at: "afterClaim:1", sending: ["cancelled", "sent", "stopped"]) { system, capture, sleeper in
            let isRecovered = try await withoutPlace { try await system.eventually(within: Self.patience, Self.recovered) { $0 == 3 } }
            #expect(isRecovered, "nothing was recovered")
            let answer = try await system.tidings("notification", "cancel", try await id(of: "cancelled", in: system), "-o", "json")
            let rows = try JSON.parse(answer.output).arrayValue ?? []
            #expect(rows.map { $0["result"]?.stringValue } == ["cancelled"], "\(answer.output)\(answer.errors)")
            #expect(try capture.accepted().isEmpty)

            sleeper.signal(SIGCONT)
            let delivered: SQL = "select count(*) from tidings_ops.deliveries where state = 'delivered'"
            #expect(try await system.eventually(within: Self.patience, delivered) { $0 == 2 }, "\(sleeper.errorsSoFar)")
            #expect(try await system.eventually(within: Self.patience, Self.admitted) { $0 == 0 }, "\(sleeper.errorsSoFar)")
            let sent = "\(try await id(of: "sent", in: system))-0"
            let stopped = "\(try await id(of: "stopped", in: system))-0"
            let (accepted, states) = (try capture.accepted(), try await states(in: system))
            #expect(accepted == [sent: 1, stopped: 1], "sent once by their second attempts; the cancelled one never")
            #expect(states == ["cancelled cancelled", "sent delivered", "stopped delivered"])
            try await expectSound(system)
        }
    }

    /// Another worker sends the second attempt while the first worker sleeps.
    @Test func aSleeperThatSentNothingClosesTheGuessAfterTheSecondSend() async throws {
        try await withSleeper(at: "afterClaim:1", sending: ["sent", "stopped"]) { system, capture, sleeper in
            try system.start("run", "deliver")
            let guessed: SQL = "select count(*) from tidings_ops.deliveries where state in ('delivered', 'failed')"
            let haveEnded = try await withoutPlace { try await system.eventually(within: Self.patience, guessed) { $0 == 2 } }
            #expect(haveEnded, "nothing was recovered")
            #expect(try await states(in: system) == ["sent delivered", "stopped failed"])
            #expect(try await system.count(Self.admitted) == 1)

            sleeper.signal(SIGCONT)
            #expect(try await system.eventually(within: Self.patience, Self.admitted) { $0 == 0 }, "\(sleeper.errorsSoFar)")
            let delivered: SQL = "select count(*) from tidings_ops.deliveries where state = 'delivered'"
            #expect(try await system.eventually(within: Self.patience, delivered) { $0 == 2 }, "\(sleeper.errorsSoFar)")
            #expect(try capture.accepted().values.sorted() == [1, 1])
            try await expectSound(system)
        }
    }

    /// The worker stops after the receiver has answered. A releaser guesses the outcome. The worker then wakes and knows it.
    @Test func aLateAnswerEndsTheDeliveryAsTold() async throws {
        try await withLateAnswer { system, capture, wake in
            // Take the pack's message away. The worker that wakes would claim the pack while it writes the answer, and either may come first.
            let control = try AMQPControl.make(configuration: AMQPConfiguration(url: system.amqpURL), connectionName: "tests")
            try await control.purge(QueueNames.deliver(channel: .webhook, provider: "webhook", lane: .urgent))
            await control.close()
            let guessed = try await system.count(Self.recovered)

            try await wake()
            #expect(try capture.accepted().values.sorted() == [1, 1], "an answer that was known was asked for again")
            #expect(try await system.count(Self.admitted) == 0)
            let late = try await system.count("select count(*) from tidings_ops.attempts where late and outcome = 'accepted'")
            #expect(late == guessed, "each late answer has its attempt")
        }
    }

    /// The same with the pack's message on its queue. If the worker claims the pack before its answer is written, it sends a second time, and
    /// a row admits this.
    @Test func aSecondSendBesideALateAnswerHasItsRow() async throws {
        try await withLateAnswer { system, capture, wake in
            try await wake()
            let sends = try capture.accepted().values.sorted()
            let admitted = try await system.count(Self.admitted)
            #expect(sends == [1, 1] && admitted == 0 || sends == [1, 2] && admitted > 0, "\(sends), \(admitted)")
        }
    }

    /// One delivery of the pack cannot be recovered, because the database records it as ended. The other deliveries are recovered, and this
    /// one is parked for an operator.
    @Test func oneUnwritableMemberIsParked() async throws {
        try await withSleeper(at: "afterClaim:1", sending: ["first", "second", "stopped"]) { system, _, sleeper in
            _ = try await system.query(
                """
                insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, ended_at)
                values ('\(unsafe: try await id(of: "stopped", in: system))', 0, 'default', 'webhook', 'webhook', null, 'failed', 'outcomeUnknown',
                    1, now())
                """)
            // The worker is not woken to do anything, so its lease may end by the virtual clock.
            #expect(try await eventually { try Self.isStopped(sleeper) }, "it does not stop: \(sleeper.errorsSoFar)")
            _ = try await system.query("update tidings.clock_offset set shift = shift + interval '1 minute'")
            #expect(
                try await system.eventually(within: Self.patience, Self.recovered) { $0 == 2 }, "the others of the pack were not recovered")
            let parked: SQL = "select count(*) from tidings.packs where lease_until = 'infinity' and cardinality(notification_ids) = 1"
            #expect(try await system.eventually(within: Self.patience, parked) { $0 == 1 })
            sleeper.signal(SIGCONT)
        }
    }

    /// If the answer to a claim was lost, the repeated claim of the same worker gets the pack. A redelivered message gets nothing.
    @Test func aClaimIsRecognisedByItsWorkerAlone() async throws {
        try await withOwnSystem { system in
            try await Pipeline.apply(Self.catalogue, to: system)
            try system.start("run", "router")
            try await send(["sent"], to: "http://127.0.0.1:9/", in: system)
            try await ClaimQuestions.ask(of: system)
        }
    }

    // MARK: A worker that stops at a step

    /// All types are in one lane, so that all deliveries share one pack.
    private static let catalogue = TestCatalogue.withWebhook.replacing("category: marketing", with: "category: marketing\n    lane: urgent")

    private static let admitted: SQL = "select count(*) from tidings_ops.possible_duplicates"

    /// Runs the body while the worker sleeps with both answers. `sent` is then in a pack that no worker has claimed. `stopped` has failed by
    /// its policy. `wake` wakes the worker and returns when both are delivered.
    ///
    /// An outcome waits 20 ms for others of its pack. On a busy machine the second answer may come later, and the worker then writes the first
    /// before it stops. Such a scene begins again.
    private func withLateAnswer(_ body: (TestSystem, Capture, () async throws -> Void) async throws -> Void) async throws {
        var hasBothAnswers = false
        for _ in 1...3 where !hasBothAnswers {
            try await withSleeper(at: "afterSend:2", sending: ["sent", "stopped"]) { system, capture, sleeper in
                let isRecovered = try await withoutPlace { try await system.eventually(within: Self.patience, Self.recovered) { $0 > 0 } }
                #expect(isRecovered, "nothing was recovered")
                hasBothAnswers = try await system.count("select count(*) from tidings_ops.attempts where outcome = 'accepted'") == 0
                if hasBothAnswers { try await wakeLate(sleeper, capture, in: system, body) } else { sleeper.signal(SIGCONT) }
            }
        }
        #expect(hasBothAnswers, "the worker wrote its first answer before it stopped, three times")
    }

    private func wakeLate(
        _ sleeper: TestProcess, _ capture: Capture, in system: TestSystem,
        _ body: (TestSystem, Capture, () async throws -> Void) async throws -> Void
    ) async throws {
        let waiting: SQL =
            "select count(*) from tidings.packs where claimed_at is null and confirmed_at is not null and attempts = '{2}'"
        #expect(try await system.eventually(within: Self.patience, waiting) { $0 == 1 })
        #expect(try await states(in: system).contains("stopped failed"))
        try await body(system, capture) {
            sleeper.signal(SIGCONT)
            let delivered: SQL = "select count(*) from tidings_ops.deliveries where state = 'delivered'"
            let areDelivered = try await system.eventually(within: Self.patience, delivered) { $0 == 2 }
            #expect(areDelivered, "\(sleeper.errorsSoFar)")
        }
        try await expectSound(system)
    }

    private func withSleeper(
        at step: String, sending people: [String], _ body: (TestSystem, Capture, TestProcess) async throws -> Void
    ) async throws {
        try await withOwnSystem { system in
            try await Capture.with(in: system) { capture in
                try await Pipeline.apply(Self.catalogue, to: system)
                for role in ["router", "release"] { try system.start("run", role) }
                try await send(people, to: capture.url + "ok/", in: system)
                let sleeper = try system.start("run", "deliver", with: ["TIDINGS_FAULT_AT": step, "TIDINGS_FAULT_SIGNAL": "STOP"])
                let claimed: SQL = "select count(*) from tidings.packs where claimed_at is not null"
                #expect(try await system.eventually(within: Self.patience, claimed) { $0 == 1 }, "\(sleeper.errorsSoFar)")
                try await body(system, capture, sleeper)
            }
        }
    }

    /// Whether SIGSTOP has stopped the process. A process that still ran after the shift would report that it lives.
    private static func isStopped(_ process: TestProcess) throws -> Bool {
        try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8).contains("State:\tT")
    }

    /// Publishes one message with an intent for each person. Returns when their pack is on its queue.
    private func send(_ people: [String], to url: String, in system: TestSystem) async throws {
        for person in people {
            #expect(try await system.tidings("recipient", "set", person, "--webhook", url + person).exitCode == 0)
        }
        let events = people.map {
            event(id: $0, type: $0 == "stopped" ? "promotion" : "orderUpdate", to: $0, data: #""channels":["webhook"]"#)
        }
        let producer = try Producer(url: system.amqpURL)
        let result = await producer.publish(
            raw: Array("[\(events.joined(separator: ","))]".utf8), contentType: Pipeline.batch, exchange: QueueNames.intentsExchange,
            routingKey: "transactional.orderUpdate", id: "batch")
        await producer.close()
        #expect(result == .confirmed)
        let packed: SQL = "select count(*) from tidings.packs where confirmed_at is not null"
        #expect(try await system.eventually(packed) { $0 == 1 })
        #expect(try await system.count("select sum(cardinality(ordinals))::bigint from tidings.packs") == people.count)
    }

    private func id(of person: String, in system: TestSystem) async throws -> String {
        let rows = try await system.query("select notification_id::text from tidings_ops.notifications where recipient_id = \(person)").rows
        return try #require(rows.first).decode(String.self)
    }

    private func states(in system: TestSystem) async throws -> [String] {
        try await system.query(
            """
            select n.recipient_id || ' ' || d.state from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id) order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }

    private func expectSound(_ system: TestSystem) async throws {
        #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
        let audit = try await system.tidings("db", "verify")
        #expect(audit.exitCode == 0, "\(audit.output)\(audit.errors)")
    }
}
