import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// `tidings db verify` names each delivery that is in no place, in two places, or without a notification, however old it is.
@Suite struct AuditTests {
    @Test(arguments: [1, 2, Store.auditSlice]) func aMisplacedDeliveryIsNamedInEverySlice(slice: Int) async throws {
        try await withPipeline { pipeline in
            let events = ["first", "lost", "doubled", "nobody's", "last"]
            var ids: [String] = []
            for event in events {
                await pipeline.publish(Self.inApp(event))
                _ = try await pipeline.outcome(of: event)
                ids.append(try await pipeline.notificationID(of: event))
            }
            let store = Store(try PostgresConfiguration(url: pipeline.system.databaseURL), size: 1, name: "audit")
            #expect(try await store.operations.audit(slice: slice) == [])

            _ = try await pipeline.system.query("delete from tidings.deliveries where notification_id = '\(unsafe: ids[1])'")
            _ = try await pipeline.system.query(
                """
                insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, attempt, reason, since)
                select notification_id, ordinal, 'bulk', 'infinity', 'held', tenant, channel, provider, 1, reason, now()
                from tidings.deliveries where notification_id = '\(unsafe: ids[2])'
                """)
            _ = try await pipeline.system.query("delete from tidings.notifications where id = '\(unsafe: ids[3])'")
            var progress: [Int] = []
            let problems = try await store.operations.audit(slice: slice) { progress.append($0) }
            let found = Dictionary(
                uniqueKeysWithValues: problems.map { ($0["notification_id"]?.stringValue ?? "", $0["problem"]?.stringValue) })
            #expect(
                found == [
                    ids[1]: "planned, but neither ended nor in a pack nor due", ids[2]: "in several places: due and ended",
                    ids[3]: "no such planned delivery: ended",
                ])
            #expect(progress == Array(stride(from: slice, to: 4, by: slice)), "four notifications are left")
            await store.close()

            let verify = try await pipeline.system.tidings("db", "verify")
            #expect(verify.exitCode == 1 && ids[1...3].allSatisfy(verify.output.contains), "\(verify.output)\(verify.errors)")
        }
    }

    @Test(arguments: [1, 2, Store.inboxAuditSlice]) func aWrongInboxIsNamedInEverySlice(slice: Int) async throws {
        try await withOwnSystem { system in
            let people = ["ann", "bob", "cleo", "dan", "eve"]
            _ = try await system.query(
                """
                insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, data, created_at, snoozed_until)
                select 'default', person, tidings.first_id(now()), 5, 'orderUpdate', 'transactional', '{}', now(),
                    case person when 'dan' then now() end
                from unnest(\(people)) as person
                """)
            // Ann has no inbox, Bob's counts are wrong, Cleo's position is, Dan's snooze has no end, and Eve's inbox is right.
            _ = try await system.query(
                """
                insert into tidings.inboxes (tenant, recipient_id, position, forgotten, total, unread, snoozed) values
                    ('default', 'bob', 5, 0, 2, 1, 0), ('default', 'cleo', 4, 0, 1, 1, 0), ('default', 'dan', 5, 0, 0, 0, 1),
                    ('default', 'eve', 5, 0, 1, 1, 0)
                """)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "audit")
            let problems = try await store.operations.auditInboxes(slice: slice)
            await store.close()
            let found = Dictionary(
                uniqueKeysWithValues: problems.map { ($0["recipient_id"]?.stringValue ?? "", $0["problem"]?.stringValue ?? "") })
            #expect(found["ann"] == "entries without an inbox")
            #expect(found["bob"] == "2 entries, 1 unread, 0 snoozed; a recount has 1, 1, 0")
            #expect(found["cleo"] == "position 5 is beyond the newest one, 4")
            #expect(found["dan"]?.hasSuffix("would not end") == true)
            #expect(found.count == 4)

            let verify = try await system.tidings("db", "verify")
            #expect(verify.exitCode == 1 && people.dropLast().allSatisfy(verify.output.contains), "\(verify.output)\(verify.errors)")
        }
    }

    private static func inApp(_ id: String) -> String { event(id: id, to: "reader", data: #""channels":["inApp"]"#) }
}
