import Testing
import TidingsPostgres
import TidingsTestSupport

/// `tidings_api.enqueue` runs in a producer's own transaction. The notification is sent if the transaction commits, and never if it does
/// not.
@Suite struct EnqueueTests {
    @Test func aCommittedOneIsSentAndARolledBackOneIsNot() async throws {
        try await withPipeline { pipeline in
            let producer = try await PostgresConnection.connect(PostgresConfiguration(url: pipeline.system.databaseURL))
            for (key, end) in [("undone", "rollback"), ("kept", "commit")] {
                try await producer.execute(script: "begin")
                let id = try await producer.query("select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => \(key))")
                #expect(try id.rows.first?.decode(String.self) == key)
                try await producer.execute(script: end)
            }
            await producer.close()

            #expect(try await pipeline.outcome(of: "kept").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.system.eventually("select count(*) from tidings.outgoing") { $0 == 0 })
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 1)
            try await pipeline.expectSound()
        }
    }

    @Test func theSameKeyTwiceIsSentOnce() async throws {
        try await withPipeline { pipeline in
            for _ in 0..<2 {
                _ = try await pipeline.system.query("select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => 'invoice-7')")
            }
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 2 })
            #expect(try await pipeline.outcome(of: "invoice-7").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 1)
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 1)
        }
    }

    @Test func everyArgumentArrives() async throws {
        try await withPipeline { pipeline in
            _ = try await pipeline.system.query(
                """
                select tidings_api.enqueue('orderUpdate', 'reader', '{"orderId": "17"}', key => 'full', title => 'A title', body => 'A body',
                    channels => array['inApp'], source => '/billing', tenant => 'shop', send_at => tidings.clock() + interval '1 hour')
                """)
            #expect(try await pipeline.held("full") == [Ended("inApp", "held", "scheduledFor")])
            let stored = try await pipeline.system.count(
                """
                select count(*) from tidings.notifications where event_id = 'full' and title = 'A title' and body = 'A body'
                    and source = '/billing' and tenant = 'shop' and data::jsonb = '{"orderId": "17"}' and scheduled_for > tidings.clock()
                """)
            #expect(stored == 1)
        }
    }

    @Test func anEmptyOptionalTextIsAbsent() async throws {
        try await withPipeline { pipeline in
            _ = try await pipeline.system.query(
                "select tidings_api.enqueue('orderUpdate', 'reader', key => 'no', title => 'T', body => '')")
            #expect(try await pipeline.outcome(of: "no").contains(Ended("inApp", "delivered", "delivered")))
            let stored = try await pipeline.system.count(
                "select count(*) from tidings.notifications where event_id = 'no' and title = 'T' and body is null")
            #expect(stored == 1)
        }
    }

    /// A mistake that SQL can see is an error in the producer's transaction. Every other mistake is a rejection that an operator can read.
    /// SQL knows the types once a catalogue was applied. The built-in catalogue may differ in the roles that run.
    @Test func mistakesAreSeen() async throws {
        try await withPipeline { pipeline in
            for mistake in [
                "'orderUpdate', ''", "repeat('x', 201), 'reader'", "'orderUpdate', repeat('x', 257)", "'orderUpdate', 'reader', key => ''",
                "'orderUpdate', 'reader', send_at => 'infinity'", "'orderUpdate', 'reader', body => repeat('x', 300000)",
            ] {
                await #expect(throws: PostgresError.self, "\(mistake)") {
                    try await pipeline.system.query("select tidings_api.enqueue(\(unsafe: mistake))")
                }
            }
            _ = try await pipeline.system.query("select tidings_api.enqueue('noSuchType', 'reader', title => 'T', key => 'typo')")
            let rejected = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where reason_code = 'unknownType' and event_id = 'typo'"
            ) { $0 == 1 }
            #expect(rejected)
            func told() async throws -> [String] {
                try await pipeline.system.query(
                    "select event_id || ' ' || reason_code || ' ' || (what_to_do <> '') from tidings_api.rejected('/sql')"
                ).rows.map { try $0.decode(String.self) }
            }
            #expect(try await told() == ["typo unknownType true"], "its producer can ask")
            _ = try await pipeline.system.query("update tidings.rejected set producer = 'db:somebody'")
            #expect(try await told().isEmpty, "nobody else can")

            try await Pipeline.apply(TestCatalogue.standard, to: pipeline.system)
            let refusal = await #expect(throws: PostgresError.self) {
                try await pipeline.system.query("select tidings_api.enqueue('noSuchType', 'reader', title => 'T', key => 'typo2')")
            }
            #expect(refusal?.sqlState == "22023" && refusal?.message.contains("noSuchType") == true, "\(String(describing: refusal))")
            _ = try await pipeline.system.query("select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => 'known')")
            #expect(try await pipeline.outcome(of: "known").contains(Ended("inApp", "delivered", "delivered")))
        }
    }

    /// If the catalogue names producers, a role of the database can be one of them. The roles' own user vouches for it.
    @Test func aRoleOfTheDatabaseHasTenantsOfItsOwn() async throws {
        try await withPipeline(preparing: { system in
            let login = try await system.query("select session_user::text").rows.first?.decode(String.self)
            let producer = try "\"db:\(#require(login))\": {tenants: [acme], sources: [\"/own\"]}"
            return TestCatalogue.standard + "producers: {\(producer)}\n"
        }) { pipeline in
            #expect(try await Self.enqueue("own", tenant: "acme", source: "/own/x", in: pipeline) == nil)
            #expect(try await Self.enqueue("tenant", tenant: "default", source: "/own", in: pipeline) == "tenantForbidden")
            #expect(try await Self.enqueue("source", tenant: "acme", source: "/tests", in: pipeline) == "sourceNotAllowed")
            let named = try await pipeline.system.count("select count(*) from tidings.rejected where producer = 'db:' || session_user")
            #expect(named == 2)
            // The user that publishes here is the roles' own user, and no role of the database.
            await pipeline.publish(event(id: "by-amqp", to: "reader"))
            #expect(try await pipeline.outcome(of: "by-amqp").contains(Ended("inApp", "delivered", "delivered")))

            // A replay by an operator gives the producer no further rights.
            let row = String(try await pipeline.system.count("select id from tidings.rejected where event_id = 'tenant'"))
            // The exit code is 1 if the router refuses the event before the command closes the row.
            let replay = try await pipeline.system.tidings("rejected", "replay", row)
            #expect([0, 1].contains(replay.exitCode), "\(replay.errors)")
            let again = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'tenant' and occurrences = 2"
            ) { $0 == 1 }
            #expect(again)
            try await pipeline.expectSound()
        }
    }

    /// Returns the reason for which the event was refused. Nil: the event was accepted.
    private static func enqueue(_ key: String, tenant: String, source: String, in pipeline: Pipeline) async throws -> String? {
        _ = try await pipeline.system.query(
            "select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => \(key), tenant => \(tenant), source => \(source))")
        let isDecided = try await pipeline.system.eventually(
            """
            select (select count(*) from tidings.rejected where event_id = \(key))
                + (select count(*) from tidings.notifications where event_id = \(key))
            """
        ) { $0 == 1 }
        try #require(isDecided, "\(pipeline.roles.errorsSoFar)")
        return try await pipeline.system.query("select reason from tidings.rejected where event_id = \(key)").rows.first?
            .decode(String.self)
    }
}
