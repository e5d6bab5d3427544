import Testing
import TidingsJSON

/// Failed logins count for their address.
@Suite struct LoginBoundTests {
    /// A key in the right form that nobody has.
    private static func wrongKey(_ number: Int) -> String {
        let digits = String(number)
        return "Bearer tid_\(String(repeating: "0", count: 16 - digits.count))\(digits)_\(String(repeating: "A", count: 43))"
    }

    @Test func anAddressMayNotGuessForEver() async throws {
        try await withAPI { api in
            // The tests are a proxy, which names its client.
            let client = [("x-forwarded-for", "198.51.100.7")]
            let known = "Bearer \(api.token(for: "ada"))"
            #expect(try await api.ask("GET", "/api/notifications", authorization: known, headers: client).status == 200)

            var refused: APIScene.Answer?
            for number in 0..<200 where refused == nil {
                let answer = try await api.ask("GET", "/v1/recipients/ada", authorization: Self.wrongKey(number), headers: client)
                if answer.status == 429 { refused = answer } else { #expect(answer.status == 401, "\(answer.text)") }
            }
            let share = try #require(refused?.json["share"])
            #expect(share["of"] == "address" && share["unit"] == "logins" && share["limit"] == 50, "\(share)")

            // Credentials that are known stay good, and another address may try.
            #expect(try await api.ask("GET", "/api/notifications", authorization: known, headers: client).status == 200)
            let fresh = "Bearer \(api.token(for: "ada"))"
            let elsewhere = try await api.ask(
                "GET", "/api/notifications", authorization: fresh, headers: [("x-forwarded-for", "203.0.113.7")])
            #expect(elsewhere.status == 200, "\(elsewhere.text)")
        }
    }

    /// An app whose token has expired asks for a new one. That is no attempt to guess.
    @Test func expiredTokensAreNoFailedLogins() async throws {
        try await withAPI { api in
            for _ in 0..<80 {
                let expired = api.token(for: "ada") { $0["exp"] = 1_000 }
                let answer = try await api.ask("GET", "/api/notifications", authorization: "Bearer \(expired)")
                #expect(answer.status == 401, "\(answer.text)")
            }
        }
    }
}
