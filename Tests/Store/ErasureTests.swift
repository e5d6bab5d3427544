import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The erasure of a person, turn by turn.
@Suite struct ErasureTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve-of-the-tests")
    private static let bob = RecipientKey(tenant: "default", id: "bob-of-the-tests")

    /// A person in every place, beside another one. A worker holds one delivery, and the erasure waits for it.
    @Test func nothingOfThePersonIsLeft() async throws {
        try await StoreScene.with { scene in
            let held = try await scene.populate(Self.eve)
            _ = try await scene.populate(Self.bob)
            let before = try await scene.tables(with: Self.eve.id)
            #expect(before.count > 8, "\(before)")
            let ofBob = try await scene.rows(of: Self.bob)

            let id = try await scene.store.erasures.request(of: Self.eve, by: "key:crm")
            #expect(try await scene.advance(id, untilItWaitsFor: "calls"))
            #expect(try await scene.count("select count(*) from tidings.notifications where recipient_id = \(Self.eve.id)") == 1)

            // The worker learns the outcome of its call. It is recorded, and then erased.
            let now = scene.store.clock.now()
            let sent = held.map { pack in
                PackSettlement(
                    pack,
                    pack.entries.map { entry in
                        Settlement(
                            entry, exit: .ended(.sent, .accepted), providerMessageID: "m",
                            attempt: AttemptRecord(outcome: "accepted", reason: .accepted, startedAt: now, finishedAt: now))
                    }, claimedAt: .distantPast, isLast: true)
            }
            try await scene.store.outbox.settle(sent, worker: "worker")
            try #require(try await scene.finish(id))
            #expect(try await scene.tables(with: Self.eve.id).isEmpty)
            #expect(try await scene.rows(of: Self.bob) == ofBob, "the other person keeps everything")
            #expect(try await scene.store.operations.audit().isEmpty)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
            let ends = try await scene.count(
                "select coalesce(sum(n), 0)::bigint from tidings.tally where kind = 'ended' and reason = 'recipientErased'")
            #expect(ends == 2, "the held and the queued delivery")

            let report = try #require(try await scene.store.erasures.row(id, tenant: "default"))
            #expect(report["state"]?.stringValue == "done" && report["requested_by"]?.stringValue == "key:crm")
            #expect(report["counts"]?["notifications"]?.intValue == 6 && report["counts"]?["deliveries_ended"]?.intValue == 2)
            #expect(report["counts"]?["rejected"]?.intValue == 1 && report["counts"]?["dead"]?.intValue == 1)
            #expect(report["counts"]?["engagement"]?.intValue == 1 && report["counts"]?["engagement_days"]?.intValue == 1)
            #expect(report["counts"]?["outgoing"]?.intValue == 1 && report["counts"]?["local_requests"]?.intValue == 2)
            #expect(try await scene.store.erasures.row(id, tenant: "acme") == nil)
            #expect(try await scene.store.erasures.isErased(Self.eve))
            #expect(try await !scene.store.erasures.isErased(Self.bob))
        }
    }

    /// The device of another person held a notification. Its app gets the whole plan, without the notification.
    @Test func aDeviceThatMovedForgetsThePlan() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.populate(Self.eve)
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            // The claimed delivery ends by its lease, which a releaser recovers.
            try await scene.store.upkeep.shiftClock(by: .seconds(120))
            #expect(try await scene.recover() == 1)
            try #require(try await scene.finish(id))
            let plan = try await scene.count(
                """
                select count(*) from tidings.local_plans
                where device_id = 'a device that moved' and version = 4 and forgotten_version = 4 and acked_version = 3
                """)
            #expect(plan == 1)
            #expect(try await scene.count("select count(*) from tidings.local_plans") == 1)
        }
    }

    /// A worker has taken the wake of a device before the request, and may be sending it until its lease ends.
    @Test func aWakeOfADeviceIsAwaited() async throws {
        try await StoreScene.with { scene in
            try await scene.addWakingDevice(of: Self.eve)
            #expect(try await scene.store.localPlans.takeWakes(limit: 9).count == 1)
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            #expect(try await scene.advance(id, untilItWaitsFor: "calls"))
            #expect(try await scene.store.erasures.row(id, tenant: nil)?["step"]?.stringValue == "devices")
            #expect(try await scene.count("select count(*) from tidings.endpoints") == 1)
            try await scene.store.upkeep.shiftClock(by: .seconds(Store.leaseSeconds))
            try #require(try await scene.finish(id))
            #expect(try await scene.tables(with: Self.eve.id).isEmpty)
        }
    }

    @Test func aSecondRequestGetsTheErasureThatRuns() async throws {
        try await StoreScene.with { scene in
            let ids = try await withThrowingTaskGroup(of: NotificationID.self) { group in
                // Two requests at the same time, both awaited here.
                for author in ["one", "two"] {
                    group.addTask { try await scene.store.erasures.request(of: Self.eve, by: author) }
                }
                var ids: Set<NotificationID> = []
                for try await id in group { ids.insert(id) }
                return ids
            }
            #expect(ids.count == 1)
            let first = try #require(ids.first)
            #expect(try await scene.store.erasures.request(of: Self.bob, by: "tests") != first)
            try #require(try await scene.finish(first))
            let second = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            #expect(second != first, "the first one is done")
            try #require(try await scene.finish(second))
            #expect(try await scene.count("select count(*) from tidings.erased_people") == 2)
        }
    }

    /// A router looked for the tombstone before it was set, and commits afterwards. The erasure waits for it.
    @Test func aTransactionThatSawNoTombstoneIsAwaited() async throws {
        try await StoreScene.with { scene in
            let (hasLooked, mayWrite) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
            let claims = scene.claims([StoreScene.intent(1, to: Self.eve)])
            try await withThrowingTaskGroup(of: Void.self) { group in
                // The transaction beside the erasure, awaited below.
                group.addTask {
                    _ = try await scene.store.intake { intake in
                        guard let claimed = try await intake.claim(claims, zones: scene.zones) else { return IntakeResult() }
                        hasLooked.continuation.finish()
                        for await _ in mayWrite.stream {}
                        var write = IntakeWrite(catalogue: scene.catalogue, refused: [], now: claimed.now)
                        for one in claimed.all {
                            #expect(!claimed.namesErased(one.intent))
                            write.accept(one, routed: StoreScene.routed(StoreScene.suppress(claimed.now), now: claimed.now))
                        }
                        return try await intake.write(write)
                    }
                }
                for await _ in hasLooked.stream {}
                let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
                #expect(try await scene.advance(id, untilItWaitsFor: "transactions"))
                for _ in 0..<5 { #expect(try await scene.store.erasures.advance() != .done(id)) }
                #expect(try await scene.store.erasures.row(id, tenant: nil)?["step"]?.stringValue == "transactions")
                mayWrite.continuation.finish()
                try await group.waitForAll()
                #expect(try await scene.count("select count(*) from tidings.notifications") == 1)
                try #require(try await scene.finish(id))
                #expect(try await scene.tables(with: Self.eve.id).isEmpty)
            }
        }
    }

    /// Another program on the same server holds a transaction open.
    @Test func aTransactionInAnotherDatabaseIsNotAwaited() async throws {
        try await StoreScene.with { other in
            let session = try await PostgresConnection.connect(PostgresConfiguration(url: other.system.databaseURL))
            _ = try await session.query("begin")
            _ = try await session.query("select pg_current_xact_id()")
            try await StoreScene.with { scene in
                let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
                #expect(try await scene.finish(id))
            }
            await session.close()
        }
    }

    /// One person is taken out of a message for several. A dead letter that comes after the erasure is searched when it is stored.
    @Test func refusedMessagesStayForTheOthers() async throws {
        try await StoreScene.with { scene in
            let (eve, bob) = (Self.eve.id, Self.bob.id)
            let shared = Array(#"[{"data":{"recipient":"\#(eve)"}},{"data":{"recipients":["\#(bob)","\#(eve)"]}}]"#.utf8)
            _ = try await scene.store.refused.keepDead(Self.dead(shared, "first"), state: "open")
            let broken = Array(#"{"broken": "\#(eve)""#.utf8)
            // A lenient reader found both people.
            let loose = Array("{'recipients': ['\(bob)', '\(eve)']}".utf8)
            let rows: [(raw: [UInt8], listed: [String], others: Bool)] = [
                (shared, [bob], true), (broken, [], true), (loose, [bob, eve], true), (shared, [bob], false),
            ]
            for (raw, listed, others) in rows {
                _ = try await scene.system.query(
                    """
                    insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, exchange, routing_key, headers, raw,
                        size, sha256, replayable, recipients, names_others)
                    values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '', 'm', 'e', 'k', '{}', \(raw),
                        \(Int32(raw.count)), '', true, \(listed), \(others))
                    """)
            }
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            try #require(try await scene.finish(id))
            let left = #"[{"data":{"recipients":["\#(bob)"]}}]"#
            #expect(try await scene.bytes(in: "dead") == [left])
            // The last row says that it lists everybody, so its bytes are not read.
            #expect(try await scene.bytes(in: "rejected") == [left, String(decoding: shared, as: UTF8.self)])
            let sizes = try await scene.count("select count(*) from tidings.rejected where size = octet_length(raw) and replayable")
            #expect(sizes == 2)

            let later = try await scene.store.refused.keepDead(Self.dead(shared, "later"), state: "open")
            try await scene.store.erasures.forgetErased(inDead: later.id)
            #expect(try await scene.bytes(in: "dead") == [left, left])
        }
    }

    /// A message that killed its readers is not read again: its row is deleted as a whole.
    @Test func aHarmfulMessageIsSearchedUnread() async throws {
        try await StoreScene.with { scene in
            let shared = Array(#"{"data":{"recipients":["\#(Self.bob.id)","\#(Self.eve.id)"]}}"#.utf8)
            let other = Array(#"{"data":{"recipient":"\#(Self.bob.id)"}}"#.utf8)
            for (body, state) in [(shared, "quarantined"), (shared, "trying"), (shared, "open"), (other, "quarantined")] {
                _ = try await scene.store.refused.keepDead(Self.dead(body, state), state: state)
            }
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            try #require(try await scene.finish(id))
            let rest = #"{"data":{"recipients":["\#(Self.bob.id)"]}}"#
            #expect(try await scene.bytes(in: "dead") == [rest, String(decoding: other, as: UTF8.self)])
        }
    }

    /// The API promised an id, and the router refused the event. The refusal is erased, and so is the promise.
    @Test func thePromiseOfARefusedEventIsErased() async throws {
        try await StoreScene.with { scene in
            let intent = StoreScene.intent(1, to: Self.eve)
            let answers = try await scene.store.reservations.reserve([ReservationRequest([intent])])
            guard case .reserved(let ids) = answers[0], let promised = ids.first else {
                Issue.record("\(answers)")
                return
            }
            _ = try await scene.system.query(
                """
                insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                    headers, raw, size, sha256, replayable, recipients)
                values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '', 'm', \(intent.intent.source),
                    \(intent.intent.id), 'e', 'k', '{}', '', 0, '', true, array[\(Self.eve.id)])
                """)
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            try #require(try await scene.finish(id))
            #expect(try await scene.tables(with: Self.eve.id).isEmpty)
            #expect(try await scene.store.reservations.notification(promised, tenant: "default")?.isErased == true)
            let counts = try await scene.store.erasures.row(id, tenant: nil)?["counts"]
            #expect(counts?["rejected"]?.intValue == 1 && counts?["reservations"]?.intValue == 1)
        }
    }

    @Test func tombstonesEndWithTheReplayHorizon() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            let retention = Duration.seconds(30 * 86_400)
            try await scene.store.upkeep.shiftClock(by: retention * 3)
            #expect(try await !scene.store.erasures.prune(retention: retention), "the erasure runs")
            try #require(try await scene.finish(id))
            #expect(try await scene.store.erasures.prune(retention: retention))
            #expect(try await !scene.store.erasures.isErased(Self.eve))
            #expect(try await scene.store.erasures.row(id, tenant: nil) != nil, "the proof is kept longer")
            try await scene.store.upkeep.shiftClock(by: Store.erasuresKept + .seconds(86_400))
            #expect(try await scene.store.erasures.prune(retention: retention))
            #expect(try await scene.store.erasures.row(id, tenant: nil) == nil)
        }
    }

    /// Pages are emptied by retention and filled again. A BRIN index would send each look through the whole table.
    @Test func oldIDsAreFoundByTheirTime() async throws {
        try await StoreScene.with { scene in
            let indexes = try await scene.count(
                "select count(*) from pg_indexes where tablename = 'erased_notifications' and indexdef like '%USING btree (erased_at)'")
            #expect(indexes == 1)
        }
    }

    /// An erasure whose turn fails is put off, and another one goes on.
    @Test func aFailureHoldsUpNoOther() async throws {
        try await StoreScene.with { scene in
            let broken = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            #expect(try await scene.failure(of: broken)?.cause.sqlState == "42P01")
            try await scene.store.erasures.postpone(broken, by: .seconds(3_600))
            #expect(try await scene.store.erasures.row(broken, tenant: nil)?["waits_for"]?.stringValue == "failed")
            let other = try await scene.store.erasures.request(of: Self.bob, by: "tests")
            try #require(try await scene.finish(other))
            try await scene.store.upkeep.shiftClock(by: .seconds(7_200))
            try #require(try await scene.finish(broken))
        }
    }

    private static func dead(_ body: [UInt8], _ key: String) -> DeadMessage {
        DeadMessage(
            queue: "q", reason: .poison, message: "m", deaths: 1, exchange: "e", routingKey: key, contentType: nil, headers: "{}",
            body: body)
    }
}

/// A module whose table was never made.
private struct AbsentModule: Projection {
    let name = "absent"
    let personalTables = [PersonalTable("absent", .deletesPerson(["recipient_id"]), personal: "recipient_id", other: "tenant")]

    func statements(for intents: [ProjectedIntent]) -> [SQL] { [] }
}

extension StoreScene {
    /// Runs turns with the absent module until one fails.
    fileprivate func failure(of erasure: NotificationID) async throws -> ErasureFailure? {
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline {
            do {
                switch try await store.erasures.advance(Projections([AbsentModule()])) {
                case .done: return nil
                case .working: continue
                case .waiting, .idle: try await passTime()
                }
            } catch let failure as ErasureFailure {
                return failure
            }
        }
        return nil
    }

    /// The number of rows of a person by table.
    fileprivate func rows(of person: RecipientKey) async throws -> [String] { try await tables(with: person.id) }

    fileprivate func bytes(in table: String) async throws -> [String] {
        try await system.query("select convert_from(raw, 'UTF8') from tidings.\(unsafe: table) order by id").rows.map {
            try $0.decode(String.self)
        }
    }
}
