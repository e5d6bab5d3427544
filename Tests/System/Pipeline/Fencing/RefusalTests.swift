import Testing
import TidingsPostgres
import TidingsTestSupport

/// When the database refuses a batch, only the values of an intent count as the intent's fault.
@Suite struct RefusalTests {
    /// A table is missing for a moment, as a grant or a column may be. The intents wait, and none is rejected.
    @Test func aMissingTableRejectsNoIntent() async throws {
        try await withPipeline { pipeline in
            _ = try await pipeline.system.query("alter table tidings.inbox rename to inbox_away")
            for number in 0..<5 { await pipeline.publish(event(id: "waits-\(number)", to: "reader")) }
            let tried = try await pipeline.roles.says("cannot commit a batch, trying again")
            #expect(tried, "\(pipeline.roles.errorsSoFar)")
            _ = try await pipeline.system.query("alter table tidings.inbox_away rename to inbox")
            for number in 0..<5 {
                #expect(try await pipeline.outcome(of: "waits-\(number)").contains(Ended("inApp", "delivered", "delivered")))
            }
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.dead_letters") == 0)
            try await pipeline.expectSound()
        }
    }

    /// One delivery that cannot be released is parked. All further deliveries of its lane are sent.
    @Test func oneUnwritableRowIsParked() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            for number in 0..<4 {
                let sent = try await system.tidings(
                    "send", "social", "--to", "reader-\(number)", "--title", "T", "--id", "due-\(number)", "--in", "1h")
                #expect(sent.exitCode == 0, "\(sent.errors)")
                _ = try await pipeline.held("due-\(number)")
            }
            // The database already records an end of this delivery. Its release would record a second end, which the primary key refuses.
            #expect(try await system.tidings("recipient", "set", "reader-0", "--prefer", "social=off").exitCode == 0)
            _ = try await system.query(
                """
                insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, ended_at)
                select notification_id, ordinal, tenant, channel, provider, endpoint, 'failed', 'outcomeUnknown', 1, now()
                from tidings.due where notification_id = (select notification_id from tidings_ops.notifications where recipient_id = 'reader-0')
                """)
            try await pipeline.shiftClock(by: "61 minutes")
            for number in 1..<4 { _ = try await pipeline.outcome(of: "due-\(number)") }
            let parked: SQL = "select count(*) from tidings.due where due_at = 'infinity' and reason = 'internalError'"
            #expect(try await system.eventually(parked) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            // Later deliveries are sent as well.
            await pipeline.publish(event(id: "later", type: "social", to: "reader-9"))
            _ = try await pipeline.outcome(of: "later")
        }
    }

    /// A newer version has written a word that this version does not know. The row stays unchanged, and does not hold up the other rows.
    @Test func anUnknownWordIsLeftToTheVersionThatKnowsIt() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            for number in 0..<4 {
                let sent = try await system.tidings(
                    "send", "social", "--to", "reader-\(number)", "--title", "T", "--id", "due-\(number)", "--in", "1h")
                #expect(sent.exitCode == 0, "\(sent.errors)")
                _ = try await pipeline.held("due-\(number)")
            }
            _ = try await system.query(
                """
                update tidings.due set reason = 'writtenByANewerVersion'
                where notification_id = (select notification_id from tidings_ops.notifications where recipient_id = 'reader-0')
                """)
            func strange() async throws -> [String] {
                try await system.query("select w::text from tidings.due w where reason = 'writtenByANewerVersion'").rows.map {
                    try $0.decode(String.self)
                }
            }
            let before = try await strange()
            try await pipeline.shiftClock(by: "61 minutes")
            for number in 1..<4 { _ = try await pipeline.outcome(of: "due-\(number)") }
            #expect(try await pipeline.roles.says("leaving it to a newer one"))
            #expect(try await strange() == before && before.count == 1)
        }
    }

    /// An operator's retry of an attempt with an unknown outcome may be a second send, and is recorded as such.
    @Test func theRetryOfAnUnknownOutcomeIsAPossibleDuplicate() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            let system = pipeline.system
            await pipeline.publish(event(id: "one", type: "promotion", to: "reader", data: #""channels":["push"]"#))
            _ = try await pipeline.outcome(of: "one")
            let id = try await pipeline.notificationID(of: "one")
            _ = try await system.query(
                "update tidings.deliveries set state = 'failed', reason = 'outcomeUnknown' where notification_id = '\(unsafe: id)'")
            _ = try await system.query(
                """
                insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, idempotency_key, worker,
                    started_at, finished_at)
                values ('\(unsafe: id)', 0, 1, 'push', 'phone', 'unknown', 'workerDied', '\(unsafe: id)-0', 'w', now(), now())
                """)
            #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 0)
            let retried = try await system.tidings("delivery", "retry", "\(id)/0")
            #expect(retried.exitCode == 0, "\(retried.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 1)
            #expect(try await system.eventually("select count(*) from tidings_ops.deliveries where state = 'sent'") { $0 == 1 })
        }
    }
}
