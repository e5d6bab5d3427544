import Testing
import TidingsJSON
import TidingsTestSupport

/// Addresses of people, as a backend sets and sees them.
@Suite struct AddressesOverHTTPTests {
    private static let path = "/v1/recipients/ada/addresses"
    private static let email = #"{"kind":"email","value":" Ada@Example.com","consent":"granted","verified":true}"#

    @Test func aBackendSetsChangesAndRemovesAnAddress() async throws {
        try await withAPI { api in
            let key = try await api.key("recipients:read", "addresses:write")
            let set = try await api.ask("POST", Self.path, authorization: key, body: Self.email)
            #expect(set.status == 200 && set.json["value"] == "A…@Example.com" && set.json["state"] == "active", "\(set.text)")
            #expect(set.json["source"]?.stringValue?.hasPrefix("key:test-") == true && set.json["consent"] == "granted")
            let id = try #require(set.json["address_id"]?.stringValue)
            let again = try await api.ask(
                "POST", Self.path, authorization: key, body: #"{"kind":"email","value":"ada@example.COM","source":"form"}"#)
            #expect(again.json["address_id"]?.stringValue == id && again.json["source"] == "form" && again.json["consent"] == "granted")

            let place = "\(Self.path)/\(id)"
            let bounce = #"{"suppressed":true,"suppressionReason":"mailbox full","suppressedUntil":"2031-01-31T08:00:00Z"}"#
            let suppressed = try await api.ask("PATCH", place, authorization: key, body: bounce)
            #expect(
                suppressed.json["state"] == "suppressed" && suppressed.json["suppressed_because"] == "mailbox full", "\(suppressed.text)")
            let lifted = try await api.ask("PATCH", place, authorization: key, body: #"{"suppressed":false,"verified":false}"#)
            #expect(lifted.json["state"] == "active" && lifted.json["verified_at"]?.isNull == true, "\(lifted.text)")
            let denied = try await api.ask("PATCH", place, authorization: key, body: #"{"consent":"denied"}"#)
            #expect(denied.json["state"] == "denied", "\(denied.text)")

            let listed = try await api.ask("GET", Self.path, authorization: key)
            #expect(listed.json["addresses"]?.arrayValue == [denied.json], "\(listed.text)")
            #expect(try await api.ask("GET", "/v1/recipients/bob/addresses", authorization: key).json["addresses"] == [])
            #expect(try await api.ask("PATCH", "/v1/recipients/bob/addresses/\(id)", authorization: key, body: "{}").status == 404)
            #expect(try await api.ask("DELETE", "/v1/recipients/bob/addresses/\(id)", authorization: key).status == 404)
            #expect(try await api.ask("DELETE", place, authorization: key).status == 204)
            #expect(try await api.ask("DELETE", place, authorization: key).status == 404)
        }
    }

    @Test func aValueIsWholeForTheScopeOfAddressesAlone() async throws {
        try await withAPI { api in
            let writer = try await api.key("addresses:write")
            #expect(try await api.ask("POST", Self.path, authorization: writer, body: Self.email).status == 200)
            let hook = "https://example.com/a-secret-path"
            let set = try await api.pipeline.system.tidings("address", "set", "ada", "webhook", hook)
            try #require(set.exitCode == 0, "\(set.errors)")
            func values(_ scopes: String...) async throws -> [JSON?] {
                let listed = try await api.ask("GET", Self.path, authorization: try await api.key(scopes))
                return listed.json["addresses"]?.arrayValue?.map { $0["value"] } ?? []
            }
            #expect(try await values("recipients:read") == ["A…@Example.com", "https://example.com/…"])
            #expect(try await values("recipients:read", "recipients:addresses") == ["Ada@Example.com", JSON.string(hook)])
            #expect(try await api.ask("GET", Self.path, authorization: writer).status == 403)
            let reader = try await api.key("recipients:read", "recipients:write")
            #expect(try await api.ask("POST", Self.path, authorization: reader, body: Self.email).status == 403)
            #expect(try await api.ask("ada", "POST", Self.path, body: Self.email).status == 403, "a person changes no address")

            // The webhook is listed and suppressed, and no backend sets one.
            let webhook = try await api.ask(
                "PATCH", "\(Self.path)/webhook", authorization: writer, body: #"{"suppressed":true,"suppressionReason":"moved"}"#)
            #expect(webhook.status == 200 && webhook.json["state"] == "suppressed", "\(webhook.text)")
            let body = #"{"kind":"webhook","value":"https://example.com/other"}"#
            let refused = try await api.ask("POST", Self.path, authorization: writer, body: body)
            #expect(refused.status == 422 && refused.json["errors"]?.arrayValue?.first?["pointer"] == "/kind", "\(refused.text)")
        }
    }

    @Test func aFaultIsNamedAtItsPlace() async throws {
        try await withAPI { api in
            let key = try await api.key("addresses:write")
            for (body, places) in [
                (#"{"kind":"email","value":"nobody"}"#, ["/value"]), (#"{"kind":"sms","value":"0123"}"#, ["/value"]),
                (#"{"kind":"pigeon","value":"x"}"#, ["/kind"]), ("{}", ["/kind", "/value"]),
                (#"{"kind":"email","value":"a@b.co","consent":"maybe","verified":1}"#, ["/consent", "/verified"]),
            ] {
                let refused = try await api.ask("POST", Self.path, authorization: key, body: body)
                #expect(refused.status == 422 && Self.places(refused) == places, "\(body): \(refused.text)")
            }
            for (body, places) in [
                (#"{"suppressed":true}"#, ["/suppressionReason"]), (#"{"suppressionReason":"r"}"#, ["/suppressionReason"]),
                (#"{"suppressed":true,"suppressionReason":"r","suppressedUntil":"soon"}"#, ["/suppressedUntil"]),
                (#"{"suppressed":true,"suppressionReason":"r","suppressedUntil":"2001-01-01T00:00:00Z"}"#, ["/suppressedUntil"]),
                (#"{"suppressed":false,"suppressedUntil":"2031-01-31T08:00:00Z"}"#, ["/suppressedUntil"]),
            ] {
                let refused = try await api.ask("PATCH", "\(Self.path)/x", authorization: key, body: body)
                #expect(refused.status == 422 && Self.places(refused) == places, "\(body): \(refused.text)")
            }
            for number in 1...5 {
                let body = #"{"kind":"email","value":"ada\#(number)@example.com"}"#
                #expect(try await api.ask("POST", Self.path, authorization: key, body: body).status == 200)
            }
            let full = try await api.ask("POST", Self.path, authorization: key, body: Self.email)
            #expect(full.status == 422 && Self.places(full) == ["/value"], "\(full.text)")
        }
    }

    private static func places(_ answer: APIScene.Answer) -> [String] {
        answer.json["errors"]?.arrayValue?.compactMap { $0["pointer"]?.stringValue } ?? []
    }
}
