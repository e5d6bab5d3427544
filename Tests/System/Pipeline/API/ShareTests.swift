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

    @Test func aKeyHasAShare() async throws {
        try await withAPI(variables: ["TIDINGS_API_REQUESTS_PER_BACKEND": "2"], preparing: { _ in nil }) { api in
            let key = try await api.key("notifications:read", tenant: "acme")
            let other = try await api.key("notifications:read", tenant: "acme")
            let share = try #require(try await Self.refusedShare { try await api.ask("GET", Self.path, authorization: key) })
            #expect(share["of"] == "key" && share["unit"] == "requests" && share["limit"] == 4 && share["used"] == 4, "\(share)")
            #expect(try await api.ask("GET", Self.path, authorization: other).status == 404)
        }
    }

    @Test func theKeysOfATenantHaveAShareTogether() async throws {
        try await withAPI(variables: ["TIDINGS_API_REQUESTS_PER_TENANT": "3"], preparing: { _ in nil }) { api in
            var keys: [String] = []
            for _ in 0..<8 { keys.append(try await api.key("notifications:read", tenant: "acme")) }
            let other = try await api.key("notifications:read", tenant: "globex")
            var next = 0
            let refused = try await Self.refusedShare {
                next += 1
                return try await api.ask("GET", Self.path, authorization: keys[next % keys.count])
            }
            let share = try #require(refused)
            #expect(share["of"] == "tenant" && share["limit"] == 6 && share["perSecond"] == 3, "\(share)")
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
