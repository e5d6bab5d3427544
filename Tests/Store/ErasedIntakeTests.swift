import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Intents and refused events that arrive after their person was erased.
@Suite struct ErasedIntakeTests {
    @Test func anIntentOfAnErasedPersonIsDropped() async throws {
        try await StoreScene.with { scene in
            try await scene.bury(StoreScene.person("person-1"))
            let result = try await scene.take(1...2)
            #expect(result.accepted == 1 && result.erased == 1 && result.rejected == 0 && result.packs.flatMap(\.entries).count == 1)
            #expect(try await scene.count("select count(*) from tidings.notifications where recipient_id = 'person-1'") == 0)
            #expect(try await scene.count("select count(*) from tidings.notifications where event_id = 'event-1'") == 0)
            #expect(try await scene.count("select count(*) from tidings.rejected") == 0)
            #expect(try await scene.count("select count(*) from tidings.erased_notifications") == 1)

            let again = try await scene.take(1...2)
            #expect(again.duplicates == 2 && again.erased == 0, "its key is claimed")
            #expect(try await scene.count("select count(*) from tidings.erased_notifications") == 1)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
            let counted = try await scene.count(
                "select coalesce(sum(n), 0)::bigint from tidings.tally where kind = 'rejected' and reason = 'recipientErased'")
            #expect(counted == 1)
        }
    }

    @Test func aPersonIsATenantAndBytes() async throws {
        try await StoreScene.with { scene in
            for person in [RecipientKey(tenant: "acme", id: "person-1"), StoreScene.person("person-11"), StoreScene.person("Person-1")] {
                try await scene.bury(person)
            }
            let composed = Self.intent(2, of: "caf\u{E9}")
            try await scene.bury(StoreScene.person("cafe\u{301}"))
            let result = try await scene.take(scene.claims([StoreScene.intent(1), composed]))
            #expect(result.accepted == 2 && result.erased == 0)
        }
    }

    /// The API promised the id before the person was erased. Nothing of the event stays, and the answer to its producer is true.
    @Test func aPromiseTellsThatThePersonIsErased() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.bury(StoreScene.person("person-1"))
            #expect(try await scene.take(scene.claims([StoreScene.intent(1, reserved: id)])).erased == 1)
            let promise = try #require(try await scene.store.reservations.notification(id, tenant: "default")?.promise)
            #expect(promise.state == .erased && promise.reasonCode == "recipientErased" && promise.idempotencyKey == nil)
            #expect(try await scene.store.reservations.notification(id, tenant: "acme") == nil)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 0)
            let found = try await scene.store.operations.find("\(id)")
            #expect(found.count == 1 && found.first?.kind == .erased)

            // The same request again. Its promise leads to the same answer, and ends with its message.
            let second = try await scene.reserve([1])[0]
            #expect(second == id)
            #expect(try await scene.store.reservations.notification(id, tenant: "default")?.isErased == true)
            #expect(try await scene.take(scene.claims([StoreScene.intent(1, reserved: id)])).duplicates == 1)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 0)
        }
    }

    @Test func aRefusedEventIsKeptWithoutTheErasedPerson() async throws {
        try await StoreScene.with { scene in
            try await scene.bury(StoreScene.person("eve"))
            let shared = #"{"id":"e-1","data":{"recipients":["eve","bob"],"title":"T"}}"#
            let own = #"{"id":"e-2","data":{"recipient":"eve"}}"#
            let foreign = #"{"id":"e-3","data":{"recipient":"eve","tenant":"acme"}}"#
            let refused = [
                Self.refused(shared, people: ["eve", "bob"], message: "eve is not allowed"), Self.refused(own, people: ["eve"]),
                Self.refused(foreign, people: ["eve"], tenant: "acme"),
            ]
            let result = try await scene.refuse(refused)
            #expect(result.rejected == 3, "each is counted")
            let rows = try await scene.system.query(
                "select recipients, convert_from(raw, 'UTF8'), message, size from tidings.rejected order by recipients"
            ).rows.map { try $0.decode(([String], String, String, Int32).self) }
            #expect(rows.map(\.0) == [["bob"], ["eve"]])
            #expect(rows.first?.1 == #"{"id":"e-1","data":{"recipients":["bob"],"title":"T"}}"#)
            #expect(rows.first?.2 == ReasonCode.unknownType.meaning && rows.first.map { Int($0.3) } == rows.first?.1.utf8.count)
            #expect(rows.last?.1 == foreign, "the person of another tenant is another person")
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// The API promised an id, and the router refuses the event after the erasure. Without its refusal, the promise would stay open.
    @Test func thePromiseOfARefusedEventTellsThatThePersonIsErased() async throws {
        try await StoreScene.with { scene in
            let intent = StoreScene.intent(1, to: StoreScene.person("eve"))
            let answers = try await scene.store.reservations.reserve([ReservationRequest([intent])])
            guard case .reserved(let ids) = answers[0], let id = ids.first else {
                Issue.record("\(answers)")
                return
            }
            try await scene.bury(StoreScene.person("eve"))
            var event = Self.refused(#"{"data":{"recipients":["bob","eve"]}}"#, people: ["bob", "eve"])
            event.rejection.eventID = intent.intent.id
            try await scene.refuse([event])
            #expect(try await scene.store.reservations.notification(id, tenant: "default")?.isErased == true)
            #expect(try await scene.count("select count(*) from tidings.reservations") == 0)
            #expect(try await scene.count("select count(*) from tidings.rejected where recipients = array['bob']") == 1)
        }
    }

    /// A refusal of one recipient keeps the bytes of the whole event, which name the other recipients too.
    @Test func theBytesOfAConflictAreSearched() async throws {
        try await StoreScene.with { scene in
            try await scene.bury(StoreScene.person("eve"))
            var event = Self.refused(#"{"data":{"recipients":["bob","eve"]}}"#, people: ["bob"])
            event.rejection.mayNameOthers = true
            #expect(event.people == [StoreScene.person("bob"), StoreScene.person("eve")])
            try await scene.refuse([event])
            let kept = try await scene.count(
                "select count(*) from tidings.rejected where position('eve'::bytea in raw) = 0 and names_others")
            #expect(kept == 1)
        }
    }

    private static func intent(_ key: Int, of recipient: String) -> DecodedIntent {
        var decoded = StoreScene.intent(key)
        decoded.intent.recipient = recipient
        return decoded
    }

    private static func refused(
        _ event: String, people: [String], tenant: String? = nil, message: String = "no such type"
    ) -> RefusedEvent {
        let raw = Array(event.utf8)
        var rejection = Rejection(
            reason: .unknownType, pointer: "/type", message: message, source: "/tests", eventID: "e", type: "t", tenant: tenant, raw: raw,
            contentType: "application/cloudevents+json", size: raw.count, sha256: raw, isReplayable: true)
        rejection.recipientIDs = people
        return RefusedEvent(rejection: rejection, exchange: "e", routingKey: "k", headers: "{}")
    }
}

extension StoreScene {
    /// Keeps refused events as a router does.
    @discardableResult
    fileprivate func refuse(_ events: [RefusedEvent]) async throws -> IntakeResult {
        let named: Set<RecipientKey> = events.reduce(into: []) { $0.formUnion($1.people) }
        return try await store.intake { intake in
            guard let claimed = try await intake.claim(claims([]), zones: zones, naming: named) else { return IntakeResult() }
            return try await intake.write(IntakeWrite(catalogue: catalogue, refused: events, erased: claimed.erased, now: claimed.now))
        }
    }
}
