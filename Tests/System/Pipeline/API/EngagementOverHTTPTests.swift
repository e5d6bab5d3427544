import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Receipts of devices and events of apps over HTTP.
@Suite struct EngagementOverHTTPTests {
    /// A push provider that accepts everything for a device.
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
    private static let unknown = "01a211a4-318c-7610-a6e0-44805af145a0"

    /// Registers a device, sends a notification to it, and returns both ids.
    private static func push(
        _ api: APIScene, _ name: String, to person: String, token: String
    ) async throws -> (id: String, device: String) {
        let registered = try await api.ask(person, "POST", "/api/devices", body: #"{"token":"\#(token)"}"#)
        let device = try #require(registered.json["deviceId"]?.stringValue, "\(registered.text)")
        await api.pipeline.publish(event(id: name, to: person))
        let ends = try await api.pipeline.outcome(of: name).map(\.description)
        #expect(ends == ["inApp delivered delivered", "push sent accepted"], "\(ends)")
        return (try await api.pipeline.notificationID(of: name), device)
    }

    private static func confirm(_ api: APIScene, _ person: String, _ id: String, _ body: String) async throws -> APIScene.Answer {
        try await api.ask(person, "POST", "/api/notifications/\(id)/receipt", body: body)
    }

    @Test func aReceiptMakesAPushDelivered() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in Self.catalogue }) { api in
            let (id, device) = try await Self.push(api, "o-1", to: "ada", token: "80f9c2e1d4b7a6f5")
            let (_, other) = try await Self.push(api, "o-2", to: "bob", token: "80f9c2e1d4b7a6f6")
            let body = #"{"deviceId":"\#(device)"}"#
            for (person, id, body) in [
                ("bob", id, body), ("bob", id, #"{"deviceId":"\#(other)"}"#), ("ada", id, #"{"deviceId":"\#(other)"}"#),
                ("ada", Self.unknown, body), ("ada", "17", body), ("ada", id, #"{"deviceId":"17"}"#),
            ] {
                let refused = try await Self.confirm(api, person, id, body)
                #expect(refused.status == 404 && refused.problem == "not-found", "\(person) \(id) \(body): \(refused.text)")
            }
            #expect(try await api.pipeline.outcome(of: "o-1").map(\.description).contains("push sent accepted"))
            for _ in 0..<2 { #expect(try await Self.confirm(api, "ada", id, body).status == 204) }
            #expect(try await api.pipeline.outcome(of: "o-1").map(\.description).contains("push delivered delivered"))

            for wrong in ["{}", #"{"deviceId":""}"#, #"{"deviceId":17}"#, #"{"deviceId":null}"#] {
                let refused = try await Self.confirm(api, "ada", id, wrong)
                #expect(refused.status == 422 && refused.json["errors"]?.arrayValue?.first?["pointer"] == "/deviceId", "\(wrong)")
            }
            let why = try await api.pipeline.system.tidings("why", "o-1").output
            #expect(why.contains("  the device reports delivered (delivered)\n"), "\(why)")
            let metrics = try await HealthClient(of: api.pipeline.roles).ask("/metrics").text
            #expect(metrics.contains(#"tidings_receipts_total{result="applied"} 1"#), "\(metrics)")
            #expect(metrics.contains(#"tidings_receipts_total{result="unknown"} 5"#), "\(metrics)")
            try await api.pipeline.expectSound()
        }
    }

    @Test func anEventIsStoredShownAndCounted() async throws {
        try await withAPI(catalogue: Self.catalogue) { api in
            let (id, device) = try await Self.push(api, "o-1", to: "ada", token: "80f9c2e1d4b7a6f5")
            let at = try await api.pipeline.clock(plus: "-1 hour")
            let body = """
                {"events":[{"type":"opened","notificationId":"\(id)","deviceId":"\(device)","at":"\(at)","detail":{"from":"lock screen"}},
                {"type":"action","detail":{"action":"reply"}},
                {"type":"unknownPayload","at":null,"detail":{"reason":"unknownType","type":"weather"}}]}
                """
            for _ in 0..<2 {
                let answer = try await api.ask("ada", "POST", "/api/events", body: body)
                #expect(answer.status == 202 && answer.json["accepted"] == 3, "\(answer.text)")
            }
            let rows = try await api.pipeline.system.query(
                """
                select concat_ws(' ', event, type, provider, market, device_id = \(device), action, payload_reason, payload_type)
                from tidings_ops.engagement
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(
                rows.sorted() == [
                    "action default reply", "opened orderUpdate apns default t", "unknownPayload default unknownType weather",
                ])
            let isCounted = try await api.pipeline.system.eventually(
                "select coalesce(sum(n), 0)::bigint from tidings_ops.engagement_counts"
            ) { $0 == 3 }
            #expect(isCounted, "\(api.pipeline.roles.errorsSoFar)")

            // The event moves nothing.
            #expect(try await api.pipeline.outcome(of: "o-1").map(\.description).contains("push sent accepted"))
            #expect(try await api.ask("ada", "GET", "/api/notifications").json["unreadCount"] == 1)
            let why = try await api.pipeline.system.tidings("why", "o-1").output
            #expect(why.contains("  the app reports opened at \(at.prefix(19))Z on device \(device)\n"), "\(why)")
            let key = try await api.key("notifications:read")
            let record = try await api.ask("GET", "/v1/notifications/\(id)", authorization: key)
            let steps = record.json["timeline"]?.arrayValue?.compactMap { $0["verdict"]?.stringValue } ?? []
            #expect(steps.contains("opened"), "\(record.text)")
        }
    }

    /// An event about a notification of somebody else is answered as one about an unknown notification, and nobody sees it there.
    @Test func aForeignNotificationIsUnknown() async throws {
        try await withAPI(catalogue: Self.catalogue) { api in
            let (id, _) = try await Self.push(api, "o-1", to: "ada", token: "80f9c2e1d4b7a6f5")
            for named in [id, Self.unknown] {
                let answer = try await api.ask(
                    "bob", "POST", "/api/events", body: #"{"events":[{"type":"opened","notificationId":"\#(named)"}]}"#)
                #expect(answer.status == 202 && answer.json["accepted"] == 1, "\(answer.text)")
            }
            #expect(try await api.pipeline.system.count("select count(*) from tidings_ops.engagement where type is null") == 2)
            let why = try await api.pipeline.system.tidings("why", "o-1").output
            #expect(!why.contains("the app reports"), "\(why)")
        }
    }

    @Test func aRequestIsStoredAsAWholeOrNotAtAll() async throws {
        try await withAPI { api in
            let long = String(repeating: "a", count: 257)
            let facts = (0..<21).map { "\"m\($0)\":\"\"" }.joined(separator: ",")
            let large = (0..<9).map { "\"m\($0)\":\"\(long.dropLast())\"" }.joined(separator: ",")
            let many = Array(repeating: #"{"type":"opened"}"#, count: 101).joined(separator: ",")
            let refused: [(String, String)] = [
                ("[]", "/events"), ("7", "/events"), ("null", "/events"), (#"[{"type":"opened"},7]"#, "/events/1"),
                (#"[{"type":"clicked"}]"#, "/events/0/type"), ("[{}]", "/events/0/type"), (#"[{"type":""}]"#, "/events/0/type"),
                (#"[{"type":"opened","notificationId":"17"}]"#, "/events/0/notificationId"),
                (#"[{"type":"opened","notificationId":""}]"#, "/events/0/notificationId"),
                (#"[{"type":"opened","deviceId":"phone"}]"#, "/events/0/deviceId"),
                (#"[{"type":"opened","at":"yesterday"}]"#, "/events/0/at"), (#"[{"type":"opened","at":1764000000}]"#, "/events/0/at"),
                (#"[{"type":"opened","occurredAt":"2026-11-25T07:40:00Z"}]"#, "/events/0/occurredAt"),
                (#"[{"type":"opened","detail":[]}]"#, "/events/0/detail"),
                (#"[{"type":"opened","detail":{"a":1}}]"#, "/events/0/detail/a"),
                (#"[{"type":"opened","detail":{"a":"\#(long)"}}]"#, "/events/0/detail/a"),
                (#"[{"type":"opened","detail":{"":"a"}}]"#, "/events/0/detail/"),
                (#"[{"type":"opened","detail":{\#(facts)}}]"#, "/events/0/detail"),
                (#"[{"type":"opened","detail":{\#(large)}}]"#, "/events/0/detail"), ("[\(many)]", "/events"),
            ]
            for (events, place) in refused {
                let answer = try await api.ask("ada", "POST", "/api/events", body: #"{"events":\#(events)}"#)
                let places = answer.json["errors"]?.arrayValue?.compactMap { $0["pointer"]?.stringValue } ?? []
                #expect(answer.status == 422 && places == [place], "\(events.prefix(80)): \(answer.text)")
            }
            let blanks = String(repeating: " ", count: 70_000)
            #expect(try await api.ask("ada", "POST", "/api/events", body: #"{"events":[\#(blanks)]}"#).status == 413)
            #expect(try await api.pipeline.system.count("select count(*) from tidings.engagement") == 0)

            // The last event of a day, and the first one beyond.
            let last = #"{"events":[{"type":"opened","at":"\#(try await api.pipeline.clock(plus: "0 seconds"))"}]}"#
            #expect(try await api.ask("ada", "POST", "/api/events", body: last).status == 202)
            _ = try await api.pipeline.system.query(
                "update tidings.engagement_days set n = 1000, day = (tidings.clock() at time zone 'UTC')::date")
            let beyond = try await api.ask("ada", "POST", "/api/events", body: #"{"events":[{"type":"displayed"}]}"#)
            #expect(beyond.status == 429 && beyond.problem == "rate-limited" && beyond.text.contains("1000 events a day"), "\(beyond.text)")
            let again = try await api.ask("ada", "POST", "/api/events", body: last)
            #expect(again.status == 202, "a repeated event needs no room: \(again.text)")
        }
    }
}
