import Testing
import TidingsTestSupport

/// Every request leaves one line in the log at the usual level, and counts in the metrics. Neither tells who a person is.
@Suite struct RequestLogTests {
    /// The lines about the request with this id. Waits for the first: the pipe of the log may be slower than the answer.
    private static func lines(about id: some StringProtocol, of api: APIScene) async throws -> [Substring] {
        _ = try await api.pipeline.roles.prints { $0.contains("request=\(id)") && $0.hasSuffix("\n") }
        return api.pipeline.roles.errorsSoFar.split(separator: "\n").filter { $0.contains("request=\(id)") }
    }

    @Test func everyRequestHasALineAndCounts() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let key = try await api.key("recipients:read", tenant: "acme")
            let id = try #require(key.split(separator: "_").dropFirst().first)
            let token = "Bearer \(api.token(for: "private-person"))"
            _ = try await api.ask("GET", "/api/notifications", authorization: token, headers: [("x-request-id", "r-person")])
            _ = try await api.ask(
                "GET", "/v1/recipients/private-person/devices", authorization: key, headers: [("x-request-id", "r-key")])
            let last: Character = key.last == "A" ? "E" : "A"
            _ = try await api.ask(
                "GET", "/v1/recipients/private-person", authorization: String(key.dropLast()) + String(last),
                headers: [("x-request-id", "r-wrong")])

            let expected = [
                "r-person": ["operation=listNotifications", "status=200", "caller=person", "milliseconds="],
                "r-key": ["operation=listRecipientDevices", "status=200", "caller=key", "key=\(id)"],
                "r-wrong": ["operation=getRecipient", "status=401", "caller=anyone", "key=\(id)", "reason=invalid-token"],
            ]
            for (request, parts) in expected {
                let lines = try await Self.lines(about: request, of: api)
                #expect(lines.count == 1, "\(lines)")
                for part in parts { #expect(lines.first?.contains(part) == true, "\(part): \(lines)") }
            }
            let log = api.pipeline.roles.errorsSoFar
            #expect(!log.contains("private-person") && !log.contains(String(token.suffix(40))))
            #expect(try await api.metric(#"tidings_api_requests_total{operation="listNotifications",status="2xx"}"#) == 1)
            #expect(try await api.metric(#"tidings_api_requests_total{operation="getRecipient",status="4xx"}"#) == 1)
            #expect(try await api.metric(#"tidings_api_refusals_total{reason="invalid-token"}"#) == 1)
            #expect(try await api.metric(#"tidings_api_request_duration_seconds_count{operation="listRecipientDevices"}"#) == 1)
        }
    }

    /// Bytes that are no request are answered by the server below the API, and are recorded all the same.
    @Test func bytesThatAreNoRequestHaveALineToo() async throws {
        try await withAPI(variables: HealthClient.variables, preparing: { _ in nil }) { api in
            let client = try RawClient(port: api.port)
            client.send("GARBAGE\r\n\r\n")
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("X-Content-Type-Options: nosniff\r\n"), "\(answer)")
            let marker = "urn:tidings:request:"
            let start = try #require(answer.firstRange(of: marker))
            let id = answer[start.upperBound...].prefix { $0.isLetter || $0.isNumber }
            #expect(answer.lowercased().contains("x-request-id: \(id)\r\n"), "\(answer)")
            let lines = try await Self.lines(about: id, of: api)
            #expect(lines.count == 1 && lines[0].contains("operation=unreadable") && lines[0].contains("status=400"), "\(lines)")
            #expect(try await api.metric(#"tidings_api_refusals_total{reason="malformed"}"#) == 1)
        }
    }
}
