import Testing
import TidingsJSON
import TidingsTestSupport

/// Bodies that are announced and never come cost a bounded part of the memory, and no other tenant anything.
@Suite struct BodyBoundTests {
    /// The head of a request whose body has the largest size.
    private static func head(_ authorization: String) -> String {
        """
        POST /v1/intents HTTP/1.1\r\nHost: x\r\nAuthorization: \(authorization)\r\n\
        Content-Type: application/cloudevents-batch+json\r\nContent-Length: 4194304\r\n\r\n
        """
    }

    private static let gauge = #"tidings_api_bytes_in_work{caller="tenants"}"#

    @Test func aTenantHoldsAShareOfTheMemory() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let (slow, other) = (try await api.key("intents:write", tenant: "acme"), try await api.key("intents:write"))
            var holding: [RawClient] = []
            for _ in 0..<4 {
                let client = try RawClient(port: api.port)
                client.send(Self.head(slow))
                holding.append(client)
            }
            let isHeld = try await eventually { try await api.metric(Self.gauge) == 16 << 20 }
            #expect(isHeld)

            // The next body is refused before any of it arrives.
            let beyond = try RawClient(port: api.port)
            beyond.send(Self.head(slow))
            let answer = await beyond.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("Retry-After: 1\r\n"), "\(answer)")
            #expect(answer.contains(#""share":{"of":"tenant","unit":"bytes","used":16777216,"limit":16777216}"#), "\(answer)")
            let sent = try await api.ask(
                "POST", "/v1/intents", authorization: other, body: event(id: "b-1", to: "ada"), type: "application/cloudevents+json")
            #expect(sent.status == 202, "\(sent.text)")

            // A client that goes away gives its room back.
            for client in holding { client.reset() }
            let isFree = try await eventually { try await api.metric(Self.gauge) == 0 }
            #expect(isFree)
        }
    }

    /// Without an announcement, the bytes count as they come.
    @Test func aChunkedBodyCountsAsItComes() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let key = try await api.key("intents:write")
            let client = try RawClient(port: api.port)
            client.send("POST /v1/intents HTTP/1.1\r\nHost: x\r\nAuthorization: \(key)\r\nContent-Type: application/json\r\n")
            client.send("Transfer-Encoding: chunked\r\n\r\n")
            #expect(try await api.metric(Self.gauge) == 0)
            client.send("3e8\r\n\(String(repeating: " ", count: 1_000))\r\n")
            let isCounted = try await eventually { try await api.metric(Self.gauge) == 1_000 }
            #expect(isCounted)
            client.send("0\r\n\r\n")
            #expect(await client.read(until: "}\n").hasPrefix("HTTP/1.1 400 "))
            let isFree = try await eventually { try await api.metric(Self.gauge) == 0 }
            #expect(isFree)
        }
    }
}
