import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The API as a process with a login of its own, in the role that reads no secret and no content. Everything works. One login for
/// everything works too, and doctor says so.
@Suite struct APILoginTests {
    /// The inbox, and a push provider that accepts everything for a device.
    private static let catalogue =
        TestCatalogue.types
            + """
            providers:
              apns: {channel: push, kind: "null"}
              inbox: {channel: inApp, kind: inbox}
            markets:
              default: {push: [apns], inApp: [inbox]}
            defaultMarket: default

            """

    /// Runs `body` with an API of its own login beside all other roles, which have the login of the owner. Without a catalogue, the
    /// built-in one is in force.
    private static func withNarrowAPI(_ catalogue: String?, _ body: (APIScene) async throws -> Void) async throws {
        try await withAPI(catalogue: catalogue) { try await $0.withNarrowLogin(body) }
    }

    /// Requests in their order, and the expected status of each.
    private static func walk(
        _ api: APIScene, as authorization: String, _ steps: [(method: String, path: String, body: String?, status: Int)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for step in steps {
            let answer = try await api.ask(step.method, step.path, authorization: authorization, body: step.body)
            #expect(answer.status == step.status, "\(step.method) \(step.path): \(answer.text)", sourceLocation: sourceLocation)
        }
    }

    private static func device(_ api: APIScene, _ person: String, _ token: String) async throws -> String {
        let registered = try await api.ask(person, "POST", "/api/devices", body: #"{"token":"\#(token)"}"#)
        return try #require(registered.json["deviceId"]?.stringValue, "\(registered.text)")
    }

    @Test func aPersonDoesEverything() async throws {
        try await Self.withNarrowAPI(Self.catalogue) { api in
            let ada = "Bearer \(api.token(for: "ada"))"
            let stream = try StreamReader(api, person: "ada")
            #expect(try await stream.next("inbox")?["total"] == 0)
            let phone = try await Self.device(api, "ada", "80f9c2e1d4b7a6f5")
            for name in ["o-1", "o-2"] {
                await api.pipeline.publish(event(id: name, to: "ada"))
                let ends = try await api.pipeline.outcome(of: name).map(\.description)
                #expect(ends == ["inApp delivered delivered", "push sent accepted"], "\(ends)")
            }
            let arrival = try #require(try await stream.next("inbox"))
            #expect((arrival["total"]?.intValue ?? 0) > 0, "\(arrival)")
            let id = try await api.pipeline.notificationID(of: "o-1")
            let (item, until) = ("/api/notifications/\(id)", ISO8601DateFormatter().string(from: Date().addingTimeInterval(3_600)))
            try await Self.walk(
                api, as: ada,
                [
                    ("GET", "/api/notifications", nil, 200), ("GET", "/api/notifications?cursor=", nil, 200), ("GET", item, nil, 200),
                    ("GET", "/api/notifications/unread-count", nil, 200), ("PATCH", "\(item)/seen", nil, 200),
                    ("PATCH", "\(item)/read", nil, 200), ("PATCH", "\(item)/unread", nil, 200),
                    ("POST", "\(item)/receipt", #"{"deviceId":"\#(phone)"}"#, 204),
                    ("POST", "/api/events", #"{"events":[{"type":"opened","notificationId":"\#(id)","deviceId":"\#(phone)"}]}"#, 202),
                    ("POST", "\(item)/snooze", #"{"until":"\#(until)"}"#, 200), ("GET", "/api/notifications?snoozed=true", nil, 200),
                    ("POST", "\(item)/wake", nil, 200), ("PATCH", "\(item)/dismissed", nil, 200), ("DELETE", item, nil, 200),
                    ("POST", "\(item)/undo", nil, 200), ("PATCH", "/api/notifications/read-all", nil, 200),
                    ("DELETE", "/api/notifications", nil, 200), ("GET", "/api/preferences", nil, 200),
                    ("PUT", "/api/preferences", #"{"pushEnabled":true,"timeZone":"Europe/Paris"}"#, 200),
                    ("PATCH", "/api/devices/\(phone)", #"{"permission":"denied","token":"80f9c2e1d4b7a6f6"}"#, 200),
                ])
            #expect(try await api.pipeline.outcome(of: "o-1").map(\.description).contains("push delivered delivered"))
            #expect(try await Self.device(api, "bob", "80f9c2e1d4b7a6f6") == phone, "the device moves to the next person")
            try await Self.walk(api, as: ada, [("DELETE", "/api/devices/\(phone)", nil, 404)])
            #expect(try await api.ask("bob", "DELETE", "/api/devices/\(phone)").status == 204)
            try await api.pipeline.expectSound()
        }
    }

    @Test func aPlanIsTold() async throws {
        try await Self.withNarrowAPI(nil) { api in
            let phone = try await Self.device(api, "ada", LocalApp.phone)
            try await api.pipeline.remind("later", "ada", at: try await api.pipeline.time(in: 7_200))
            let plan = try await api.ask("ada", "GET", "/api/local-notifications?deviceId=\(phone)")
            #expect(plan.status == 200 && plan.json["requests"]?.arrayValue?.count == 1, "\(plan.text)")
            let version = try #require(plan.json["version"]?.intValue)
            let told = try await api.ask(
                "ada", "POST", "/api/local-notifications/ack", body: #"{"deviceId":"\#(phone)","version":\#(version)}"#)
            #expect(told.status == 204, "\(told.text)")
            try await api.pipeline.expectSound()
        }
    }

    @Test func aBackendDoesEverything() async throws {
        try await Self.withNarrowAPI(Self.catalogue) { api in
            let key = try await api.key(
                "intents:write", "notifications:read", "notifications:cancel", "recipients:read", "recipients:addresses",
                "recipients:write", "recipients:export", "recipients:erase", "addresses:write")
            func send(_ event: String) async throws -> String {
                let headers = [("idempotency-key", UUID().uuidString)]
                let sent = try await api.ask("POST", "/v1/intents", authorization: key, headers: headers, body: event)
                return try #require(sent.json["notifications"]?.arrayValue?.first?["id"]?.stringValue, "\(sent.text)")
            }
            let person = "/v1/recipients/ada"
            try await Self.walk(
                api, as: key,
                [
                    ("PUT", "\(person)/preferences", #"{"timeZone":"Europe/Paris"}"#, 200), ("GET", "\(person)/preferences", nil, 200),
                    ("POST", "\(person)/devices", #"{"token":"80f9c2e1d4b7a6f5"}"#, 200), ("GET", person, nil, 200),
                ])
            try await Self.walk(api, as: key, PersonList.all.map { ("GET", "\(person)/\($0.name)", nil, 200) })
            let email = #"{"kind":"email","value":"ada@example.com","consent":"granted"}"#
            let address = try await api.ask("POST", "\(person)/addresses", authorization: key, body: email)
            let addressID = try #require(address.json["address_id"]?.stringValue, "\(address.text)")
            let place = "\(person)/addresses/\(addressID)"
            try await Self.walk(
                api, as: key,
                [
                    ("POST", "\(person)/addresses", email, 200),
                    ("PATCH", place, #"{"verified":true,"suppressed":true,"suppressionReason":"bounce"}"#, 200),
                    ("DELETE", place, nil, 204), ("DELETE", place, nil, 404),
                ])
            let now = try await send(event(id: "now", to: "ada"))
            _ = try await api.pipeline.outcome(of: "now")
            // A named request gets its first answer again.
            let headers = [("idempotency-key", "again")]
            var answers: [String] = []
            for _ in 1...2 {
                let sent = try await api.ask(
                    "POST", "/v1/intents", authorization: key, headers: headers, body: event(id: "now", to: "ada"))
                #expect(sent.status == 202, "\(sent.text)")
                answers.append(sent.text)
            }
            #expect(answers[0] == answers[1])
            // The held notification has deliveries, and the cancel ends them.
            let due = try await api.pipeline.time(in: 7_200)
            let held = try await send(event(id: "held", to: "ada", data: #""scheduledFor":"\#(due)""#))
            _ = try await api.pipeline.held("held")
            let cancelled = try await api.ask("POST", "/v1/notifications/\(held)/cancel", authorization: key)
            let results = cancelled.json["results"]?.arrayValue ?? []
            #expect(!results.isEmpty && results.allSatisfy { $0["result"] == "cancelled" }, "\(cancelled.text)")
            let ends = try await api.pipeline.outcome(of: "held").map(\.state)
            #expect(!ends.isEmpty && ends.allSatisfy { $0 == "cancelled" }, "\(ends)")

            let export = try await api.ask("GET", person + "/export", authorization: key)
            #expect(export.status == 200 && export.json["data"]?["notifications"]?.arrayValue?.count == 2, "\(export.text)")
            let erasure = try await api.ask("DELETE", person, authorization: key)
            let id = try #require(erasure.json["erasure_id"]?.stringValue, "\(erasure.text)")
            let isDone = try await eventually { try await api.ask("GET", "/v1/erasures/\(id)", authorization: key).json["state"] == "done" }
            #expect(isDone)
            try await Self.walk(
                api, as: key, [("GET", "/v1/notifications/\(now)", nil, 200), ("POST", "\(person)/readmission", nil, 204)])
            try await api.pipeline.expectSound()

            // The cancel of a promise, before a router decides.
            api.pipeline.roles.signal(SIGTERM)
            #expect(await api.pipeline.roles.finish().exitCode == 0)
            let promised = try await send(event(id: "promised", to: "bo"))
            let early = try await api.ask("POST", "/v1/notifications/\(promised)/cancel", authorization: key)
            #expect(early.json["results"]?.arrayValue?.first?["result"] == "cancelled", "\(early.text)")
            let told = try await api.ask("GET", "/v1/notifications/\(promised)", authorization: key).json["notification"]
            #expect(told?["state"] == "cancelled", "\(String(describing: told))")
            try api.pipeline.system.start("run", "all")
            #expect(try await api.pipeline.system.eventually(Pipeline.takenQuery) { $0 == 5 })
        }
    }

    /// An operator of a small installation has one login. Everything works as with two, so this is only a note.
    @Test func oneLoginForEverythingWorksAndIsNoted() async throws {
        try await withAPI { api in
            await api.pipeline.publish(event(id: "o-1", to: "ada"))
            _ = try await api.pipeline.outcome(of: "o-1")
            #expect(try await api.ask("ada", "GET", "/api/notifications").json["total"] == 1)
            let doctor = try await api.pipeline.system.tidings("doctor")
            let user = try await api.pipeline.system.query("select session_user::text").rows[0].decode(String.self)
            #expect(doctor.exitCode == 0 && doctor.output.contains("· rights: the API logs in as \(user), "), "\(doctor.output)")
            #expect(doctor.output.contains("in the role tidings_run_api"), "\(doctor.output)")
        }
    }
}
