import Foundation
import Testing
import TidingsJSON
import TidingsJWT
import TidingsTestSupport

/// Credentials that must not open anything, and paths that are none.
@Suite struct APIAccessTests {
    @Test func badCredentialsAreRefused() async throws {
        try await withAPI { api in
            let path = "/api/notifications"
            let stranger = JWTSigner()
            let good = api.token(for: "ada")
            let parts = good.split(separator: ".")
            let bad: [String: String] = [
                "expired": api.token(for: "ada") { $0["exp"] = 1_000 },
                "no end": api.token(for: "ada") { $0["exp"] = nil },
                "wrong issuer": api.token(for: "ada") { $0["iss"] = "https://other.test" },
                "wrong audience": api.token(for: "ada") { $0["aud"] = "other" },
                "nobody": api.token(for: "ada") { $0["sub"] = nil },
                "empty person": api.token(for: ""),
                "key of a stranger": stranger.sign(APIScene.claims("ada")),
                "algorithm none": "eyJhbGciOiJub25lIn0.\(parts[1]).",
                "other payload": "\(parts[0]).\(api.token(for: "eve").split(separator: ".")[1]).\(parts[2])",
                "cut": String(good.dropLast(3)),
                "long": String(repeating: "a", count: 9_000), "a word": "nonsense", "a word like a key": "tid_nonsense",
            ]
            // Credentials that open nothing are 401, and not 403, on the paths of the other kind too.
            for (name, token) in bad {
                for path in [path, "/v1/recipients/ada"] {
                    let answer = try await api.ask("GET", path, authorization: "Bearer \(token)")
                    #expect(answer.status == 401 && answer.problem == "invalid-token", "\(name): \(path) \(answer.status) \(answer.text)")
                }
            }
            #expect(try await api.ask("GET", path).problem == "unauthenticated")
            #expect(try await api.ask("GET", path, authorization: "Basic YTpi").status == 401)
            #expect(try await api.ask("GET", path + "?access_token=\(good)").status == 401)
            #expect(try await api.ask("GET", path, authorization: "Bearer \(good)").status == 200)
        }
    }

    /// Login services write null for a value that they do not have. A claim that nobody reads may have any value.
    @Test func aTokenWithOddClaimsOpensTheInboxOfItsPerson() async throws {
        try await withAPI { api in
            let path = "/api/notifications"
            let nulls = api.token(for: "ada") { claims in
                for name in ["nbf", "iat", "tenant", "name"] { claims[name] = JSON.null }
            }
            let opened = try await api.ask("GET", path, authorization: "Bearer \(nulls)")
            #expect(opened.status == 200, "\(opened.text)")
            for tenant: JSON in ["", "a b", 7, "default\u{FFFD}"] {
                let token = api.token(for: "ada") { $0["tenant"] = tenant }
                let refused = try await api.ask("GET", path, authorization: "Bearer \(token)")
                #expect(refused.status == 401, "\(tenant): \(refused.text)")
            }
        }
    }

    @Test func aKeyOpensOnlyItsScopesAndItsTenant() async throws {
        try await withAPI { api in
            let reader = try await api.key("notifications:read")
            let body = #"{"specversion":"1.0","id":"1","source":"/s","type":"orderUpdate","data":{"recipient":"ada","title":"t"}}"#
            let refused = try await api.ask("POST", "/v1/intents", authorization: reader, body: body)
            #expect(refused.status == 403 && refused.problem == "forbidden", "\(refused.text)")
            #expect(try await api.ask("GET", "/api/notifications", authorization: reader).status == 403)
            #expect(try await api.ask("ada", "POST", "/v1/intents", body: body).status == 403)
            for path in ["/v1/recipients/ada", "/api/notifications"] {
                let unknown = try await api.ask("GET", path, authorization: "Bearer tid_\(String(repeating: "0", count: 60))")
                #expect(unknown.status == 401 && unknown.problem == "invalid-token", "\(path): \(unknown.text)")
            }

            let writer = try await api.key("intents:write", "recipients:write", tenant: "acme")
            let foreign = body.replacingOccurrences(of: #""recipient""#, with: #""tenant":"globex","recipient""#)
            #expect(try await api.ask("POST", "/v1/intents", authorization: writer, body: foreign).status == 403)
            let path = "/v1/recipients/ada/preferences?tenant=globex"
            #expect(try await api.ask("PUT", path, authorization: writer, body: "{}").status == 403)
        }
    }

    @Test func aRequestWithoutAnOperationHasAProblemDocument() async throws {
        try await withAPI { api in
            let unknown = try await api.ask("GET", "/api/nothing")
            #expect(unknown.status == 404 && unknown.problem == "not-found" && unknown.type == "application/problem+json")
            let wrong = try await api.ask("POST", "/api/notifications", authorization: "Bearer x", body: "{}")
            #expect(wrong.status == 405 && wrong.problem == "method-not-allowed")
            for path in ["//api/notifications", "/api//notifications", "/api/notifications/", "/API/notifications"] {
                #expect(try await api.ask("ada", "GET", path).status == 404, "\(path)")
            }
            for path in ["/api/notifications/%00", "/api/notifications/%zz", "/api/notifications/%ff"] {
                #expect(try await api.ask("ada", "GET", path).status == 400, "\(path)")
            }
            for query in ["limit=0", "limit=x", "limit=-1", "offset=x", "cursor=%2B", "cursor=&offset=1", "limit=1&limit=2"] {
                let answer = try await api.ask("ada", "GET", "/api/notifications?\(query)")
                #expect(answer.status == 422 && answer.problem == "invalid", "\(query): \(answer.text)")
            }
            #expect(try await api.ask("ada", "GET", "/api/notifications?limit=5000").json["limit"] == 100)
            for body in [#"{"quietHoursStart":"24:00"}"#, #"{"timeZone":"Mars"}"#, #"{"enabledCategories":["none"]}"#, "[]"] {
                #expect(try await api.ask("ada", "PUT", "/api/preferences", body: body).status == 422, "\(body)")
            }
            #expect(try await api.ask("ada", "PUT", "/api/preferences", body: "{").status == 400)
            for coding in ["gzip", "br", "x-own"] {
                let answer = try await api.ask(
                    "PUT", "/api/preferences", authorization: "Bearer \(api.token(for: "ada"))", headers: [("content-encoding", coding)],
                    body: "{}")
                #expect(answer.status == 415 && answer.text.contains("Content-Encoding"), "\(coding): \(answer.text)")
            }
            let large = #"{"timeZone":""# + String(repeating: "a", count: 70_000) + #""}"#
            #expect(try await api.ask("ada", "PUT", "/api/preferences", body: large).status == 413)
        }
    }
}
