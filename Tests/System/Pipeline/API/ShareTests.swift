import Testing
import TidingsJSON
import TidingsTestSupport

/// A caller over its share is told so, and costs no other caller anything.
@Suite struct ShareTests {
    /// An id that is none.
    private static let path = "/v1/notifications/01a211a4-318c-7610-a6e0-44805af145a0"

    /// The share that the first refused of some requests names. Nil if all were answered.
    private static func refusedShare(_ ask: () async throws -> APIScene.Answer) async throws -> JSON? {
        for _ in 0..<20 {
            let answer = try await ask()
            guard answer.status == 429 else { continue }
            #expect(answer.problem == "rate-limited", "\(answer.text)")
            return answer.json["share"]
        }
        return nil
    }

    @Test func aKeyAndItsTenantHaveShares() async throws {
        let variables = ["TIDINGS_API_REQUESTS_PER_BACKEND": "2", "TIDINGS_API_REQUESTS_PER_TENANT": "3"]
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            let first = try await api.key("notifications:read", tenant: "acme")
            let second = try await api.key("notifications:read", tenant: "acme")
            let other = try await api.key("notifications:read", tenant: "globex")
            let ofKey = try #require(try await Self.refusedShare { try await api.ask("GET", Self.path, authorization: first) })
            #expect(ofKey["of"] == "key" && ofKey["unit"] == "requests" && ofKey["limit"] == 4 && ofKey["used"] == 4, "\(ofKey)")
            let ofTenant = try #require(try await Self.refusedShare { try await api.ask("GET", Self.path, authorization: second) })
            #expect(ofTenant["of"] == "tenant" && ofTenant["limit"] == 6 && ofTenant["perSecond"] == 3, "\(ofTenant)")
            #expect(try await api.ask("GET", Self.path, authorization: other).status == 404)
        }
    }

    /// The bodies of these requests never come. They hold places, and leave those of another tenant alone.
    @Test func aTenantHoldsAShareOfTheRequestsInWork() async throws {
        try await withAPI { api in
            let (slow, other) = (try await api.key("recipients:write", tenant: "acme"), try await api.key("recipients:read"))
            let head = """
                PUT /v1/recipients/ada/preferences HTTP/1.1\r\nHost: x\r\nAuthorization: \(slow)\r\n\
                Content-Type: application/json\r\nContent-Length: 2\r\n\r\n
                """
            var holding: [RawClient] = []
            var refusal: String?
            _ = try await eventually {
                holding = try (0..<160).map { _ in try RawClient(port: api.port) }
                refusal = await Self.firstRefusal(of: holding, sending: head)
                return refusal != nil
            }
            #expect(refusal?.contains(#""share":{"of":"tenant","unit":"requests","used":128,"limit":128}"#) == true, "\(refusal ?? "none")")
            #expect(try await api.ask("GET", "/v1/recipients/ada/preferences", authorization: other).status == 200)
            for client in holding { client.reset() }
            let isFree = try await eventually {
                try await api.ask("PUT", "/v1/recipients/ada/preferences", authorization: slow, body: "{}").status == 200
            }
            #expect(isFree)
        }
    }

    /// Sends the head from each client, and returns the first answer that is 429. Nil if each had another answer: the server has waited 15 s
    /// for a body, or could not check a key.
    private static func firstRefusal(of clients: [RawClient], sending head: String) async -> String? {
        let (answers, teller) = AsyncStream.makeStream(of: String.self)
        for client in clients {
            client.send(head)
            // The task reads until its client is answered or reset.
            Task { teller.yield(await client.read(until: "}\n")) }
        }
        for await answer in answers.prefix(clients.count) where answer.hasPrefix("HTTP/1.1 429 ") { return answer }
        return nil
    }

    @Test func aPersonHasAShare() async throws {
        try await withAPI(variables: ["TIDINGS_API_REQUESTS_PER_PERSON": "2"], preparing: { _ in nil }) { api in
            let share = try #require(try await Self.refusedShare { try await api.ask("ada", "GET", "/api/notifications/unread-count") })
            #expect(share["of"] == "person" && share["limit"] == 4, "\(share)")
            #expect(try await api.ask("bob", "GET", "/api/notifications/unread-count").status == 200)
        }
    }
}
