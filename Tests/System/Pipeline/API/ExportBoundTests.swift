import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Exports whose clients take nothing hold a bounded part of the memory, and cost no other tenant anything.
@Suite struct ExportBoundTests {
    /// The exports that fill the share of a tenant: each counts 2 MiB of 32 MiB.
    private static let most = 16

    /// Begins exports at once and reads their heads only. The API disconnects a client that takes nothing for a while, so no export waits
    /// until another has begun. Returns the clients, or nil if an export was refused.
    private static func held(by api: APIScene, _ authorization: String) async throws -> [RawClient]? {
        let clients = try (0..<most).map { _ in try RawClient(port: api.port, buffering: 16 << 10) }
        let areHeld = await withTaskGroup(of: Bool.self) { group -> Bool in
            for client in clients {
                group.addTask {
                    client.send("GET /v1/recipients/ada/export HTTP/1.1\r\nHost: x\r\nAuthorization: \(authorization)\r\n\r\n")
                    return await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")
                }
            }
            var refused = 0
            for await isHeld in group where !isHeld { refused += 1 }
            return refused == 0
        }
        if areHeld { return clients }
        for client in clients { client.reset() }
        return nil
    }

    @Test func exportsThatAreNotReadHoldAShare() async throws {
        try await withAPI { api in
            // The export has 26 MB, which no kernel keeps for a client that reads nothing.
            _ = try await api.pipeline.system.query(
                """
                insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, title, body, data, created_at)
                select 'acme', 'ada', ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, 't', 'social', 'T',
                    repeat('b', 120000), '{}', tidings.clock()
                from generate_series(1, 220) n
                """)
            let exporter = try await api.key("recipients:export", tenant: "acme")
            let other = try await api.key("recipients:export", tenant: "globex")
            let path = "/v1/recipients/bob/export"
            #expect(try await api.ask("GET", path, authorization: exporter).status == 200)

            // The second round shows that the exports of the first one, and the refused one, have given back what they took.
            for round in 1...2 {
                let isRefused = try await eventually {
                    guard let clients = try await Self.held(by: api, exporter) else { return false }
                    defer { for client in clients { client.reset() } }
                    // The room is taken before the head is sent, so nothing has to be awaited here.
                    let refused = try await api.ask("GET", path, authorization: exporter)
                    // The machine was so slow that the API has disconnected a client meanwhile: begin again.
                    if refused.status == 200 { return false }
                    #expect(refused.status == 429 && refused.problem == "rate-limited", "\(refused.text)")
                    let share: JSON = ["of": "tenant", "unit": "bytes", "used": 33_554_432, "limit": 33_554_432]
                    #expect(refused.json["share"] == share, "\(refused.text)")
                    #expect(try await api.ask("GET", path, authorization: other).status == 200)
                    return true
                }
                #expect(isRefused, "round \(round)")
            }
            let isFree = try await eventually { try await api.ask("GET", path, authorization: exporter).status == 200 }
            #expect(isFree)
        }
    }
}
