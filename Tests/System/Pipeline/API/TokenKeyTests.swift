import Foundation
import Testing
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
        let (first, second) = (JWTSigner(), JWTSigner())
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
                    #expect(try await ask(first).status == 503)
                    #expect(try await ask(second).status == 200)
                }
            }
        }
    }
}
