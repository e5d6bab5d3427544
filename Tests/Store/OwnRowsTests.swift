import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The views of a person's rows in tables without row-level security.
@Suite struct OwnRowsTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))
    private static let views = [
        "notifications", "decisions", "deliveries", "attempts", "reports", "due", "rejected", "endpoints", "addresses",
    ]

    /// Each view has every row of the person, and no other.
    @Test func aViewHasTheRowsOfThePerson() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob, RecipientKey(tenant: "other", id: "ann")] { _ = try await scene.populate(person) }
            try await scene.addHistories()
            let isOwn = "n.tenant = 'default' and n.recipient_id = 'ann'"
            var expected = [
                "notifications": try await scene.count("select count(*) from tidings.notifications n where \(unsafe: isOwn)"),
                "endpoints": 1, "addresses": 2, "rejected": 1,
            ]
            for table in ["decisions", "deliveries", "attempts", "reports", "due"] {
                expected[table] = try await scene.count(
                    """
                    select count(*) from tidings.\(unsafe: table) r join tidings.notifications n on n.id = r.notification_id
                    where \(unsafe: isOwn)
                    """)
            }
            for view in Self.views {
                let count: SQL = "select count(*) from tidings.own_\(unsafe: view)"
                let found: Int = try await scene.store.asPerson(Self.ann, .value(count))
                #expect(found == expected[view] && found > 0, "\(view)")
                let stranger: Int = try await scene.store.asPerson(StoreScene.person("nobody"), .value(count))
                #expect(stranger == 0, "\(view)")
            }
            // The process names no person.
            for view in Self.views { #expect(try await scene.count("select count(*) from tidings.own_\(unsafe: view)") == 0, "\(view)") }
        }
    }

    /// A function that costs nothing is evaluated first, unless the view is a barrier. It would tell of rows that the view leaves out.
    @Test func aConditionSeesNoRowOfOthers() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob] { _ = try await scene.populate(person) }
            _ = try await scene.system.query(
                """
                create function public.tells(name text) returns boolean language plpgsql cost 0.0001 as
                    $$ begin if name = 'bob' then raise exception 'told of %', name; end if; return true; end $$
                """)
            for statement: SQL in [
                "select count(*) from tidings.own_notifications where public.tells(recipient_id)",
                "select count(*) from tidings.recipients where public.tells(id)",
                "select count(*) from tidings.endpoints where public.tells(recipient_id)",
                "select count(*) from tidings.inbox where public.tells(recipient_id)",
            ] {
                #expect(try await scene.store.asPerson(Self.ann, .value(statement, as: Int.self)) > 0, "\(statement)")
            }
        }
    }

    /// The bytes of an event for several people name the others too.
    @Test func aRefusedEventOfSeveralPeopleHasNoBytes() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.populate(Self.ann)
            _ = try await scene.system.query("update tidings.rejected set recipients = array['bob', 'ann']")
            for person in [Self.ann, Self.bob] {
                let rows = try await scene.store.asPerson(
                    person, .rows("select event_base64 from tidings.own_rejected") { try $0.decode(String?.self) })
                #expect(rows == [nil], "\(person.id)")
            }
        }
    }
}

extension StoreScene {
    /// Gives each notification a decision, an attempt and a report.
    fileprivate func addHistories() async throws {
        for statement in [
            """
            insert into tidings.decisions (notification_id, ordinal, at, catalogue, decision)
            select id, 0, tidings.clock(), 'c', '{}' from tidings.notifications
            """,
            """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, idempotency_key, worker,
                started_at, finished_at)
            select id, 0, 1, 'push', 'phone', 'retry', 'serverError', 'k', 'w', tidings.clock(), tidings.clock() from tidings.notifications
            """,
            """
            insert into tidings.reports (notification_id, ordinal, reporter, key, attempt, channel, provider, outcome, reason, received_at,
                state_before, reason_before, state_after, moved)
            select id, 0, 'provider', 'k', 1, 'push', 'phone', 'delivered', 'delivered', tidings.clock(), 'sent', 'providerAccepted',
                'delivered', true
            from tidings.notifications
            """,
        ] as [SQL] {
            _ = try await system.query(statement)
        }
    }
}
