import Foundation
import Testing
import TidingsJSON
import TidingsJWT
import TidingsTestSupport

/// The login service of people: it may be away, and it may change its key.
@Suite struct TokenKeyTests {
    /// Backends and routers need no login service.
    @Test func theAPIRunsWithoutItsLoginService() async throws {
        let away = try AbsentService()
        let variables = ["TIDINGS_API_JWKS": "https://127.0.0.1:\(away.port)/keys"]
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            let person = try await api.ask("ada", "GET", "/api/notifications")
            #expect(person.status == 503 && person.problem == "unavailable", "\(person.text)")
            let ready = try await api.ask("GET", "/health/ready")
            #expect(ready.status == 503 && ready.text.contains("token keys: "), "\(ready.text)")
            let key = try await api.key("intents:write")
            let sent = try await api.ask(
                "POST", "/v1/intents", authorization: key, body: event(id: "k-1", to: "ada"), type: "application/cloudevents+json")
            #expect(sent.status == 202, "\(sent.text)")
        }
        withExtendedLifetime(away) {}
    }

    /// The first request with a token of a new key waits for the look at the set. It is not refused, because an app that is refused gives up.
    @Test func aTokenOfANewKeyWaitsForTheSet() async throws {
        let (first, second, third) = (JWTSigner(), JWTSigner(), JWTSigner())
        try await withFile(first.publicKeySet) { path in
            try await withAPI(variables: ["TIDINGS_API_JWKS": path], preparing: { _ in nil }) { api in
                func ask(_ signer: JWTSigner) async throws -> APIScene.Answer {
                    try await api.ask("GET", "/api/notifications", authorization: "Bearer \(signer.sign(APIScene.claims("ada")))")
                }
                #expect(try await ask(first).status == 200)
                try second.publicKeySet.write(toFile: path, atomically: true, encoding: .utf8)
                // Each unknown key waits for a look, and looks have a pause between them.
                try await withoutPlace {
                    let (known, forgotten) = (try await ask(second), try await ask(first))
                    #expect(known.status == 200, "\(known.text)")
                    #expect(forgotten.status == 401, "\(forgotten.text)")
                    // A set without a key leaves the last one in force. Whether other keys are new is not known.
                    try #"{"keys":[]}"#.write(toFile: path, atomically: true, encoding: .utf8)
                    #expect(try await ask(third).status == 503)
                    #expect(try await ask(second).status == 200)
                }
            }
        }
    }

    /// A withdrawn key ends the streams of its tokens, however long these would have lived.
    @Test func aStreamEndsWithItsKey() async throws {
        let (first, second) = (JWTSigner(), JWTSigner())
        try await withFile(first.publicKeySet) { path in
            try await withAPI(variables: ["TIDINGS_API_JWKS": path], preparing: { _ in nil }) { api in
                let stream = try StreamReader(api, person: "ada", token: first.sign(APIScene.claims("ada")))
                #expect(try await stream.next("inbox") != nil)
                try second.publicKeySet.write(toFile: path, atomically: true, encoding: .utf8)
                // The unknown key makes the API read the set. The next heartbeat of the stream looks at its key.
                try await withoutPlace {
                    let token = "Bearer \(second.sign(APIScene.claims("bob")))"
                    let answer = try await api.ask("GET", "/api/notifications", authorization: token)
                    #expect(answer.status == 200, "\(answer.text)")
                    let farewell = try await stream.next("bye")
                    #expect(farewell != nil)
                }
            }
        }
    }

    /// The login service may name one tenant, and no token may live for long.
    @Test func tenantsAndLivesAreBounded() async throws {
        let variables = ["TIDINGS_API_TENANTS": "acme", "TIDINGS_API_TOKEN_LIFETIME": "2h"]
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            func status(_ change: (inout JSONObject) -> Void) async throws -> Int {
                try await api.ask("GET", "/api/notifications", authorization: "Bearer \(api.token(for: "ada", change))").status
            }
            #expect(try await status { $0["tenant"] = "acme" } == 200)
            #expect(try await status { $0["tenant"] = "globex" } == 401)
            #expect(try await status { _ in } == 401, "the default tenant")
            let late = JSON(integerLiteral: Int64(Date().timeIntervalSince1970) + 8_000)
            let refused = try await status { claims in
                claims["tenant"] = "acme"
                claims["exp"] = late
            }
            #expect(refused == 401)
        }
    }
}
