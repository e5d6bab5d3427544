import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The transaction that stores events of apps, their counts and their retention.
@Suite struct EngagementTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    @Test func anEventIsStoredOnce() async throws {
        try await StoreScene.with { scene in
            let now = try await scene.beginDay()
            let id = try await scene.deliver(to: Self.ann)
            let opened = EngagementEvent(.opened, notification: id, at: now)
            let others = [
                EngagementEvent(.displayed, notification: id, at: now), EngagementEvent(.opened, notification: id, device: "d", at: now),
                EngagementEvent(.opened, notification: id, at: now.adding(.seconds(-1))), EngagementEvent(.opened, notification: id),
                EngagementEvent(.opened, at: now),
                EngagementEvent(.opened, notification: id, at: now, detail: #"{"a":"b"}"#),
            ]
            #expect(try await scene.report([opened, opened]) == .stored([true, false]))
            #expect(try await scene.report([opened]) == .stored([false]))
            #expect(try await scene.report(others) == .stored(others.map { _ in true }))
            #expect(try await scene.report(others + [opened]) == .stored(others.map { _ in false } + [false]))
            #expect(try await scene.count("select count(*) from tidings.engagement") == 7)
            #expect(try await scene.count("select n from tidings.engagement_days where recipient_id = 'ann'") == 7)
            // The next day, a repeated event is still the same one.
            try await scene.beginDay(after: 1)
            #expect(try await scene.report([opened]) == .stored([false]))
            #expect(try await scene.count("select count(*) from tidings.engagement") == 7)
        }
    }

    /// The same event on two connections at once, as after a lost answer.
    @Test func requestsAtOnceAreCountedOnce() async throws {
        try await StoreScene.with { scene in
            let now = try await scene.beginDay()
            let events = (0..<20).map { EngagementEvent(.opened, at: now.adding(.seconds(-$0))) }
            let results = try await withThrowingTaskGroup(of: EngagementResult.self) { group in
                // Awaited by the lines below.
                for turn in 0..<6 { group.addTask { try await scene.report(turn % 2 == 0 ? events : events.reversed()) } }
                return try await group.reduce(into: [EngagementResult]()) { $0.append($1) }
            }
            let fresh = results.map { result in if case .stored(let fresh) = result { fresh.count { $0 } } else { -1 } }
            #expect(fresh.sorted() == [0, 0, 0, 0, 0, 20], "\(fresh)")
            #expect(try await scene.count("select n from tidings.engagement_days") == 20)
            try await scene.store.engagement.rollUp()
            #expect(try await scene.count("select sum(n)::bigint from tidings_ops.engagement_counts") == 20)
        }
    }

    @Test func aDayHasItsLimit() async throws {
        try await StoreScene.with { scene in
            let now = try await scene.beginDay()
            func events(_ numbers: Range<Int>) -> [EngagementEvent] {
                numbers.map { EngagementEvent(.displayed, at: now.adding(.milliseconds(-$0))) }
            }
            let most = Store.engagementPerDay
            for start in stride(from: 0, to: most - 100, by: 100) { _ = try await scene.report(events(start..<(start + 100))) }
            // The whole request is refused, and nothing of it is stored.
            let beyond = try await scene.report(events((most - 100)..<(most + 1)))
            guard case .dayIsFull(let until) = beyond else {
                Issue.record("\(beyond)")
                return
            }
            #expect(until > scene.store.clock.now() && until.wholeSeconds % 86_400 == 0)
            #expect(try await scene.count("select count(*) from tidings.engagement") == most - 100)
            #expect(try await scene.report(events((most - 100)..<most)) == .stored(Array(repeating: true, count: 100)))
            // Repeated events cost nothing, and another person has a day of its own.
            #expect(try await scene.report(events(0..<100)) == .stored(Array(repeating: false, count: 100)))
            #expect(try await scene.report(events(0..<1), of: Self.bob) == .stored([true]))
            try await scene.beginDay(after: 1)
            #expect(try await scene.report(events(most..<(most + 1))) == .stored([true]))
        }
    }

    @Test func eventsOfAnErasedPersonAreDropped() async throws {
        try await StoreScene.with { scene in
            try await scene.bury(Self.ann)
            #expect(try await scene.report([EngagementEvent(.opened), EngagementEvent(.displayed)]) == .erased)
            #expect(try await scene.report([EngagementEvent(.opened)], of: Self.bob) == .stored([true]))
            for table in ["engagement", "engagement_days"] {
                #expect(try await scene.count("select count(*) from tidings.\(unsafe: table) where recipient_id = 'ann'") == 0)
            }
            #expect(try await scene.count("select count(*) from tidings.engagement_tally") == 1)
        }
    }

    /// Type, provider and market come from the database, and only from rows of the person.
    @Test func anEventGetsTheFactsOfItsDelivery() async throws {
        try await StoreScene.with { scene in
            let (inApp, foreign) = (try await scene.deliver(to: Self.ann), try await scene.deliver(to: Self.bob))
            let pushed = try await scene.deliver(to: Self.ann)
            _ = try await scene.system.query(
                """
                insert into tidings.deliveries
                    (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, ended_at)
                select \(pushed.description)::text::uuid, o.ordinal, 'default', 'push', o.provider, o.endpoint, o.state, 'accepted', 1,
                    tidings.clock()
                from (values (1::smallint, 'failing', 'phone', 'failed'), (2::smallint, 'first', 'phone', 'sent'),
                    (3::smallint, 'second', 'tablet', 'delivered')) as o(ordinal, provider, endpoint, state)
                """)
            _ = try await scene.system.query(
                """
                update tidings.notifications set decision = '{"strategy":"all","market":"ca","deliveries":[{},{},{},{"market":"mx"}]}'
                where id = \(pushed.description)::text::uuid
                """)
            _ = try await scene.system.query(
                """
                insert into tidings.endpoints (tenant, recipient_id, id, channel, address, market, changed_at)
                values ('default', 'ann', 'phone', 'push', 't', 'us', tidings.clock()),
                    ('default', 'bob', 'bobs', 'push', 'u', 'us', tidings.clock())
                """)
            _ = try await scene.report([
                EngagementEvent(.opened, notification: inApp), EngagementEvent(.opened, notification: foreign),
                EngagementEvent(.opened, notification: scene.store.clock.nextID()), EngagementEvent(.opened, notification: pushed),
                EngagementEvent(.opened, notification: pushed, device: "tablet"), EngagementEvent(.unknownPayload, device: "phone"),
                EngagementEvent(.unknownPayload, device: "bobs"),
            ])
            let rows = try await scene.system.query(
                """
                select coalesce(type, '-') || ' ' || coalesce(provider, '-') || ' ' || market || ' ' || coalesce(device_id, '-')
                from tidings_ops.engagement
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(
                rows.sorted() == [
                    "- - home -", "- - home -", "- - home -", "- - us phone", "orderUpdate first ca -", "orderUpdate inbox default -",
                    "orderUpdate second mx -",
                ])
            // An event about a notification of somebody else is in the timeline of nobody.
            #expect(try await scene.timeline(of: foreign).isEmpty)
        }
    }

    /// An inbox entry outlives its notification, which is dropped with its day.
    @Test func anEventAboutAnOldInboxEntryHasItsType() async throws {
        try await StoreScene.with { scene in
            let (own, foreign) = (try await scene.deliver(to: Self.ann), try await scene.deliver(to: Self.bob))
            _ = try await scene.system.query("delete from tidings.notifications")
            _ = try await scene.report([EngagementEvent(.opened, notification: own), EngagementEvent(.opened, notification: foreign)])
            let types = try await scene.system.query("select coalesce(type, '-') from tidings_ops.engagement order by 1").rows
            #expect(try types.map { try $0.decode(String.self) } == ["-", "orderUpdate"])
        }
    }

    /// A device may be years off, and an app may have been offline for weeks.
    @Test func theClockOfADeviceIsNotTrustedBlindly() async throws {
        try await StoreScene.with { scene in
            let now = try await scene.beginDay()
            for (time, isTaken) in [
                (now.adding(.seconds(-29 * 86_400)), true), (now.adding(.seconds(-31 * 86_400)), false), (.distantPast, false),
                (now.adding(.seconds(3_600)), false), (.distantFuture, false), (Timestamp(seconds: 0), false),
            ] as [(Timestamp, Bool)] {
                #expect(try await scene.report([EngagementEvent(.opened, at: time)]) == .stored([true]), "\(time)")
                let condition: SQL = isTaken ? "occurred_at = told_at" : "occurred_at = received_at and told_at <> received_at"
                let found = try await scene.count("select count(*) from tidings.engagement where \(condition)")
                #expect(found == 1, "\(time)")
                _ = try await scene.system.query("delete from tidings.engagement")
            }
            // A clock that is a little ahead tells a time that has not come. The event counts as now.
            #expect(try await scene.report([EngagementEvent(.opened, at: now.adding(.seconds(200)))]) == .stored([true]))
            #expect(try await scene.count("select count(*) from tidings.engagement where occurred_at = received_at") == 1)
        }
    }

    @Test func theTimelineShowsTheNewestEvents() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.deliver(to: Self.ann)
            let at = Timestamp(seconds: try await scene.beginDay().wholeSeconds - 60)
            _ = try await scene.report([EngagementEvent(.opened, notification: id, at: at)])
            let time = at.rfc3339.prefix(19)
            #expect(try await scene.timeline(of: id) == ["opened: the app reports opened at \(time)Z"])
            let many = (0..<60).map { EngagementEvent(.displayed, notification: id, at: at.adding(.seconds($0 - 60))) }
            _ = try await scene.report(many)
            #expect(try await scene.timeline(of: id).count == 50)
        }
    }

    /// The sums stay true when a day has no room for another tenant.
    @Test func countsAreRolledUpOnce() async throws {
        try await StoreScene.with { scene in
            let now = try await scene.beginDay()
            let id = try await scene.deliver(to: Self.ann)
            for turn in 0..<3 {
                _ = try await scene.report([
                    EngagementEvent(.opened, notification: id, at: now.adding(.seconds(-turn))),
                    EngagementEvent(.displayed, notification: id, at: now.adding(.seconds(-86_400 - turn))),
                ])
                try await scene.store.engagement.rollUp()
            }
            let lines: SQL = """
                select concat_ws(' ', event, type, provider, market, n, (tidings.clock() at time zone 'UTC')::date - day)
                from tidings_ops.engagement_counts order by 1
                """
            let counts = try await scene.system.query(lines).rows.map { try $0.decode(String.self) }
            #expect(counts == ["displayed orderUpdate inbox default 3 1", "opened orderUpdate inbox default 3 0"])
            #expect(try await scene.count("select count(*) from tidings.engagement_tally") == 0)

            _ = try await scene.system.query(
                """
                insert into tidings.engagement_totals
                select (tidings.clock() at time zone 'UTC')::date, 't' || n, 'opened', '', '', 'default', 1
                from generate_series(1, \(Store.engagementTotalsPerDay)) n
                """)
            let stranger = RecipientKey(tenant: "new", id: "ann")
            _ = try await scene.report([EngagementEvent(.opened)], of: stranger)
            _ = try await scene.report([EngagementEvent(.opened)], of: Self.bob)
            try await scene.store.engagement.rollUp()
            #expect(try await scene.count("select count(*) from tidings_ops.engagement_counts where tenant = 'new'") == 0)
            #expect(try await scene.count("select n from tidings_ops.engagement_counts where tenant = ''") == 1)
            #expect(try await scene.count("select n from tidings_ops.engagement_counts where tenant = 'default' and type = ''") == 1)
        }
    }

    @Test func eventsAreKeptForTheirTime() async throws {
        let (day, month) = (Duration.seconds(86_400), Duration.seconds(30 * 86_400))
        try await StoreScene.with { scene in
            _ = try await scene.report([EngagementEvent(.opened)])
            try await scene.store.engagement.rollUp()
            #expect(try await scene.store.engagement.prune(retention: month) == false)
            try await scene.shiftClock(by: month - day)
            _ = try await scene.report([EngagementEvent(.opened)], of: Self.bob)
            #expect(try await scene.store.engagement.prune(retention: month), "the counter of a day of long ago")
            #expect(try await scene.count("select count(*) from tidings.engagement_days") == 1)
            #expect(try await scene.count("select count(*) from tidings.engagement") == 2)
            try await scene.shiftClock(by: month + .seconds(60))
            #expect(try await scene.store.engagement.prune(retention: month))
            #expect(try await scene.store.engagement.prune(retention: month) == false)
            #expect(try await scene.count("select count(*) from tidings.engagement where recipient_id = 'bob'") == 1)
            #expect(try await scene.store.engagement.pruneTotals() == false)
            try await scene.shiftClock(by: Store.engagementTotalsKept + day * 2)
            #expect(try await scene.store.engagement.pruneTotals())
            #expect(try await scene.count("select count(*) from tidings_ops.engagement_counts") == 0)
        }
    }
}

extension StoreScene {
    fileprivate func report(
        _ events: [EngagementEvent], of person: RecipientKey = StoreScene.person("ann")
    ) async throws -> EngagementResult {
        try await store.engagement.record(events, of: person, defaultMarket: "home")
    }

    /// Moves the business clock to an hour after a midnight, so that no test meets the end of a day. Returns the time.
    @discardableResult fileprivate func beginDay(after days: Int64 = 0) async throws -> Timestamp {
        let now = store.clock.now().wholeSeconds
        try await shiftClock(by: .seconds((now / 86_400 + 1 + days) * 86_400 + 3_600 - now))
        return try await system.query("select tidings.clock()").rows[0].decode(Timestamp.self)
    }

    /// The events of apps in the timeline of a notification.
    fileprivate func timeline(of id: NotificationID) async throws -> [String] {
        try await store.operations.explain(id).filter { $0.actor == "app" }.map { "\($0.verdict): \($0.detail ?? "")" }
    }
}
