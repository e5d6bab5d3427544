import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A cancel is certain, also while no router runs.
@Suite struct CancelUndecidedTests {
    @Test func aCancelledIntentIsNeverSent() async throws {
        try await withAPI { api in
            let producer = try await api.key("intents:write", "notifications:read", "notifications:cancel")
            let door = try await api.withAPIAlone()
            api.pipeline.roles.signal(SIGTERM)
            #expect(await api.pipeline.roles.finish().exitCode == 0)

            func send(_ name: String) async throws -> String {
                let sent = try await door.ask("POST", "/v1/intents", authorization: producer, body: event(id: name, to: "ada"))
                return try #require(sent.json["notifications"]?.arrayValue?.first?["id"]?.stringValue, "\(sent.text)")
            }
            let (id, other) = (try await send("stopped"), try await send("other"))
            let early = try await door.ask("GET", "/v1/notifications/\(id)", authorization: producer)
            #expect(early.json["notification"]?["state"] == "accepted", "\(early.text)")
            let whole: JSON = ["results": [["channel": .null, "endpoint": .null, "result": "cancelled"]]]
            for _ in 0..<2 {
                let answer = try await door.ask("POST", "/v1/notifications/\(id)/cancel", authorization: producer)
                #expect(answer.status == 200 && answer.json == whole, "\(answer.text)")
            }

            // The event waits before the other one, whose end shows that a router has taken both.
            try api.pipeline.system.start("run", "all")
            _ = try await api.pipeline.outcome(of: "other")
            #expect(try await api.pipeline.system.eventually(Pipeline.takenQuery) { $0 == 2 })
            #expect(try await api.pipeline.system.count("select count(*) from tidings.notifications") == 1)
            #expect(try await api.pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)

            let why = try await door.ask("GET", "/v1/notifications/\(id)", authorization: producer).json["notification"]
            #expect(why?["state"] == "cancelled" && why?["reason_code"] == "cancelledByProducer", "\(String(describing: why))")
            let told = try await api.pipeline.system.tidings("why", id)
            #expect(told.exitCode == 1 && told.errors.contains("before a router had decided"), "\(told.errors)")
            // The same event again keeps its id and its end.
            #expect(try await send("stopped") == id)
            #expect(try await door.ask("POST", "/v1/notifications/\(id)/cancel", authorization: producer).json == whole)

            let ended = try await door.ask("POST", "/v1/notifications/\(other)/cancel", authorization: producer)
            #expect(ended.json["results"]?.arrayValue?.contains { $0["result"] == "cancelled" } == false, "\(ended.text)")
        }
    }
}
