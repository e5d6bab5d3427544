import Glibc
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// The erasure of a person by the command line, with every role as a real process.
@Suite struct ErasedPersonTests {
    /// A text that stands nowhere else.
    private static let eve = "eve-of-the-pipeline"
    private static let entries = 250
    /// Events for other people, which arrive during the erasure.
    private static let load = 500
    private static let left: SQL = "select count(*) from tidings.notifications where recipient_id = \(eve)"

    /// A call is out, so the erasure has done all but one notification when every role is killed. The next roles end it. Events for other
    /// people arrive meanwhile.
    @Test func anErasureGoesOnAfterAKill() async throws {
        try await withPipeline(catalogue: TestCatalogue.withWebhook) { pipeline in
            let system = pipeline.system
            try await Capture.with(in: system) { capture in
                try await Self.populate(pipeline, webhook: capture.url + "hang")
                let asked = try await pipeline.json("recipient", "erase", Self.eve, "--no-wait")
                let load = (0..<Self.load).map { event(id: "load-\($0)", to: "other-\($0 % 10)", data: #""channels":["inApp"]"#) }
                await pipeline.publish("[" + load.joined(separator: ",") + "]", contentType: Pipeline.batch)
                #expect(try await system.eventually(Self.left) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
                #expect(try await system.count("select count(*) from tidings_ops.erasures where state = 'running'") == 1)

                pipeline.roles.signal(SIGKILL)
                let killed = await pipeline.roles.finish()
                let roles = try await Pipeline.startRoles(of: system)
                // The lease of the call that the worker did not survive.
                try await pipeline.shiftClock(by: "2 minutes")
                let done = try await pipeline.json("recipient", "erase", Self.eve, Pipeline.waitLimit)
                #expect(done["erasure_id"] == asked["erasure_id"] && done["state"] == "done", "\(done)")
                #expect(done["counts"]?["notifications"]?.intValue == Self.entries + 2, "\(done)")
                #expect(done["counts"]?["rejected"] == 1 && done["counts"]?["recipients"] == 1 && done["counts"]?["endpoints"] == 1)
                #expect(done["counts"]?["addresses"] == 1)
                #expect(done["counts"]?["dead"] == 1 && done["counts"]?["local_requests"] == 1)

                try await Self.expectNothingArrives(in: pipeline)
                #expect(try await system.tables(with: Self.eve).isEmpty)
                for log in [killed.errors, roles.errorsSoFar] { #expect(!log.contains(Self.eve), "a log names the person") }
                try await Self.expectEmptyQueues(of: system)
                let arrived: SQL = "select count(*) from tidings.inbox where recipient_id like 'other-%'"
                #expect(try await system.eventually(arrived) { $0 == Self.load }, "\(roles.errorsSoFar)")
                #expect(try await system.count("select count(*) from tidings.inbox where recipient_id = 'bob'") == 1)
                #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
                let audit = try await system.tidings("db", "verify")
                #expect(audit.exitCode == 0, "\(audit.output)\(audit.errors)")
            }
        }
    }

    @Test func aPersonReturnsByReadmissionAlone() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let erased = try await system.tidings("recipient", "erase", Self.eve, Pipeline.waitLimit, "--by", "the test")
            #expect(erased.exitCode == 0 && erased.errors.contains("tidings recipient erasure"), "\(erased.errors)")
            let refused = try await system.tidings("recipient", "set", Self.eve, "--time-zone", "UTC")
            #expect(refused.exitCode == 1 && refused.errors.contains("was erased"), "\(refused.errors)")
            for expected in ["readmitted", "nothing to change"] {
                let answer = try await system.tidings("recipient", "readmit", Self.eve, "--by", "the test")
                #expect(answer.exitCode == 0 && answer.errors.contains(expected), "\(answer.errors)")
            }
            #expect(try await system.tidings("recipient", "set", Self.eve, "--time-zone", "UTC").exitCode == 0)
            let listed = try await pipeline.json("recipient", "erasure").arrayValue ?? []
            #expect(listed.count == 1 && listed.first?["requested_by"] == "the test" && listed.first?["readmitted_by"] == "the test")
            try await pipeline.expectSound()
        }
    }

    /// Inbox entries, a delivery that waits, one that a worker is calling for, a refused event, a webhook, preferences and ``rows``.
    private static func populate(_ pipeline: Pipeline, webhook: String) async throws {
        let system = pipeline.system
        #expect(try await system.tidings("recipient", "set", eve, "--webhook", webhook, "--prefer", "marketing=off").exitCode == 0)
        let events = (0..<entries).map { event(id: "entry-\($0)", to: eve, data: #""channels":["inApp"]"#) }
        await pipeline.publish("[" + events.joined(separator: ",") + "]", contentType: Pipeline.batch)
        await pipeline.publish(event(id: "bob-1", to: "bob", data: #""channels":["inApp"]"#))
        await pipeline.publish(event(id: "refused", type: "noSuchType", to: eve))
        let later = try await system.tidings("send", "orderUpdate", "--to", eve, "--title", "T", "--in", "2h")
        #expect(later.exitCode == 0, "\(later.errors)")
        await pipeline.publish(event(id: "hung", to: eve, data: #""channels":["webhook"]"#))
        let stored: SQL = "select (select count(*) from tidings.inbox) + (select count(*) from tidings.rejected)"
        try #require(try await system.eventually(stored) { $0 == entries + 2 }, "\(pipeline.roles.errorsSoFar)")
        try #require(try await system.eventually(left) { $0 == entries + 2 })
        for row in rows { _ = try await system.query(row) }
        let out: SQL = "select count(*) from tidings.packs where claimed_at is not null"
        try #require(try await system.eventually(out) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
    }

    /// A device with a plan, an event of the app, and a dead letter.
    private static let rows: [SQL] = [
        """
        insert into tidings.endpoints (tenant, recipient_id, id, channel, provider, address, changed_at, registered_at)
        values ('default', \(eve), 'phone', 'push', 'apns', \("token-of-" + eve), tidings.clock(), tidings.clock())
        """,
        "insert into tidings.local_plans (tenant, device_id, version) values ('default', 'phone', 1)",
        """
        insert into tidings.local_requests (tenant, device_id, notification_id, ordinal, recipient_id, type, content, expires_at,
            accepted_at, planned_at, in_plan, version)
        values ('default', 'phone', gen_random_uuid(), 0, \(eve), 't', '{}', tidings.clock() + interval '1 day', tidings.clock(),
            tidings.clock(), true, 1)
        """,
        """
        insert into tidings.engagement (tenant, recipient_id, notification_id, key, event, occurred_at, received_at, market)
        values ('default', \(eve), gen_random_uuid(), gen_random_uuid(), 'opened', tidings.clock(), tidings.clock(), 'default')
        """,
        """
        insert into tidings.dead (fingerprint, at, queue, reason, message, deaths, exchange, routing_key, headers, raw, size)
        values (gen_random_uuid(), tidings.clock(), 'q', 'poison', 'm', 1, 'e', 'k', '{}',
            convert_to(\(event(id: "dead", to: eve)), 'UTF8'), 1)
        """,
    ]

    /// No queue has a message any more, so none has the person.
    private static func expectEmptyQueues(of system: TestSystem) async throws {
        #expect(try await system.eventually("select count(*) from tidings.queue_samples") { $0 > 0 })
        let sampled = try await system.query("select queue from tidings.queue_samples").rows.map { try $0.decode(String.self) }
        let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "tests")
        for name in sampled + [QueueNames.suspectQueue, QueueNames.rejectedQueue] {
            #expect(try await eventually { try await control.queueStatus(name)?.messages ?? 0 == 0 }, "\(name)")
        }
        await control.close()
    }

    /// An event from the broker, one from the SQL outbox, and one that a command waits for.
    private static func expectNothingArrives(in pipeline: Pipeline) async throws {
        let system = pipeline.system
        let before = try await system.count("select count(*) from tidings.erased_notifications")
        await pipeline.publish(event(id: "late", to: eve))
        _ = try await system.query("select tidings_api.enqueue('orderUpdate', \(eve), title => 'T')")
        let sent = try await system.tidings("send", "orderUpdate", "--to", eve, "--title", "T", "--wait", Pipeline.waitLimit)
        #expect(sent.exitCode == 1 && sent.errors.contains("recipientErased"), "\(sent.errors)")
        #expect(try await system.eventually("select count(*) from tidings.erased_notifications") { $0 == before + 3 })
        #expect(try await system.eventually("select count(*) from tidings.outgoing") { $0 == 0 })
    }
}
