import Testing
import TidingsTestSupport

/// Connections beyond a bound are answered and closed, and cost no other client anything.
@Suite struct ConnectionBoundTests {
    /// A request whose answer leaves the connection open.
    private static let request = "GET /api/preferences HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A client whose connection is open and served.
    private static func served(_ api: APIScene, from source: String? = nil) async throws -> RawClient {
        let client = try RawClient(port: api.port, from: source)
        client.send(request)
        let answer = await client.read(until: "}\n")
        #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
        return client
    }

    @Test func anAddressThatIsNoProxyHasABoundOfConnections() async throws {
        let variables = ["TIDINGS_API_PROXIES": "127.0.0.1", "TIDINGS_API_CONNECTIONS_PER_ADDRESS": "3"]
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            var open: [RawClient] = []
            for _ in 0..<3 { open.append(try await Self.served(api, from: "127.0.0.2")) }
            let answer = try await RawClient(port: api.port, from: "127.0.0.2").readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 429 ") && answer.contains("Retry-After: 5\r\n"), "\(answer)")
            #expect(answer.contains("urn:tidings:problem:rate-limited"), "\(answer)")
            // Another address, and a proxy, are served as before.
            open.append(try await Self.served(api, from: "127.0.0.3"))
            for _ in 0..<8 { open.append(try await Self.served(api)) }
            #expect(open.count == 12)
            #expect(api.pipeline.roles.errorsSoFar.contains("health and metrics have no address of their own"))
        }
    }

    /// Probes of a supervisor come through, whatever the clients of the API do.
    @Test func aFullProcessSaysSoAndItsHealthAnswers() async throws {
        let variables = HealthClient.variables.merging(["TIDINGS_API_CONNECTIONS": "4"]) { $1 }
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            var open: [RawClient] = []
            for _ in 0..<4 { open.append(try await Self.served(api)) }
            let answer = try await RawClient(port: api.port).readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("urn:tidings:problem:unavailable"), "\(answer)")
            let health = try await HealthClient(of: api.pipeline.roles)
            #expect(try await health.ask("/health/live").status == 200)
            #expect(try await health.ask("/metrics").status == 200)
            #expect(!api.pipeline.roles.errorsSoFar.contains("health and metrics have no address of their own"))
            #expect(open.count == 4)
        }
    }
}
