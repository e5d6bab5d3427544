import Foundation
import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The stream of a person tells every change, whichever process made it and whatever became of its signal.
@Suite struct StreamNewsTests {
    /// The API looks for changes every 30 s. Three heartbeats take 30 to 45 s, so a look falls between them.
    @Test func aStreamIsToldOfChangesOnly() async throws {
        try await withAPI { api in
            let ids = try await Self.deliver(2, in: api)
            let stream = try StreamReader(api, person: "ada")
            #expect(try await stream.next("inbox")?["total"] == 2)
            try await withoutPlace {
                #expect(await stream.names(untilHeartbeats: 3) == [])
                // Changes without a signal. The counts before and after are the same.
                try await Self.withStore(of: api) { store in
                    _ = try await store.inbox.mark(.read, notification: ids[0], of: Self.ada)
                    _ = try await store.inbox.mark(.dismiss, notification: ids[1], of: Self.ada)
                    _ = try await store.inbox.mark(.unread, notification: ids[1], of: Self.ada)
                    _ = try await store.inbox.mark(.unread, notification: ids[0], of: Self.ada)
                }
                let change = try #require(try await stream.next("inbox"))
                #expect(change["unreadCount"] == 2 && change["reset"] == false && change["new"] == [], "\(change)")
                #expect(Self.names(change["changed"]) == Set(ids), "\(change)")
                #expect(await stream.names(untilHeartbeats: 1) == [])
            }
        }
    }

    @Test func aClientThatReconnectsHearsOfEverythingElsewhere() async throws {
        try await withAPI { api in
            let ids = try await Self.deliver(3, in: api)
            let last = try await Self.readOnce(api)
            _ = try await api.ask("ada", "PATCH", "/api/notifications/\(ids[0])/read")
            _ = try await api.ask("ada", "DELETE", "/api/notifications/\(ids[1])")
            await api.pipeline.publish(event(id: "another", to: "ada"))
            #expect(try await eventually { try await api.ask("ada", "GET", "/api/notifications").json["total"] == 3 })
            let arrival = try #require(
                try await api.ask("ada", "GET", "/api/notifications").json["notifications"]?.arrayValue?.first?["id"]?.stringValue)

            let stream = try StreamReader(api, person: "ada", lastEventID: last)
            let first = try #require(try await stream.next("inbox"))
            #expect(first["new"] == [.string(arrival)] && first["newest"] == .string(arrival) && first["reset"] == false, "\(first)")
            #expect(Self.names(first["changed"]) == Set(ids[0...1]), "\(first)")
            // Nothing is told twice.
            let told = try #require(stream.lastEventID)
            let again = try StreamReader(api, person: "ada", lastEventID: told)
            let nothing = try #require(try await again.next("inbox"))
            #expect(nothing["new"] == [] && nothing["changed"] == [] && nothing["reset"] == false, "\(nothing)")
            let names = try await withoutPlace { await again.names(untilHeartbeats: 1) }
            #expect(names == [])
        }
    }

    /// A page names the position from which a stream goes on. The id of an item does so too, until the item has moved.
    @Test func aStreamGoesOnFromAPageOrAnItem() async throws {
        try await withAPI { api in
            let ids = try await Self.deliver(2, in: api)
            let page = try await api.ask("ada", "GET", "/api/notifications?cursor=").json
            let position = try #require(page["position"]?.intValue)
            _ = try await api.ask("ada", "PATCH", "/api/notifications/\(ids[0])/seen")
            for (known, isReset) in [("\(position)", false), (ids[1].description, false), ("yesterday", true), ("\(position + 99)", true)] {
                let first = try #require(try await StreamReader(api, person: "ada", lastEventID: known).next("inbox"), "\(known)")
                #expect(first["reset"]?.boolValue == isReset, "\(known): \(first)")
                if !isReset { #expect(Self.names(first["changed"]) == [ids[0]] && first["new"] == [], "\(known): \(first)") }
            }
            let until = ISO8601DateFormatter().string(from: Date().addingTimeInterval(3_600))
            _ = try await api.ask("ada", "POST", "/api/notifications/\(ids[1])/snooze", body: #"{"until":"\#(until)"}"#)
            _ = try await api.ask("ada", "POST", "/api/notifications/\(ids[1])/wake")
            let moved = try #require(try await StreamReader(api, person: "ada", lastEventID: ids[1].description).next("inbox"))
            #expect(moved["reset"] == true, "\(moved)")
        }
    }

    /// An event names 50 changed items. One more makes it a reset, for an open stream and for one that reconnects.
    @Test func changesBeyondTheNamesOfAnEventAreAReset() async throws {
        try await withAPI { api in
            _ = try await Self.deliver(Self.mostNamed, in: api)
            let stream = try StreamReader(api, person: "ada")
            #expect(try await stream.next("inbox")?["unreadCount"]?.intValue == Self.mostNamed)
            _ = try await api.ask("ada", "PATCH", "/api/notifications/read-all")
            let complete = try #require(try await stream.next("inbox"))
            #expect(complete["reset"] == false && Self.names(complete["changed"]).count == Self.mostNamed, "\(complete)")
            let last = try #require(stream.lastEventID)

            _ = try await Self.deliver(1, in: api, from: Self.mostNamed)
            #expect(try await stream.next("inbox")?["total"]?.intValue == Self.mostNamed + 1)
            _ = try await api.ask("ada", "DELETE", "/api/notifications")
            let cut = try #require(try await stream.next("inbox"))
            #expect(cut["reset"] == true && cut["total"] == 0, "\(cut)")
            #expect(try await StreamReader(api, person: "ada", lastEventID: last).next("inbox")?["reset"] == true)
        }
    }

    // MARK: Scene

    private static let ada = RecipientKey(tenant: "default", id: "ada")
    /// As the document says (`maxItems` of `changed`).
    private static let mostNamed = 50

    /// Delivers notifications to Ada, who has some already, and returns their ids in the order of arrival.
    private static func deliver(_ count: Int, in api: APIScene, from first: Int = 0) async throws -> [NotificationID] {
        for number in first..<first + count { await api.pipeline.publish(event(id: "s-\(number)", to: "ada")) }
        let have = try await api.pipeline.system.eventually("select count(*) from tidings_ops.inbox where recipient_id = 'ada'") {
            $0 == first + count
        }
        try #require(have, "\(api.pipeline.roles.errorsSoFar)")
        return try await api.pipeline.system.query(
            "select notification_id from tidings_ops.inbox where recipient_id = 'ada' order by position desc limit \(Int64(count))"
        ).rows.map { try $0.decode(NotificationID.self) }.reversed()
    }

    /// Opens a stream, and returns the id of its first event.
    private static func readOnce(_ api: APIScene) async throws -> String {
        let stream = try StreamReader(api, person: "ada")
        _ = try await stream.next("inbox")
        return try #require(stream.lastEventID)
    }

    /// A process that changes inboxes and sends no signals.
    private static func withStore(of api: APIScene, _ body: (Store) async throws -> Void) async throws {
        let store = Store(try PostgresConfiguration(url: api.pipeline.system.databaseURL), size: 1, name: "silent changes")
        try await store.open()
        try await body(store)
        await store.close()
    }

    private static func names(_ list: JSON?) -> Set<NotificationID> {
        Set((list?.arrayValue ?? []).compactMap { $0.stringValue.flatMap { NotificationID($0) } })
    }
}
