import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The ids that producers over HTTP get before a router has decided.
@Suite struct ReservationTests {
    @Test func aRepeatedRequestGetsTheSameIDs() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.reserve([1, 2])
            #expect(Set(first).count == 2)
            #expect(try await scene.reserve([2, 3, 1]).dropFirst(2) == first.prefix(1))
            #expect(try await scene.count("select count(*) from tidings.reservations") == 3)
        }
    }

    /// The router makes the notification with the reserved id, also when the broker delivers the message again.
    @Test func theReservedIDBecomesTheNotification() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1, 2])
            let message = zip([1, 2], ids).map { StoreScene.intent($0, reserved: $1) }
            #expect(try await scene.take(scene.claims(message)).accepted == 2)
            let made = try await scene.count(
                "select count(*) from tidings.notifications where id = any(\(ids.map(\.description))::text[]::uuid[])")
            #expect(made == 2)

            let again = try await scene.take(scene.claims(message))
            #expect(again.accepted == 0 && again.duplicates == 2 && again.packs.isEmpty)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// A message that was committed before comes again, in a batch with new intents. The same ids do not mean that this batch was committed.
    @Test func aRedeliveryTakesNoNewIntentWithIt() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.take(scene.claims([StoreScene.intent(1, reserved: id)]))
            let batch = try await scene.take(
                scene.claims([StoreScene.intent(1, reserved: id), StoreScene.intent(2), StoreScene.intent(3)]))
            #expect(batch.accepted == 2 && batch.duplicates == 1 && batch.packs.flatMap(\.entries).count == 2)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 3)
        }
    }

    /// The same event came over AMQP first. Its notification has an id of its own, which a later request gets.
    @Test func anAcceptedEventKeepsItsID() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1)
            let id = try await scene.reserve([1])[0]
            #expect(try await scene.count("select count(*) from tidings.notifications where id = \(id.description)::text::uuid") == 1)
        }
    }

    @Test func otherContentIsAConflictAndLeavesNothing() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            let named = NamedRequest(caller: "k", key: "order", fingerprint: [1])
            let answer = try await scene.store.reservations.reserve([
                ReservationRequest([StoreScene.intent(2), StoreScene.intent(1, content: 9)], named: named)
            ])
            #expect(answer == [.conflict(position: 1, existing: id)])
            #expect(try await scene.count("select count(*) from tidings.reservations") == 1)
            #expect(try await scene.count("select count(*) from tidings.idempotent_requests") == 0)
            // So the first event of the refused request may come with other content.
            let corrected = try await scene.store.reservations.reserve([ReservationRequest([StoreScene.intent(2, content: 9)])])
            guard case .reserved = corrected[0] else {
                Issue.record("\(corrected)")
                return
            }
        }
    }

    @Test func aNameIsForOneRequest() async throws {
        try await StoreScene.with { scene in
            func ask(_ keys: [Int], caller: String = "k", fingerprint: UInt8) async throws -> ReservationAnswer {
                let named = NamedRequest(caller: caller, key: "order-7", fingerprint: [fingerprint])
                return try await scene.store.reservations.reserve([ReservationRequest(keys.map { StoreScene.intent($0) }, named: named)])[0]
            }
            let first = try await ask([1], fingerprint: 1)
            #expect(try await ask([1], fingerprint: 1) == first)
            #expect(try await ask([2], fingerprint: 2) == .nameReused)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 1)
            guard case .reserved = try await ask([2], caller: "other", fingerprint: 2) else {
                Issue.record("the name of another key is another request")
                return
            }
        }
    }

    /// Meanwhile one of the events came another way, and is decided under another id. The caller still gets the ids of the first answer.
    @Test func aNamedRequestGetsItsFirstAnswerAgain() async throws {
        try await StoreScene.with { scene in
            let named = NamedRequest(caller: "k", key: "order-8", fingerprint: [1])
            #expect(try await scene.store.reservations.earlierAnswer(to: named) == nil)
            let request = ReservationRequest([StoreScene.intent(1), StoreScene.intent(2)], named: named)
            let first = try await scene.store.reservations.reserve([request])[0]
            guard case .reserved(let ids) = first else {
                Issue.record("\(first)")
                return
            }
            let undecided = try #require(try await scene.store.reservations.earlierAnswer(to: named))
            #expect(undecided.ids == ids && !undecided.isDecided)
            try await scene.take(1...1)
            #expect(try await scene.reserve([1]) != [ids[0]])
            #expect(try await scene.store.reservations.reserve([request, ReservationRequest([StoreScene.intent(3)]), request])[2] == first)
            #expect(try await scene.store.reservations.earlierAnswer(to: named)?.isDecided == false)
            try await scene.take(scene.claims([StoreScene.intent(2, reserved: ids[1])]))
            #expect(try await scene.store.reservations.earlierAnswer(to: named)?.isDecided == true)
            // Another body, and another caller.
            for other in [
                NamedRequest(caller: "k", key: "order-8", fingerprint: [2]), NamedRequest(caller: "l", key: "order-8", fingerprint: [1]),
            ] {
                #expect(try await scene.store.reservations.earlierAnswer(to: other) == nil)
            }
            #expect(try await scene.count("select count(*) from tidings.idempotent_requests") == 1)
        }
    }

    /// Requests of one transaction: the same event twice, a conflict between them, and a name that is reused.
    @Test func requestsOfOneTransactionAreAnsweredEach() async throws {
        try await StoreScene.with { scene in
            func named(_ fingerprint: UInt8) -> NamedRequest { NamedRequest(caller: "k", key: "n", fingerprint: [fingerprint]) }
            let answers = try await scene.store.reservations.reserve([
                ReservationRequest([StoreScene.intent(1)]), ReservationRequest([StoreScene.intent(1)]),
                ReservationRequest([StoreScene.intent(1, content: 9), StoreScene.intent(4)]),
                ReservationRequest([StoreScene.intent(2)], named: named(1)), ReservationRequest([StoreScene.intent(3)], named: named(2)),
            ])
            guard case .reserved(let ids) = answers[0] else {
                Issue.record("\(answers)")
                return
            }
            #expect(answers[1] == .reserved(ids))
            #expect(answers[2] == .conflict(position: 0, existing: ids[0]))
            #expect(answers[4] == .nameReused)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 2)
        }
    }

    /// Concurrent requests for the same events in different orders agree, and none of them deadlocks.
    @Test func concurrentRequestsAgree() async throws {
        try await StoreScene.with { scene in
            let answers = try await withThrowingTaskGroup(of: [NotificationID].self) { group in
                // Eight requests at once, which is the point of the test.
                for turn in 0..<8 {
                    group.addTask { try await scene.reserve(turn.isMultiple(of: 2) ? Array(1...50) : (1...50).reversed()) }
                }
                return try await group.reduce(into: Set<Set<NotificationID>>()) { $0.insert(Set($1)) }
            }
            #expect(answers.count == 1)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 50)
        }
    }

    /// Retention deletes a reservation when its notification has the id. It keeps one that is another name as long as the key, and one whose
    /// event was refused as long as the refused event.
    @Test func retentionKeepsTheIDsThatOnlyAReservationKnows() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1, 2, 3])
            try await scene.take(scene.claims([StoreScene.intent(1, reserved: ids[0]), StoreScene.intent(2)]))
            #expect(try await scene.store.reservations.prune(after: nil, retention: .seconds(90 * 86_400))?.last == nil)

            try await scene.store.upkeep.shiftClock(by: .seconds(3 * 86_400))
            let step = try #require(try await scene.store.reservations.prune(after: nil, retention: .seconds(90 * 86_400)))
            #expect(step.last == ids.max() && step.deleted == 1)
            #expect(try await scene.store.reservations.prune(after: step.last, retention: .seconds(90 * 86_400))?.last == nil)
            #expect(try await scene.count("select count(*) from tidings.reservations where id = \(ids[0].description)::text::uuid") == 0)

            // An operator has not closed the refusal, and may still replay the event.
            _ = try await scene.system.query(
                """
                insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                    headers, raw, size, sha256, replayable, producer)
                select gen_random_uuid(), reserved_at, reserved_at, 'malformed', '', 'wrong', source, event_id, 'e', 'k', '{}', '', 1, '',
                    true, 'key:shop' from tidings.reservations where id = \(ids[2].description)::text::uuid
                """)
            #expect(try await scene.store.reservations.prune(after: nil, retention: .seconds(2 * 86_400))?.deleted == 0)
            let refused = try #require(try await scene.store.reservations.notification(ids[2], tenant: nil))
            #expect(refused.promise?.state == .rejected)
            _ = try await scene.system.query("delete from tidings.rejected")
            #expect(try await scene.store.reservations.prune(after: nil, retention: .seconds(2 * 86_400))?.deleted == 1)
            #expect(try await scene.store.reservations.notification(ids[2], tenant: nil) == nil)
            #expect(try await scene.store.reservations.notification(ids[1], tenant: nil) != nil)
            #expect(try await scene.store.reservations.prune(after: nil, retention: .seconds(86_400))?.deleted == 1)
            _ = try await scene.store.reservations.reserve([
                ReservationRequest([StoreScene.intent(9)], named: NamedRequest(caller: "k", key: "n", fingerprint: [1]))
            ])
            #expect(try await scene.store.reservations.pruneNames() == false)
            try await scene.store.upkeep.shiftClock(by: .seconds(5 * 86_400))
            #expect(try await scene.store.reservations.pruneNames())
        }
    }
}

extension StoreScene {
    /// Reserves the ids of the intents with these keys in one request.
    func reserve(_ keys: some Sequence<Int>) async throws -> [NotificationID] {
        let answers = try await store.reservations.reserve([ReservationRequest(keys.map { Self.intent($0) })])
        guard case .reserved(let ids) = answers[0] else { throw UnexpectedAnswer(answer: answers[0]) }
        return ids
    }

    static func intent(_ key: Int, reserved id: NotificationID) -> DecodedIntent {
        var intent = intent(key)
        intent.reservedID = id
        return intent
    }
}

private struct UnexpectedAnswer: Error {
    let answer: ReservationAnswer
}
