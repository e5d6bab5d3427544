import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The database itself keeps people apart, whatever a statement says.
@Suite struct InboxRightsTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    /// The statements have no condition on the person, as if a programmer had forgotten it.
    @Test func aFaultyConditionFindsOnlyThePersonsOwnRows() async throws {
        try await StoreScene.with { scene in
            let (own, foreign) = (try await scene.deliver(to: Self.ann), try await scene.deliver(to: Self.bob))
            let namesake = RecipientKey(tenant: "other", id: "ann")
            try await scene.deliver(to: namesake)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            let answers = try await connection.pipeline([
                "begin", "set local role tidings_app",
                "select set_config('tidings.tenant', 'default', true), set_config('tidings.recipient', 'ann', true)",
                "select notification_id from tidings.inbox",
                "select notification_id from tidings.inbox where recipient_id = 'bob' or tenant = 'other'",
                "update tidings.inbox set read_at = tidings.clock() where true",
                "update tidings.inbox set deleted_at = tidings.clock() where recipient_id = 'bob'",
                "select recipient_id from tidings.inboxes", "update tidings.inboxes set total = total where true", "commit",
            ])
            await connection.close()
            #expect(try answers[3].rows.map { try $0.decode(PostgresUUID.self) } == [PostgresUUID(high: own.high, low: own.low)])
            #expect(answers[4].rows.isEmpty && answers[5].affectedRows == 1 && answers[6].affectedRows == 0)
            #expect(try answers[7].rows.map { try $0.decode(String.self) } == ["ann"] && answers[8].affectedRows == 1)
            #expect(try await scene.store.inbox.item(foreign, of: Self.bob)?.counts == InboxCounts(total: 1, unread: 1))
            #expect(try await scene.store.inbox.counts(of: namesake) == InboxCounts(total: 1, unread: 1))
        }
    }

    @Test func aForeignEntryIsNotThere() async throws {
        try await StoreScene.with { scene in
            let foreign = try await scene.deliver(to: Self.bob)
            #expect(try await scene.store.inbox.item(foreign, of: Self.ann) == nil)
            for change in [InboxChange.read, .delete, .undo, .snooze(until: .distantFuture), .wake] {
                #expect(try await scene.store.inbox.mark(change, notification: foreign, of: Self.ann) == nil)
            }
            #expect(try await scene.store.inbox.markAllRead(before: .entry(foreign), of: Self.ann) == nil)
            #expect(try await scene.store.inbox.clear(of: Self.ann)?.changed == 0)
            #expect(try await scene.store.inbox.counts(of: Self.bob) == InboxCounts(total: 1, unread: 1))
        }
    }

    @Test func aSessionWithoutAPersonSeesNoRow() async throws {
        try await StoreScene.with { scene in
            try await scene.deliver(to: Self.ann)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app")
            #expect(try await connection.query("select notification_id from tidings.inbox").rows.isEmpty)
            await connection.close()
        }
    }

    /// The role has the rights that people's statements need, and no other.
    @Test func theRoleMayDoNothingElse() async throws {
        try await StoreScene.with { scene in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app")
            for statement in [
                "delete from tidings.inbox", "insert into tidings.inbox select * from tidings.inbox", "truncate tidings.inbox",
                "update tidings.inbox set title = 'x'", "update tidings.inbox set recipient_id = 'ann'", "select 1 from tidings.inbox_0",
                "delete from tidings.inboxes", "insert into tidings.inboxes select * from tidings.inboxes",
                "update tidings.inboxes set recipient_id = 'ann'", "update tidings.inboxes set forgotten = 0",
                "select 1 from tidings.notifications", "select 1 from tidings_ops.inbox",
            ] {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            await connection.close()
        }
    }

    /// The role and the person end with the transaction: the next borrower of the connection is the process again.
    @Test func theRoleEndsWithTheStatementsOfThePerson() async throws {
        try await StoreScene.with { scene in
            let store = Store(try PostgresConfiguration(url: scene.system.databaseURL), size: 1, name: "one connection")
            try await store.open()
            let id = try await scene.deliver(to: Self.ann)
            // The third time each statement runs by its name, with a plan that the role before has made.
            for _ in 0..<3 {
                #expect(try await store.inbox.counts(of: Self.ann).total == 1)
                #expect(try await store.inbox.item(id, of: Self.bob) == nil)
                let news = try await store.inbox.news(of: [InboxWatcher(Self.ann), InboxWatcher(Self.bob)])
                #expect(news.map(\.counts.total) == [1, 0])
            }
            await store.close()
        }
    }

    /// A login of the processes, which owns nothing and is no superuser.
    @Test func aMemberOfTheRunningRoleTakesTheRole() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set session authorization tidings_run")
            let answers = try await connection.pipeline([
                "begin", "update tidings.inbox set seen_at = tidings.clock() returning notification_id", "set local role tidings_app",
                "select set_config('tidings.tenant', 'default', true), set_config('tidings.recipient', 'bob', true)",
                "select notification_id from tidings.inbox", "commit",
            ])
            await connection.close()
            #expect(try answers[1].rows.map { try $0.decode(PostgresUUID.self) } == [PostgresUUID(high: id.high, low: id.low)])
            #expect(answers[4].rows.isEmpty)
        }
    }
}
