import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// An optional text that is empty counts as absent at the doors of the API. A required one is refused.
@Suite struct EmptyTextTests {
    private static let optional = ["platform", "provider", "environment", "permission", "market", "timeZone", "locale", "appVersion"]
        .map { "\"\($0)\":\"\"" }.joined(separator: ",")

    @Test func aDeviceWithoutFactsIsRegisteredWithTheStandardOnes() async throws {
        try await withAPI { api in
            let made = try await api.ask("ada", "POST", "/api/devices", body: #"{"token":"0a1b2c3d",\#(Self.optional)}"#)
            #expect(made.status == 200, "\(made.text)")
            let id = try #require(made.json["deviceId"]?.stringValue)
            let changed = try await api.ask("ada", "PATCH", "/api/devices/\(id)", body: #"{"locale":"de","appVersion":"4"}"#)
            let same = try await api.ask("ada", "PATCH", "/api/devices/\(id)", body: "{\(Self.optional)}")
            #expect(changed.status == 200 && same.status == 200, "\(same.text)")
            let facts = try await api.pipeline.system.query(
                """
                select platform || ' ' || provider || ' ' || environment || ' ' || permission || ' ' || locale || ' ' || app_version
                from tidings_ops.devices where market is null
                """)
            #expect(try facts.rows.map { try $0.decode(String.self) } == ["ios apns production authorized de 4"])
            for (method, path) in [("POST", "/api/devices"), ("PATCH", "/api/devices/\(id)")] {
                let refused = try await api.ask("ada", method, path, body: #"{"token":""}"#)
                #expect(refused.status == 422 && refused.json["errors"]?.arrayValue?.first?["pointer"] == "/token", "\(refused.text)")
            }
        }
    }

    @Test func preferencesKeepTheirValues() async throws {
        try await withAPI { api in
            let path = "/api/preferences"
            let set = #"{"quietHoursStart":"22:00","quietHoursEnd":"07:00","timeZone":"Europe/Paris"}"#
            #expect(try await api.ask("ada", "PUT", path, body: set).status == 200)
            let same = try await api.ask("ada", "PUT", path, body: #"{"timeZone":""}"#)
            #expect(same.json["timeZone"] == "Europe/Paris" && same.json["quietHoursStart"] == "22:00", "\(same.text)")
            let none = try await api.ask("ada", "PUT", path, body: #"{"quietHoursStart":"","quietHoursEnd":""}"#)
            #expect(none.json["quietHoursStart"]?.isNull == true && none.json["timeZone"] == "Europe/Paris", "\(none.text)")
        }
    }

    /// The event over HTTP is the event over AMQP: the same decoder reads both.
    @Test func anIntentWithoutKeysIsAccepted() async throws {
        try await withAPI { api in
            let producer = try await api.key("intents:write")
            let keys = #""body":"","imageURL":"","groupKey":"","collapseKey":"","market":"""#
            let sent = try await api.ask(
                "POST", "/v1/intents", authorization: producer,
                body:
                    #"{"specversion":"1.0","id":"e","source":"/shop","type":"orderUpdate","data":{"recipient":"ada","title":"T",\#(keys)}}"#,
                type: "application/cloudevents+json")
            #expect(sent.status == 202, "\(sent.text)")
            #expect(try await api.pipeline.outcome(of: "e").contains(Ended("inApp", "delivered", "delivered")))
            let stored = try await api.pipeline.system.count(
                "select count(*) from tidings.notifications where body is null and group_key is null and collapse_key is null")
            #expect(stored == 1)
        }
    }
}
