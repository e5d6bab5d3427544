import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A person's inbox over HTTP, from the intent of a producer to the last change of the person.
@Suite struct InboxOverHTTPTests {
    private static func event(_ id: String, to person: String, type: String = "LOAN_APPROVED", title: String = "Approved") -> String {
        """
        {"specversion":"1.0","id":"\(id)","source":"/bank","type":"\(type)",\
        "data":{"recipient":"\(person)","title":"\(title)","body":"Yes","data":{"loan":17,"note":"ok"}}}
        """
    }

    @Test func anIntentOverHTTPBecomesAnItemThatItsPersonReads() async throws {
        try await withAPI { api in
            let producer = try await api.key("intents:write", "notifications:read", "notifications:cancel")
            let sent = try await api.ask(
                "POST", "/v1/intents", authorization: producer, body: Self.event("e-1", to: "ada"), type: "application/cloudevents+json")
            #expect(sent.status == 202, "\(sent.text)")
            let id = try #require(sent.json["notifications"]?.arrayValue?.first?["id"]?.stringValue)

            // The id of a 202 is never unknown, also before a router has decided.
            let early = try await api.ask("GET", "/v1/notifications/\(id)", authorization: producer)
            #expect(early.status == 200, "\(early.text)")
            let isListed = try await eventually {
                try await api.ask("ada", "GET", "/api/notifications").json["total"]?.intValue == 1
            }
            #expect(isListed)
            let list = try await api.ask("ada", "GET", "/api/notifications").json
            let item = try #require(list["notifications"]?.arrayValue?.first)
            #expect(item["id"]?.stringValue == id)
            #expect(item["icon"] == "checkmark.circle.fill" && item["color"] == "green" && item["isRead"] == false)
            #expect(item["data"] == ["loan": "17", "note": "ok"])
            #expect(list["unreadCount"] == 1 && list["limit"] == 20 && list["offset"] == 0)

            let read = try await api.ask("ada", "PATCH", "/api/notifications/\(id)/read")
            #expect(read.json["notification"]?["isRead"] == true && read.json["unreadCount"] == 0, "\(read.text)")
            #expect(try await api.ask("ada", "PATCH", "/api/notifications/\(id)/read").status == 200)
            // The item of another person and an unknown item are answered alike.
            for person in ["bob"] {
                let foreign = try await api.ask(person, "PATCH", "/api/notifications/\(id)/read")
                #expect(foreign.status == 404 && foreign.problem == "not-found")
            }
            #expect(try await api.ask("ada", "GET", "/api/notifications/no-id").status == 404)
            let gone = try await api.ask("ada", "DELETE", "/api/notifications/\(id)")
            #expect(gone.status == 200 && gone.json["total"] == 0, "\(gone.text)")
            #expect(try await api.ask("ada", "POST", "/api/notifications/\(id)/undo").json["notification"]?["id"]?.stringValue == id)

            let why = try await api.ask("GET", "/v1/notifications/\(id)", authorization: producer).json
            #expect(why["notification"]?["recipient_id"] == "ada", "\(why)")
            let cancel = try await api.ask("POST", "/v1/notifications/\(id)/cancel", authorization: producer)
            #expect(cancel.json["results"]?.arrayValue?.allSatisfy { $0["result"] == "ended" } == true, "\(cancel.text)")
        }
    }

    @Test func badIntentsAreRefusedBeforeAnythingIsPublished() async throws {
        try await withAPI { api in
            let producer = try await api.key("intents:write")
            func send(_ body: String, type: String = "application/cloudevents+json", key: String? = nil) async throws -> APIScene.Answer {
                try await api.ask(
                    "POST", "/v1/intents", authorization: producer, headers: key.map { [("idempotency-key", $0)] } ?? [], body: body,
                    type: type)
            }
            #expect(try await send("{").status == 400)
            #expect(try await send("x", type: "text/plain").status == 415)
            let unknown = try await send(Self.event("e", to: "ada", type: "NO_SUCH"))
            #expect(unknown.status == 422 && unknown.json["errors"]?.arrayValue?.first?["pointer"] == "/type", "\(unknown.text)")
            let batch = try await send(
                "[\(Self.event("e", to: "ada")),\(Self.event("f", to: ""))]", type: "application/cloudevents-batch+json")
            #expect(batch.status == 422, "\(batch.text)")
            #expect(batch.json["errors"]?.arrayValue?.first?["pointer"]?.stringValue?.hasPrefix("/1/") == true, "\(batch.text)")

            let first = try await send(Self.event("e-9", to: "ada"), key: "\"name-1\"")
            let again = try await send(Self.event("e-9", to: "ada"), key: "name-1")
            #expect(first.status == 202 && again.json == first.json, "\(first.text) \(again.text)")
            let reused = try await send(Self.event("e-10", to: "ada"), key: "name-1")
            #expect(reused.status == 422 && reused.problem == "idempotency-reuse", "\(reused.text)")
            #expect(try await send(Self.event("e-12", to: "ada"), key: "two words").problem == "invalid")
            let twice = try await api.ask(
                "POST", "/v1/intents", authorization: producer, headers: [("idempotency-key", "a"), ("idempotency-key", "b")],
                body: Self.event("e-12", to: "ada"), type: "application/cloudevents+json")
            #expect(twice.json["errors"]?.arrayValue?.first?["parameter"] == "Idempotency-Key", "\(twice.text)")
            let conflict = try await send(Self.event("e-9", to: "ada", title: "Other"))
            #expect(conflict.status == 409 && conflict.problem == "idempotency-conflict", "\(conflict.text)")

            // CloudEvents: an empty batch is valid in a request.
            for key in [nil, "empty", "empty"] {
                let empty = try await send("[]", type: "application/cloudevents-batch+json; charset=UTF-8", key: key)
                #expect(empty.status == 202 && empty.json == ["notifications": []], "\(empty.text)")
            }
            #expect(try await send(Self.event("e-11", to: "ada"), key: "empty").problem == "idempotency-reuse")
        }
    }

    @Test func aStreamTellsOfNewItemsAndOfChangesElsewhere() async throws {
        try await withAPI { api in
            let stream = try StreamReader(api, person: "ada")
            #expect(try await stream.next("inbox")?["unreadCount"] == 0)
            await api.pipeline.publish(pipelineEvent("s-1", to: "ada"))
            let arrival = try #require(try await stream.next("inbox"))
            #expect(arrival["unreadCount"] == 1 && arrival["new"]?.arrayValue?.count == 1, "\(arrival)")
            let id = try #require(arrival["newest"]?.stringValue)
            _ = try await api.ask("ada", "PATCH", "/api/notifications/\(id)/read")
            let change = try #require(try await stream.next("inbox"))
            #expect(change["unreadCount"] == 0 && change["changed"] == [.string(id)], "\(change)")

            // A stop tells the stream to reconnect later, and ends it.
            api.pipeline.roles.signal(SIGTERM)
            #expect(try await stream.next("bye") != nil)
            let result = await api.pipeline.roles.finish()
            #expect(result.exitCode == 0, "\(result.errors.suffix(2_000))")
        }
    }

    /// An intent that was held arrives above those that came meanwhile. A bound that the person saw before takes nothing of it.
    @Test func aHeldIntentArrivesOnTop() async throws {
        try await withAPI { api in
            func list() async throws -> [JSON] {
                try await api.ask("ada", "GET", "/api/notifications?cursor=").json["notifications"]?.arrayValue ?? []
            }
            let due = ISO8601DateFormatter().string(from: Date().addingTimeInterval(4))
            let held = Self.event("h-1", to: "ada").replacing(#""title":"#, with: #""scheduledFor":"\#(due)","title":"#)
            await api.pipeline.publish(Array(held.utf8))
            await api.pipeline.publish(pipelineEvent("h-2", to: "ada"))
            #expect(try await eventually { try await list().count == 1 })
            let seen = try #require(try await list().first)
            #expect(try await eventually { try await list().count == 2 })
            let items = try await list()
            #expect(items.last?["id"] == seen["id"] && items.first?["scheduledFor"]?.isNull == false, "\(items)")

            let bound = try #require(seen["position"]?.intValue)
            let read = try await api.ask("ada", "PATCH", "/api/notifications/read-all?before=\(bound)")
            #expect(read.json == ["updated": 1, "unreadCount": 1], "\(read.text)")
            let id = try #require(seen["id"]?.stringValue)
            #expect(try await api.ask("ada", "DELETE", "/api/notifications?before=\(id)").json == ["removed": 1, "unreadCount": 1])
            #expect(try await api.ask("bob", "DELETE", "/api/notifications?before=\(id)").problem == "not-found")
            for wrong in ["", "-1", "1.5", "9999999999999999999"] {
                #expect(try await api.ask("ada", "DELETE", "/api/notifications?before=\(wrong)").problem == "invalid", "\(wrong)")
            }
        }
    }

    @Test func snoozedItemsAreListedAndWoken() async throws {
        try await withAPI { api in
            for number in 1...2 { await api.pipeline.publish(pipelineEvent("z-\(number)", to: "ada")) }
            #expect(try await eventually { try await api.ask("ada", "GET", "/api/notifications").json["total"] == 2 })
            let items = try await api.ask("ada", "GET", "/api/notifications").json["notifications"]?.arrayValue ?? []
            let oldest = try #require(items.last?["id"]?.stringValue)
            let until = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3_600))
            _ = try await api.ask("ada", "POST", "/api/notifications/\(oldest)/snooze", body: #"{"until":"\#(until)"}"#)
            for query in ["", "&cursor="] {
                let snoozed = try await api.ask("ada", "GET", "/api/notifications?snoozed=true\(query)").json
                #expect(snoozed["total"] == 1 && snoozed["unreadCount"] == 1, "\(snoozed)")
                #expect(snoozed["notifications"]?.arrayValue?.map { $0["id"]?.stringValue } == [oldest], "\(snoozed)")
            }
            #expect(try await api.ask("ada", "GET", "/api/notifications?snoozed=yes").problem == "invalid")
            #expect(try await api.ask("ada", "GET", "/api/notifications?cursor=AQGiEaQxjHYQpuBEgFrxRaA").problem == "invalid")
            let woken = try await api.ask("ada", "POST", "/api/notifications/\(oldest)/wake")
            #expect(woken.json["unreadCount"] == 2 && woken.json["notification"]?["snoozedUntil"]?.isNull == true, "\(woken.text)")
            let list = try await api.ask("ada", "GET", "/api/notifications").json["notifications"]?.arrayValue
            #expect(list?.first?["id"]?.stringValue == oldest)
            #expect(try await api.ask("bob", "POST", "/api/notifications/\(oldest)/wake").status == 404)
        }
    }

    /// A releaser ends the snooze, and the stream of the person hears of the arrival.
    @Test func aSnoozedItemComesBackAndIsTold() async throws {
        try await withAPI { api in
            await api.pipeline.publish(pipelineEvent("n-1", to: "ada"))
            _ = try await api.pipeline.outcome(of: "n-1")
            let stream = try StreamReader(api, person: "ada")
            let id = try #require(try await stream.next("inbox")?["newest"]?.stringValue)
            let until = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3))
            let snoozed = try await api.ask("ada", "POST", "/api/notifications/\(id)/snooze", body: #"{"until":"\#(until)"}"#)
            #expect(snoozed.json["unreadCount"] == 0, "\(snoozed.text)")
            #expect(snoozed.json["notification"]?["snoozedUntil"]?.stringValue?.hasPrefix(until.dropLast()) == true, "\(snoozed.text)")
            #expect(try await stream.next("inbox")?["total"] == 0)
            let back = try #require(try await stream.next("inbox"))
            #expect(back["total"] == 1 && back["new"] == [.string(id)] && back["newest"] == .string(id), "\(back)")
        }
    }

    /// Two chores of the releaser wait for their tables, each up to the limit of a statement of 30 s. A snooze ends meanwhile.
    @Test func noChoreDelaysTheEndOfASnooze() async throws {
        try await withAPI { api in
            await api.pipeline.publish(pipelineEvent("w-1", to: "ada"))
            _ = try await api.pipeline.outcome(of: "w-1")
            let stream = try StreamReader(api, person: "ada")
            let id = try #require(try await stream.next("inbox")?["newest"]?.stringValue)
            let blocker = try await PostgresConnection.connect(PostgresConfiguration(url: api.pipeline.system.databaseURL))
            try await blocker.execute(script: "begin; lock table tidings.tally, tidings.engagement_tally in access exclusive mode")
            // The chores begin a round at most 5 s later, and hang before the snooze ends.
            let until = ISO8601DateFormatter().string(from: Date().addingTimeInterval(7))
            _ = try await api.ask("ada", "POST", "/api/notifications/\(id)/snooze", body: #"{"until":"\#(until)"}"#)
            #expect(try await stream.next("inbox")?["total"] == 0)
            let names = try await withoutPlace { await stream.names(untilHeartbeats: 3) }
            #expect(names == ["inbox"])
            #expect(try await api.ask("ada", "GET", "/api/notifications").json["total"] == 1)
            try await blocker.execute(script: "rollback")
            await blocker.close()
        }
    }

    private func pipelineEvent(_ id: String, to person: String) -> [UInt8] { Array(Self.event(id, to: person).utf8) }
}
