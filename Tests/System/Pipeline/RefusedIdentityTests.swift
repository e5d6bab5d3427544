import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Events of binary mode may have the same body. Each of them is refused, kept and replayed by itself.
@Suite struct RefusedIdentityTests {
    private static let data = Array(#"{"recipient":"reader","title":"A title"}"#.utf8)

    private static func headers(_ id: String, type: String = "parcelUpdate", more: [String: AMQPValue] = [:]) -> [String: AMQPValue] {
        let attributes: [String: AMQPValue] = [
            "cloudEvents_specversion": "1.0", "cloudEvents_id": .string(id), "cloudEvents_source": "/tests",
            "cloudEvents_type": .string(type),
        ]
        return attributes.merging(more) { $1 }
    }

    @Test func eventsWithOneBodyAreRowsOfTheirOwn() async throws {
        try await withPipeline { pipeline in
            let ids = ["one", "two", "three"]
            for id in ids {
                await pipeline.publish(Self.data, contentType: "application/json", headers: Self.headers(id))
            }
            await pipeline.publish(Self.data, contentType: "application/json", headers: Self.headers("one", type: "another"))
            let rows: SQL = "select count(*) from tidings_ops.rejected where reason_code = 'unknownType' and occurrences = 1"
            #expect(try await pipeline.system.eventually(rows) { $0 == 4 }, "\(pipeline.roles.errorsSoFar)")

            // The broker adds such headers to a message that comes again, and a new try of the producer has a new trace.
            let again: [String: AMQPValue] = [
                "x-delivery-count": 3, "x-death": .array([.table(["count": 1])]), "x-first-death-queue": "q",
                "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ]
            await pipeline.publish(Self.data, contentType: "application/json", headers: Self.headers("one", more: again))
            let counted: SQL = "select count(*) from tidings_ops.rejected where event_id = 'one' and occurrences = 2"
            #expect(try await pipeline.system.eventually(counted) { $0 == 1 })
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 4)

            // The replay is refused again: it is the same message, so no row is added.
            let refused = try await pipeline.system.tidings("rejected", "replay", "--type", "another", "--yes")
            #expect([0, 1].contains(refused.exitCode), "1 if the router is faster than the command: \(refused.errors)")
            let twice: SQL = "select count(*) from tidings_ops.rejected where type = 'another' and occurrences = 2 and state = 'open'"
            #expect(try await pipeline.system.eventually(twice) { $0 == 1 })
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 4)

            let shown = try await pipeline.system.tidings("catalogue", "show")
            let more = shown.output.replacing("\ntypes:\n", with: "\ntypes:\n  parcelUpdate:\n    category: transactional\n")
            try await Pipeline.apply(more, to: pipeline.system)
            #expect(try await pipeline.roles.says("another catalogue is active"))
            let replay = try await pipeline.system.tidings("rejected", "replay", "--type", "parcelUpdate", "--yes")
            #expect(replay.exitCode == 0 && replay.errors.contains("3 rows were published again"), "\(replay.errors)")
            for id in ids {
                #expect(try await pipeline.outcome(of: id).contains(Ended("inApp", "delivered", "delivered")))
            }
            try await pipeline.expectSound()
        }
    }

    /// A router tries such messages one by one. An operator may publish them again later.
    @Test func deadEventsWithOneBodyAreRowsOfTheirOwn() async throws {
        try await withPipeline { pipeline in
            let ids = ["one", "two"]
            for id in ids {
                await pipeline.publish(
                    Self.data, contentType: "application/json", headers: Self.headers(id, type: "orderUpdate"),
                    exchange: QueueNames.suspectExchange)
            }
            for id in ids { _ = try await pipeline.outcome(of: id) }
            let resolved: SQL = "select count(*) from tidings_ops.dead_letters where state = 'resolved' and deaths = 1"
            #expect(try await pipeline.system.eventually(resolved) { $0 == 2 })

            _ = try await pipeline.system.query("update tidings.dead set state = 'quarantined'")
            let replay = try await pipeline.system.tidings("dead", "replay", "--reason", "poison", "--yes")
            #expect(replay.exitCode == 0 && replay.errors.contains("2 rows were published again"), "\(replay.errors)")
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 4 })
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0, "both are duplicates")
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 2)
            try await pipeline.expectSound()
        }
    }

    /// Every part of a dead message that a replay depends on makes another row. A header that the broker counts in does not.
    @Test func everyPartOfADeadMessageCounts() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let different = [
                Self.dead(), Self.dead(queue: "r"), Self.dead(key: "l"), Self.dead(contentType: nil), Self.dead(body: [2]),
                Self.dead([HeaderAttribute(name: "id", value: "two")]), Self.dead([]),
                Self.dead([HeaderAttribute(name: "i", value: "done")]), Self.dead(producer: "web"), Self.dead(producer: nil),
            ]
            for message in different { #expect(try await store.refused.keepDead(message, state: "open").deaths == 1) }
            #expect(try await system.count("select count(*) from tidings.dead") == different.count)

            for again in [Self.dead(headers: #"{"x-delivery-count":"3"}"#), Self.dead()] {
                #expect(try await store.refused.keepDead(again, state: "open").deaths > 1)
            }
            // A replay names no content type and no producer by an empty text.
            #expect(try await store.refused.keepDead(Self.dead(contentType: ""), state: "open").deaths == 2)
            #expect(try await system.count("select count(*) from tidings.dead") == different.count)
            await store.close()
        }
    }

    private static func dead(
        _ attributes: [HeaderAttribute] = [HeaderAttribute(name: "id", value: "one")], queue: String = "q", key: String = "k",
        contentType: String? = "application/json", headers: String = "{}", body: [UInt8] = [1], producer: String? = "shop"
    ) -> DeadMessage {
        DeadMessage(
            queue: queue, reason: .poison, message: "", deaths: 1, exchange: "e", routingKey: key, contentType: contentType,
            headers: headers, attributes: attributes, body: body, producer: producer)
    }

    /// An event without some of its attributes would be another event.
    @Test func aDeadMessageWithoutAllItsHeadersIsNotReplayed() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let message = DeadMessage(
                queue: "q", reason: .poison, message: "", deaths: 1, exchange: "e", routingKey: "k", contentType: "application/json",
                headers: "{}", replayHeaders: nil, body: Self.data)
            let kept = try await store.refused.keepDead(message, state: "open")
            #expect(try await store.refused.kept(kept.id, in: .dead) == nil)
            let replay = try await system.tidings("dead", "replay", "\(kept.id)")
            #expect(replay.exitCode == 1 && replay.errors.contains("only a part of it was kept"), "\(replay.errors)")
            await store.close()
        }
    }
}
