import Foundation
import Testing
import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

/// The table of refused intents, as routers and releasers write it: its budget, its end, and the order of a replay. No role runs.
@Suite struct RefusedRowsTests {
    private static let retention = Duration.seconds(30 * 86_400)

    /// A router's refusal between the publish and the mark must win. Otherwise the row would be closed although its event was never
    /// decided.
    @Test func aRowThatWasRefusedAgainStaysOpen() async throws {
        try await withStore { system, store in
            try await refuse([rejection("twice"), rejection("once")], in: store)
            let ids = try await ids(in: system)
            let kept = try #require(try await store.refused.kept(ids[0], in: .rejected))
            let other = try #require(try await store.refused.kept(ids[1], in: .rejected))
            try await refuse([rejection("twice")], in: store)
            #expect(try await store.refused.markReplayed([kept, other], in: .rejected) == [ids[1]])
            #expect(try await system.count("select count(*) from tidings.rejected where state = 'open' and occurrences = 2") == 1)
            #expect(try await store.refused.kept(ids[1], in: .rejected) == nil, "a closed row is not published again")

            // A refusal after the mark opens the row again.
            let again = try #require(try await store.refused.kept(ids[0], in: .rejected))
            #expect(try await store.refused.markReplayed([again], in: .rejected) == [ids[0]])
            try await refuse([rejection("twice")], in: store)
            #expect(try await system.count("select count(*) from tidings.rejected where state = 'open'") == 1)
        }
    }

    @Test func rowsBeyondTheBudgetOfADayKeepNoBytes() async throws {
        try await withStore { system, store in
            try await refuse([rejection("first of loud", tenant: "loud")], in: store)
            _ = try await system.query("update tidings.rejected_days set kept_bytes = \(RejectedBudget.bytesADayOfTenant - 10)")
            try await refuse([rejection("second of loud", tenant: "loud"), rejection("first of quiet", tenant: "quiet")], in: store)
            #expect(try await without(in: system) == ["second of loud"], "one tenant leaves the others their part")
            let row = try await system.query(
                "select replayable, size > 0 and octet_length(sha256) = 32, occurrences from tidings.rejected where event_id = 'second of loud'"
            ).rows[0]
            #expect(try row.decode((Bool, Bool, Int).self) == (false, true, 1))

            // The same event again stores nothing, so it uses no budget.
            let before = try await system.count("select sum(kept_bytes)::bigint from tidings.rejected_days")
            try await refuse([rejection("first of quiet", tenant: "quiet"), rejection("second of loud", tenant: "loud")], in: store)
            #expect(try await system.count("select sum(kept_bytes)::bigint from tidings.rejected_days") == before)
            #expect(try await system.count("select sum(without_bytes)::bigint from tidings.rejected_days") == 1)

            // The budget of the day as a whole is used up.
            _ = try await system.query("update tidings.rejected_days set share = 99, part = 0 where kept_bytes > 1000000")
            _ = try await system.query("update tidings.rejected_days set kept_bytes = \(RejectedBudget.bytesADay) where share = 99")
            try await refuse([rejection("second of quiet", tenant: "quiet")], in: store)
            #expect(try await without(in: system) == ["second of loud", "second of quiet"])
            let figures = try await store.upkeep.refusedFigures()
            #expect(figures.rejected == 4 && figures.dead == 0 && figures.withoutBytes == 2)
            #expect(figures.keptBytes >= RejectedBudget.bytesADay)

            try await store.upkeep.shiftClock(by: .seconds(86_400))
            try await refuse([rejection("third of loud", tenant: "loud")], in: store)
            #expect(try await without(in: system) == ["second of loud", "second of quiet"], "a new day has a budget of its own")
            try await store.upkeep.shiftClock(by: .seconds(40 * 86_400))
            try await store.upkeep.pruneRejectedDays(retention: Self.retention)
            #expect(try await system.count("select count(*) from tidings.rejected_days") == 0)
        }
    }

    /// Anybody may name a tenant in a broken event. Such events use up no budget but their own.
    @Test func anEventThatIsNotVerifiedUsesUpNoTenantsBudget() async throws {
        try await withStore { system, store in
            var claim = rejection("a claim", tenant: "loud")
            claim.isVerified = false
            try await refuse([claim, rejection("first of loud", tenant: "loud")], in: store)
            _ = try await system.query(
                """
                update tidings.rejected_days set kept_bytes = \(RejectedBudget.bytesADayOfTenant)
                where share = \(RejectedBudget.share(of: claim))
                """)
            claim.sha256 = SHA256.hash(Array("another".utf8))
            claim.eventID = "another claim"
            try await refuse([claim, rejection("second of loud", tenant: "loud")], in: store)
            #expect(try await without(in: system) == ["another claim"])
        }
    }

    /// An event may be refused once for each of its people, in one batch or in several.
    @Test func aRowNamesThePeopleOfAllItsRefusals() async throws {
        try await withStore { system, store in
            func people(after refused: [[String]]) async throws -> [String] {
                try await refuse(
                    refused.map { people in
                        var one = rejection("campaign")
                        one.recipientIDs = people
                        return one
                    }, in: store)
                let rows = try await system.query("select array_to_json(recipients)::text from tidings.rejected").rows
                #expect(rows.count == 1)
                return try JSON.parse(rows[0].decode(String.self)).arrayValue?.compactMap(\.stringValue) ?? []
            }
            let first = try await people(after: [["ann"], ["bob"], ["ann"]])
            #expect(first == ["ann", "bob"])
            #expect(try await people(after: [["ann"]]) == ["ann", "bob"])
            #expect(try await people(after: [["cafe\u{301}"], ["caf\u{E9}"]]).count == 4)
            #expect(try await people(after: [["bob", "a\"\\b"]]).count == 5)
            let many = (1...2_000).map { "p\($0)" }
            #expect(try await people(after: [many]).count == 1_000)
            #expect(try await people(after: many.map { [$0] }).first == "ann")
            #expect(try await system.count("select max(cardinality(recipients))::bigint from tidings.rejected") == 1_000)
        }
    }

    /// A row without its bytes keeps no long list either.
    @Test func aRowBeyondTheBudgetNamesOnePerson() async throws {
        try await withStore { system, store in
            try await refuse([rejection("first")], in: store)
            _ = try await system.query("update tidings.rejected_days set kept_bytes = \(RejectedBudget.bytesADay)")
            var campaign = rejection("campaign")
            campaign.recipientIDs = ["ann", "bob"]
            for _ in 1...2 { try await refuse([campaign], in: store) }
            let kept = try await system.query("select array_to_json(recipients)::text from tidings.rejected where event_id = 'campaign'")
            #expect(try kept.rows.map { try $0.decode(String.self) } == [#"["ann"]"#])
        }
    }

    /// The rows are more than one turn handles, and some are closed after the first look.
    @Test func refusedRowsHaveAnEnd() async throws {
        let many = Int(Store.refusedPruneBatch) + 1
        try await withStore { system, store in
            try await refuse((0..<many).map { rejection("old \($0)") } + [rejection("closed"), rejection("late")], in: store)
            _ = try await system.query(
                "update tidings.rejected set state = 'discarded', acted_at = tidings.clock() where event_id = 'closed'")
            for queue in ["one", "two"] {
                let dead = DeadMessage(
                    queue: queue, reason: .poison, message: "", deaths: 1, exchange: "", routingKey: "", contentType: nil, headers: "{}",
                    body: [1])
                let kept = try await store.refused.keepDead(dead, state: "trying")
                if queue == "one" { #expect(try await store.refused.moveDead(kept.id, from: ["trying"], to: "resolved")) }
            }
            func prune() async throws {
                for table in [RefusedTable.rejected, .dead] {
                    while try await store.upkeep.pruneRefused(table, retention: Self.retention) {}
                }
            }
            func left(_ table: String) async throws -> Int { try await system.count("select count(*) from tidings.\(unsafe: table)") }

            try await store.upkeep.shiftClock(by: .seconds(29 * 86_400))
            try await prune()
            #expect(try await left("rejected") == many + 2)
            #expect(try await left("dead") == 2)

            try await store.upkeep.shiftClock(by: .seconds(31 * 86_400))
            try await prune()
            #expect(try await left("rejected") == many + 1, "only the closed row is past its end")
            #expect(try await left("dead") == 1)
            #expect(try await system.count("select count(*) from tidings.rejected where look_on <= tidings.clock()::date") == 0)

            // The row is closed on day 55. Its body still ends after the 60 days of an open row.
            try await store.upkeep.shiftClock(by: .seconds(55 * 86_400))
            _ = try await system.query("update tidings.rejected set state = 'replayed', acted_at = tidings.clock() where event_id = 'late'")
            try await store.upkeep.shiftClock(by: .seconds(59 * 86_400))
            try await prune()
            #expect(try await left("rejected") == many + 1)
            try await store.upkeep.shiftClock(by: .seconds(62 * 86_400))
            try await prune()
            #expect(try await left("rejected") == 0)
            #expect(try await left("dead") == 0)
        }
    }

    /// Producers choose the names of tenants, so the totals by tenant have a bound. The sums stay correct.
    @Test func totalsOfTenantsHaveABound() async throws {
        let limit = Int(Store.tallyTotals)
        try await withStore { system, store in
            func end(_ range: ClosedRange<Int>) async throws {
                let (first, last) = (Int64(range.lowerBound), Int64(range.upperBound))
                _ = try await system.query(
                    """
                    insert into tidings.tally (kind, tenant, channel, state, reason, n)
                    select 'ended', 'tenant ' || i, 'inApp', 'delivered', 'delivered', 1 from generate_series(\(first), \(last)) i
                    union all select 'planned', '', '', '', '', \(last - first + 1)
                    """)
                try await store.upkeep.rollUpTally()
            }
            func ended() async throws -> Int {
                try await system.count("select coalesce(sum(n), 0)::bigint from tidings.tally_totals where kind = 'ended'")
            }
            try await end(1...limit)
            try await end(limit - 4...limit + 5)
            #expect(try await system.count("select count(*) from tidings.tally") == 0)
            #expect(try await ended() == limit + 10)
            let without = "select n from tidings_ops.state_counts where tenant = '' and state = 'delivered'"
            #expect(try await system.count("\(unsafe: without)") == 5, "known tenants go on, new ones have no total of their own")
            #expect(try await system.count("select count(*) from tidings_ops.state_counts where tenant <> ''") == limit)

            try await store.upkeep.shiftClock(by: .seconds(50 * 86_400))
            try await end(1...3)
            try await store.upkeep.shiftClock(by: .seconds(61 * 86_400))
            while try await store.upkeep.foldTallyTotals(retention: Self.retention) {}
            #expect(try await system.count("select count(*) from tidings.tally_totals where tenant <> ''") == 3)
            #expect(try await ended() == limit + 13)
            #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// A catalogue is kept as long as a kept decision may name it.
    @Test func cataloguesOfLongAgoAreForgotten() async throws {
        try await withStore { system, store in
            func activate(_ hash: String) async throws {
                _ = try await system.query(
                    "insert into tidings.catalogues (hash, yaml, applied_at) values (\(hash), '', now()) on conflict do nothing")
                _ = try await system.query(
                    "insert into tidings.active_catalogue (hash) values (\(hash)) on conflict (only_row) do update set hash = excluded.hash"
                )
            }
            func hashes() async throws -> [String] {
                try await store.upkeep.pruneCatalogues(retention: Self.retention)
                return try await system.query("select hash from tidings.catalogues order by 1").rows.map { try $0.decode(String.self) }
            }
            try await activate("a")
            try await activate("b")
            // A process follows the built-in catalogue, which is never active.
            _ = try await system.query("insert into tidings.catalogues (hash, yaml, applied_at) values ('built in', '', now())")
            _ = try await system.query(
                """
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at, catalogue)
                values ('w', 'router', 'h', 1, '0', now(), now() + interval '40 days', 'built in')
                """)
            try await store.upkeep.shiftClock(by: .seconds(40 * 86_400))
            #expect(try await hashes() == ["a", "b", "built in"])
            // The catalogue becomes active again for a moment only, and decisions of that moment name it.
            try await activate("a")
            try await activate("b")
            _ = try await system.query("insert into tidings.catalogues (hash, yaml, applied_at, used_at) values ('c', '', now(), now())")
            try await store.upkeep.shiftClock(by: .seconds(70 * 86_400))
            #expect(try await hashes() == ["a", "b", "built in"])
            try await store.upkeep.shiftClock(by: .seconds(102 * 86_400))
            #expect(try await hashes() == ["a", "b"], "a rollback brings back the catalogue that the active one replaced")
        }
    }
}

// MARK: - Refusing

/// Runs the body with a system without roles, and with a store for it.
private func withStore(_ body: (TestSystem, Store) async throws -> Void) async throws {
    try await withOwnSystem { system in
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
        do {
            try await body(system, store)
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }
}

private func rejection(_ id: String, tenant: String? = nil) -> Rejection {
    let raw = Array("the bytes of \(id)".utf8)
    var rejection = Rejection(
        reason: .unknownType, pointer: "/type", message: "no such type", source: "/tests", eventID: id, type: "none", tenant: tenant,
        raw: raw,
        contentType: Pipeline.structured, size: raw.count, sha256: SHA256.hash(raw), isReplayable: true)
    rejection.isVerified = true
    return rejection
}

/// Refuses these events as a router does.
private func refuse(_ rejections: [Rejection], in store: Store) async throws {
    let events = rejections.map { RefusedEvent(rejection: $0, exchange: "e", routingKey: "k", headers: "{}") }
    let result = try await store.intake { intake in
        try await intake.write(IntakeWrite(catalogue: .builtIn, refused: events, now: store.clock.now()))
    }
    #expect(result.rejected == rejections.count)
}

private func ids(in system: TestSystem) async throws -> [Int64] {
    try await system.query("select id from tidings.rejected order by case event_id when 'twice' then 0 else 1 end").rows.map {
        try $0.decode(Int64.self)
    }
}

/// The events whose rows have no bytes.
private func without(in system: TestSystem) async throws -> [String] {
    try await system.query(
        "select event_id from tidings.rejected where octet_length(raw) = 0 and not replayable order by event_id"
    ).rows.map { try $0.decode(String.self) }
}
