import Testing
import TidingsJSON
import TidingsTestSupport

/// A stream ends with its client, however the client goes. Nothing of it stays in the process.
@Suite struct StreamEndTests {
    private static func request(_ method: String, of person: String, _ api: APIScene) -> String {
        "\(method) /api/notifications/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(api.token(for: person))\r\n\r\n"
    }

    @Test func theHeadAloneOpensNoStream() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            for _ in 0..<5 {
                let client = try RawClient(port: api.port)
                client.send(Self.request("HEAD", of: "ada", api))
                let answer = await client.read(until: "\r\n\r\n").lowercased()
                #expect(answer.hasPrefix("http/1.1 405 ") && answer.contains("allow: get\r\n"), "\(answer)")
            }
            #expect(try await api.metric("tidings_api_streams") == 0)
        }
    }

    /// A process that is killed sends no `bye`. Its clients know when to come back all the same.
    @Test func theFirstEventTellsWhenToReconnect() async throws {
        try await withAPI { api in
            let client = try RawClient(port: api.port)
            client.send(Self.request("GET", of: "ada", api))
            let answer = await client.read(until: "\ndata: ")
            let line = answer.split(whereSeparator: \.isNewline).first { $0.hasPrefix("retry: ") }
            let wait = try #require(line.flatMap { Int($0.dropFirst("retry: ".count)) }, "\(answer)")
            #expect((1_000...31_000).contains(wait))
        }
    }

    @Test func aPersonWithTooManyStreamsLosesTheOldest() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let other = try StreamReader(api, person: "bob")
            #expect(try await other.next("inbox") != nil)
            var streams: [StreamReader] = []
            for _ in 0..<21 {
                let stream = try StreamReader(api, person: "ada")
                #expect(try await stream.next("inbox") != nil)
                streams.append(stream)
            }
            #expect(try await streams[0].next("bye") != nil)
            let isBounded = try await eventually { try await api.metric("tidings_api_streams") == 21 }
            #expect(isBounded)
            // The next oldest stream and that of another person go on.
            for person in ["ada", "bob"] { await api.pipeline.publish(event(id: "n-\(person)", type: "LOAN_APPROVED", to: person)) }
            #expect(try await streams[1].next("inbox")?["total"] == 1)
            #expect(try await other.next("inbox")?["total"] == 1)
        }
    }

    /// The people of one tenant have opened nearly all streams of a process. One of them gives way to a person of another tenant.
    @Test func theLargestTenantGivesWay() async throws {
        let variables = HealthClient.variables.merging(["TIDINGS_API_CONNECTIONS": "16"]) { $1 }
        try await withAPI(variables: variables, preparing: { _ in nil }) { api in
            var streams: [StreamReader] = []
            for number in 0..<14 {
                let stream = try StreamReader(api, person: "person-\(number)")
                #expect(try await stream.next("inbox") != nil)
                streams.append(stream)
            }
            #expect(try await api.metric("tidings_api_streams") == 14)
            let other = try StreamReader(api, person: "ann", token: api.token(for: "ann") { $0["tenant"] = "acme" })
            #expect(try await other.next("inbox") != nil)
            let isBounded = try await eventually { try await api.metric("tidings_api_streams") == 14 }
            #expect(isBounded)
            withExtendedLifetime(streams) {}
        }
    }

    @Test func aStreamWhoseClientLeavesBeforeTheAnswerIsClosed() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let reader = try StreamReader(api, person: "ada")
            #expect(try await reader.next("inbox") != nil)
            #expect(try await api.metric("tidings_api_streams") == 1)

            // These clients keep their connections: only the server can end the streams.
            var leaving: [RawClient] = []
            for _ in 0..<50 {
                let ending = try RawClient(port: api.port)
                ending.send(Self.request("GET", of: "eve", api))
                ending.finish()
                leaving.append(ending)
                let lost = try RawClient(port: api.port)
                lost.send(Self.request("GET", of: "eve", api))
                lost.reset()
            }
            // A connection that is reset at once may never have been a request.
            let areAnswered = try await api.pipeline.roles.prints { log in
                log.split(separator: "\n").count { $0.contains("operation=streamNotifications") } > 50
            }
            #expect(areAnswered)
            let areClosed = try await eventually { try await api.metric("tidings_api_streams") == 1 }
            #expect(areClosed)
            #expect(leaving.count == 50)
        }
    }
}
