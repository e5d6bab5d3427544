import Testing
import TidingsJSON
import TidingsJSONSchema
import TidingsPostgres
import TidingsTestSupport

/// The erasure of a person over HTTP, with every role.
@Suite struct ErasureOverHTTPTests {
    private static func event(_ id: String, to person: String) -> String {
        """
        {"specversion":"1.0","id":"\(id)","source":"/bank","type":"LOAN_APPROVED",\
        "data":{"recipient":"\(person)","title":"Approved","body":"Yes"}}
        """
    }

    @Test func anErasedPersonIsGoneUntilTheReadmission() async throws {
        try await withAPI { api in
            let producer = try await api.key("intents:write", "notifications:read")
            let eraser = try await api.key("recipients:erase")
            func send(_ id: String) async throws -> String {
                let sent = try await api.ask(
                    "POST", "/v1/intents", authorization: producer, body: Self.event(id, to: "ada"), type: "application/cloudevents+json")
                #expect(sent.status == 202, "\(sent.text)")
                return try #require(sent.json["notifications"]?.arrayValue?.first?["id"]?.stringValue)
            }
            func state(_ id: String) async throws -> String? {
                try await api.ask("GET", "/v1/notifications/\(id)", authorization: producer).json["notification"]?["state"]?.stringValue
            }
            func items() async throws -> Int? { try await api.ask("ada", "GET", "/api/notifications").json["total"]?.intValue }
            func register() async throws -> APIScene.Answer {
                try await api.ask("ada", "POST", "/api/devices", body: #"{"token":"740f4707bebcf74f"}"#)
            }

            #expect(try await register().status == 200)
            let before = try await send("before")
            try #require(try await eventually { try await items() == 1 })
            let opened = #"{"events":[{"type":"opened","notificationId":"\#(before)"}]}"#
            #expect(try await api.ask("ada", "POST", "/api/events", body: opened).status == 202)

            let exporter = try await api.key("recipients:export")
            func exported() async throws -> JSON {
                let answer = try await api.ask("GET", "/v1/recipients/ada/export", authorization: exporter)
                #expect(answer.status == 200 && answer.type == "application/json", "\(answer.text)")
                let faults = try SchemaFiles.schema("recipient-export").validate(answer.json)
                #expect(faults.isEmpty, "\(faults)")
                return answer.json["data"] ?? .null
            }
            let held = try await exported()
            for (section, count) in ["notifications": 1, "inbox": 1, "engagement": 1, "endpoints": 1, "recipients": 1] {
                #expect(held[section]?.arrayValue?.count == count, "\(section): \(held)")
            }
            let printed = try await api.pipeline.system.tidings("recipient", "export", "ada")
            #expect(printed.exitCode == 0, "\(printed.errors)")
            #expect(try JSON.parse(printed.output)["data"]?["inbox"] == held["inbox"])

            let asked = try await api.ask("DELETE", "/v1/recipients/ada", authorization: eraser)
            #expect(asked.status == 202 && asked.json["requested_by"]?.stringValue?.hasPrefix("key:test-") == true, "\(asked.text)")
            let id = try #require(asked.json["erasure_id"]?.stringValue)
            let isDone = try await eventually {
                try await api.ask("GET", "/v1/erasures/\(id)", authorization: eraser).json["state"] == "done"
            }
            #expect(isDone)
            let report = try await api.ask("GET", "/v1/erasures/\(id)", authorization: eraser).text
            #expect(report.contains(#""notifications":1"#) && report.contains(#""endpoints":1"#), "\(report)")
            #expect(!report.contains(#""ada""#), "\(report)")
            #expect(try await items() == 0)
            #expect(try await state(before) == "erased")

            // An app that was not told, and an event that comes late.
            #expect(try await api.ask("ada", "POST", "/api/events", body: opened).status == 202)
            let receipt = try await api.ask("ada", "POST", "/api/notifications/\(before)/receipt", body: #"{"deviceId":"phone"}"#)
            #expect(receipt.status == 404 && receipt.problem == "not-found", "\(receipt.text)")
            #expect(try await exported().objectValue?.entries.allSatisfy { $0.value == [] } == true)
            let refused = try await register()
            #expect(refused.status == 409 && refused.problem == "recipient-erased", "\(refused.text)")
            #expect(try await api.ask("ada", "PUT", "/api/preferences", body: #"{"pushEnabled":false}"#).status == 409)
            let late = try await send("late")
            #expect(try await eventually { try await state(late) == "erased" })
            #expect(try await items() == 0)

            let readmission = "/v1/recipients/ada/readmission"
            #expect(try await api.ask("POST", readmission, authorization: eraser).status == 204)
            #expect(try await api.ask("POST", readmission, authorization: eraser).status == 204)
            #expect(try await register().status == 200)
            _ = try await send("after")
            #expect(try await eventually { try await items() == 1 })
        }
    }

    @Test func onlyTheScopeAndTheTenantMayErase() async throws {
        try await withAPI { api in
            let eraser = try await api.key("recipients:erase", tenant: "acme")
            let other = try await api.key("recipients:erase")
            let writer = try await api.key("recipients:read", "recipients:write", "intents:write", tenant: "*")
            let path = "/v1/recipients/ada"
            for (method, path) in [
                ("DELETE", path), ("POST", path + "/readmission"), ("GET", "/v1/erasures/\(UUIDs.unknown)"), ("GET", path + "/export"),
            ] {
                #expect(try await api.ask(method, path, authorization: writer).status == 403, "\(method)")
                #expect(try await api.ask("ada", method, path).status == 403, "\(method)")
                #expect(try await api.ask(method, path).status == 401, "\(method)")
            }
            for method in ["DELETE", "POST"] {
                let place = method == "POST" ? path + "/readmission" : path
                #expect(try await api.ask(method, place + "?tenant=globex", authorization: eraser).status == 403, "\(method)")
                #expect(try await api.ask(method, place + "?tennant=acme", authorization: eraser).status == 422, "\(method)")
                #expect(try await api.ask(method, place, authorization: eraser, body: #"{"a":1}"#).status == 422, "\(method)")
            }
            #expect(try await api.pipeline.system.count("select count(*) from tidings.erasures") == 0)

            let asked = try await api.ask("DELETE", path, authorization: eraser)
            let id = try #require(asked.json["erasure_id"]?.stringValue)
            #expect(asked.status == 202 && asked.json["tenant"] == "acme", "\(asked.text)")
            #expect(try await api.ask("GET", "/v1/erasures/\(id)", authorization: eraser).status == 200)
            for unknown in [id, UUIDs.unknown, "no-id"] {
                let foreign = try await api.ask("GET", "/v1/erasures/\(unknown)", authorization: other)
                #expect(foreign.status == 404 && foreign.problem == "not-found", "\(foreign.text)")
            }
            // The person of the default tenant is another person.
            #expect(try await api.ask("ada", "PUT", "/api/preferences", body: #"{"pushEnabled":false}"#).status == 200)
        }
    }
}

private enum UUIDs {
    static let unknown = "01a211a4-318c-7610-a6e0-44805af145a0"
}
