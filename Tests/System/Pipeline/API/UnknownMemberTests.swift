import Testing
import TidingsJSON
import TidingsTestSupport

/// A change with a part that its operation does not read is refused as a whole, so that no answer tells of a change that was not made.
@Suite struct UnknownMemberTests {
    /// The places of the faults, each with its detail.
    private static func faults(_ answer: APIScene.Answer) -> [String: String] {
        var faults: [String: String] = [:]
        for fault in answer.json["errors"]?.arrayValue ?? [] {
            let place = fault["pointer"]?.stringValue ?? fault["parameter"]?.stringValue ?? ""
            faults[place] = fault["detail"]?.stringValue
        }
        return faults
    }

    @Test func aMisspeltPreferenceIsRefusedAndChangesNothing() async throws {
        try await withAPI { api in
            let backend = try await api.key("recipients:read", "recipients:write")
            let before = try await api.ask("ada", "GET", "/api/preferences").json
            for (body, place, nearest) in [
                (#"{"push_enabled":false}"#, "/push_enabled", "pushEnabled"), (#"{"timezone":"Asia/Tokyo"}"#, "/timezone", "timeZone"),
                (#"{"pushEnabled":false,"quiet_hours_start":null}"#, "/quiet_hours_start", "quietHoursStart"),
                (#"{"pushEnabled":false,"types":{"ORDERUPDATE":false}}"#, "/types/ORDERUPDATE", "orderUpdate"),
                (#"{"types":{"loan_approved":true}}"#, "/types/loan_approved", "LOAN_APPROVED"),
            ] {
                for answer in [
                    try await api.ask("ada", "PUT", "/api/preferences", body: body),
                    try await api.ask("PUT", "/v1/recipients/ada/preferences", authorization: backend, body: body),
                ] {
                    #expect(answer.status == 422 && answer.problem == "invalid", "\(body): \(answer.status) \(answer.text)")
                    let detail = Self.faults(answer)[place]
                    #expect(detail?.contains("did you mean \"\(nearest)\"?") == true, "\(body): \(answer.text)")
                }
            }
            #expect(try await api.ask("ada", "GET", "/api/preferences").json == before)

            // The answers of both GET may be written back as they are.
            let own = try await api.ask("ada", "PUT", "/api/preferences", body: before.serialized)
            #expect(own.status == 200 && own.json == before, "\(own.text)")
            let read = try await api.ask("GET", "/v1/recipients/ada/preferences", authorization: backend)
            #expect(read.json["origins"] != nil)
            let written = try await api.ask("PUT", "/v1/recipients/ada/preferences", authorization: backend, body: read.text)
            #expect(written.status == 200 && written.json == read.json, "\(written.text)")
        }
    }

    /// Every change of the document with a member, a body and a parameter that it does not list. Each listed member is read.
    @Test func everyChangeRefusesWhatItDoesNotRead() async throws {
        try await withAPI { api in
            let document = try OpenAPIDocument.standard()
            let key = try await api.key(
                "intents:write", "notifications:read", "notifications:cancel", "recipients:read", "recipients:write", "recipients:erase",
                "addresses:write", tenant: "*")
            func ask(_ operation: OpenAPIDocument.Operation, _ query: String, _ body: String?) async throws -> APIScene.Answer {
                let person = "Bearer \(api.token(for: "ada"))"
                let path = operation.path.split(separator: "/", omittingEmptySubsequences: false)
                    .map { $0.hasPrefix("{") ? "01a211a4-318c-7610-a6e0-44805af145a0" : $0 }.joined(separator: "/")
                let isForKeys = operation.body["security"]?.arrayValue?.first?["apiKey"] != nil
                return try await api.ask(operation.method, path + query, authorization: isForKeys ? key : person, body: body)
            }
            var checked = 0
            for operation in document.operations where operation.method != "GET" {
                if operation.id == "receiveCallback" { continue }
                checked += 1
                let schema = try operation.body["requestBody"].map(document.follow)?["content"]?["application/json"]?["schema"]
                // Values that no member takes: the fault of a member that is read is about its value.
                var body: JSONObject = .init()
                for name in try schema.map(document.follow)?["properties"]?.objectValue?.keys ?? [] { body[name] = [[]] }
                body["nonsense"] = true
                let answer = try await ask(operation, "", JSON.object(body).serialized)
                let faults = Self.faults(answer)
                // An event may have extension attributes.
                let isRefused = operation.id == "sendIntents" || faults["/nonsense"]?.hasPrefix("is no member of this request") == true
                #expect(answer.status == 422 && isRefused, "\(operation.id): \(answer.text)")
                for (place, detail) in faults where place != "/nonsense" {
                    #expect(!detail.hasPrefix("is no member"), "\(operation.id) \(place): \(detail)")
                }
                let strange = try await ask(operation, "?Nonsense=1", schema == nil ? nil : "{}")
                #expect(strange.status == 422 && Self.faults(strange)["Nonsense"] != nil, "\(operation.id): \(strange.text)")
            }
            #expect(checked > 18)
        }
    }

    /// JSON is UTF-8. A body that says otherwise could mean another text.
    @Test func aWrongCharsetIsRefusedAndChangesNothing() async throws {
        try await withAPI { api in
            let key = try await api.key("intents:write", "recipients:read")
            let person = "Bearer \(api.token(for: "ada"))"
            let intent = event(id: "c-1", to: "ada")
            for charset in ["iso-8859-1", "utf-16", "\"latin1\""] {
                let changed = try await api.ask(
                    "PUT", "/api/preferences", authorization: person, body: #"{"pushEnabled":false}"#,
                    type: "application/json; charset=\(charset)")
                #expect(changed.status == 415 && changed.problem == "unsupported-media-type", "\(charset): \(changed.text)")
                for type in ["application/json", "application/cloudevents+json", "application/cloudevents-batch+json"] {
                    let sent = try await api.ask(
                        "POST", "/v1/intents", authorization: key, body: intent, type: "\(type); charset=\(charset)")
                    #expect(sent.status == 415, "\(type) \(charset): \(sent.text)")
                }
            }
            #expect(try await api.ask("ada", "GET", "/api/preferences").json["pushEnabled"] == true)
            let sent = try await api.ask(
                "POST", "/v1/intents", authorization: key, body: intent, type: "application/json; charset=\"UTF-8\"")
            #expect(sent.status == 202, "\(sent.text)")
            let twice = try await api.ask("GET", "/v1/recipients/ada?tenant=acme&tenant=globex", authorization: key)
            #expect(twice.status == 422 && Self.faults(twice)["tenant"] == "is given twice", "\(twice.text)")
        }
    }

    @Test func aMisspeltParameterDeletesNothing() async throws {
        try await withAPI { api in
            await api.pipeline.publish(event(id: "o-1", to: "ada"))
            let isListed = try await eventually { try await api.ask("ada", "GET", "/api/notifications").json["total"] == 1 }
            try #require(isListed)
            let item = try await api.ask("ada", "GET", "/api/notifications").json["notifications"]?.arrayValue?.first
            let id = try #require(item?["id"]?.stringValue)
            for (method, path, body, place) in [
                ("DELETE", "/api/notifications?befor=\(id)", nil, "befor"), ("DELETE", "/api/notifications?Before=\(id)", nil, "Before"),
                ("DELETE", "/api/notifications?before=\(id)&before=\(id)", nil, "before"),
                ("PATCH", "/api/notifications/read-all", #"{"before":"\#(id)"}"#, "/before"),
                ("PATCH", "/api/notifications/\(id)/read", #"{"isRead":false}"#, "/isRead"),
                ("PATCH", "/api/notifications/\(id)/read", "[1]", ""), ("PATCH", "/api/notifications/\(id)/read", "unread", ""),
            ] as [(String, String, String?, String)] {
                let answer = try await api.ask("ada", method, path, body: body)
                #expect(answer.status == 422 && Self.faults(answer)[place] != nil, "\(method) \(path): \(answer.text)")
            }
            let list = try await api.ask("ada", "GET", "/api/notifications?_=17").json
            #expect(list["total"] == 1 && list["unreadCount"] == 1, "\(list)")
            // Libraries send an empty body in different forms.
            for body in [nil, "", " \n", "{}", "null", "[]", #""""#] {
                let answer = try await api.ask("ada", "PATCH", "/api/notifications/\(id)/read", body: body)
                #expect(answer.status == 200, "\(body ?? "none"): \(answer.text)")
            }
        }
    }
}
