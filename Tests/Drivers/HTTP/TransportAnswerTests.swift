import Glibc
import Testing
import TidingsTestSupport

@testable import TidingsHTTP

/// The bytes of a request on the wire, and the result of its answer.
struct TransportAnswerTests {
    private static let ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

    @Test func theTransportSendsExactlyTheGivenBytes() async throws {
        let server = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
        var request = HTTPRequest.post("http://127.0.0.1:\(server.port)/hook?a=b%20c#gone", body: "{\"a\":\"\u{e9}\"}")
        request.headers = [("webhook-id", "msg_1"), ("x-empty", ""), ("content-type", "application/json")]
        let response = try await withTransport(HTTPConfiguration(userAgent: "Tidings/test")) {
            try await $0.send(request).requireResponse()
        }
        #expect(response.status == 200)
        #expect(response.body == Array("ok".utf8))
        #expect(!response.bodyTruncated)
        var seen = ""
        for await event in server.events {
            if case .request(let text) = event {
                seen = text
                break
            }
        }
        #expect(seen.hasPrefix("POST /hook?a=b%20c HTTP/1.1\r\n"))
        #expect(seen.hasSuffix("\r\n\r\n{\"a\":\"\u{e9}\"}"))
        let head = seen.split(separator: "\r\n").dropFirst().prefix { $0.contains(":") && !$0.hasPrefix("{") }.map { $0.lowercased() }
        #expect(
            Set(head) == [
                "host: 127.0.0.1:\(server.port)", "accept: */*", "webhook-id: msg_1", "x-empty:", "content-type: application/json",
                "user-agent: tidings/test", "content-length: 10",
            ])
    }

    @Test func theHeadersAreReadAndInterimAnswersAreSkipped() async throws {
        let server = try LoopbackServer([
            .readRequest,
            .send(
                "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
                    + "HTTP/1.1 429 Slow\r\nRetry-After:  7 \r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n"
            ),
            .waitForPeerToClose,
        ])
        let response = try await withTransport { try await $0.send(.post(server.url)).requireResponse() }
        #expect(response.status == 429)
        #expect(response.header("retry-after") == "7")
        #expect(response.headers.filter { $0.0 == "x-a" }.map(\.1) == ["1", "2"])
        #expect(response.header("link") == nil)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func aRedirectIsNeverFollowed(_ status: Int) async throws {
        let elsewhere = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
        let server = try LoopbackServer([
            .readRequest, .send("HTTP/1.1 \(status) Moved\r\nlocation: \(elsewhere.url)\r\ncontent-length: 0\r\n\r\n"), .waitForPeerToClose,
        ])
        let response = try await withTransport { try await $0.send(.post(server.url)).requireResponse() }
        #expect(response.status == status)
        #expect(response.header("location") == elsewhere.url)
        #expect(elsewhere.connections == 0)
    }

    /// Runs in a process of its own. Other tests read the environment at the same time, which must not change meanwhile (setenv(3)).
    @Test func aProxyOfTheEnvironmentIsIgnored() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
            setenv("http_proxy", proxy.url, 1)
            setenv("ALL_PROXY", proxy.url, 1)
            let server = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
            let response = try await withTransport { try await $0.send(.post(server.url)).requireResponse() }
            #expect(response.status == 200)
            #expect(proxy.connections == 0)
            #expect(server.requests == 1)
        }
    }

    @Test func theStatusIsKeptWhenTheBodyIsTooLong() async throws {
        let server = try LoopbackServer([
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever(String(repeating: "x", count: 4_096)),
        ])
        var request = HTTPRequest.post(server.url)
        request.maximumResponseBytes = 10_000
        let response = try await withTransport { try await $0.send(request).requireResponse() }
        #expect(response.status == 200)
        #expect(response.body.count == 10_000)
        #expect(response.bodyTruncated)
        await server.next { $0 == .disconnected }
    }

    @Test func bodyAtTheLimitIsWhole() async throws {
        let server = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
        var request = HTTPRequest.post(server.url)
        request.maximumResponseBytes = 2
        let response = try await withTransport { try await $0.send(request).requireResponse() }
        #expect(response.body.count == 2 && !response.bodyTruncated)
    }

    @Test func theStatusIsKeptWhenTheBodyBreaksOff() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"), .reset])
        let response = try await withTransport { try await $0.send(.post(server.url)).requireResponse() }
        #expect(response.status == 200 && response.bodyTruncated)
    }

    @Test func theStatusIsKeptWhenTheBodyNeverEnds() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\nhalf"), .waitForPeerToClose])
        let response = try await withTransport { try await $0.send(.post(server.url, totalTimeout: .milliseconds(300))).requireResponse() }
        #expect(response.status == 503 && response.bodyTruncated)
        #expect(response.body == Array("half".utf8))
    }

    /// A response without end holds the only place of its host for a moment, not for the whole time-out.
    @Test func aBodyThatNeverEndsIsCut() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"), .waitForPeerToClose])
        try await withTransport(HTTPConfiguration(maximumRequestsPerHost: 1)) { transport in
            var request = HTTPRequest.post(server.url)
            request.bodyTimeout = .milliseconds(100)
            for _ in 0..<2 {
                let response = try await transport.send(request).requireResponse()
                #expect(response.status == 200 && response.bodyTruncated && response.body.count <= 4)
            }
        }
    }

    /// The limit of the body begins with its head. A head that comes late is no body that is late.
    @Test func theBodyHasItsTimeAfterTheHead() async throws {
        let server = try LoopbackServer([.readRequest, .send(Self.ok), .waitForPeerToClose])
        var request = HTTPRequest.post(server.url)
        request.bodyTimeout = .seconds(30).patient
        let response = try await withTransport { try await $0.send(request).requireResponse() }
        #expect(response.body == Array("ok".utf8) && !response.bodyTruncated)
    }

    @Test func otherMethods() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .again])
        try await withTransport { transport in
            for (method, body) in [("GET", ""), ("HEAD", ""), ("PUT", "x"), ("DELETE", ""), ("POST", "")] {
                var request = HTTPRequest.post(server.url, body: body)
                request.method = method
                let status = try await transport.send(request).requireResponse().status
                #expect(status == 204, "\(method)")
            }
        }
        var lines: [String] = []
        for await event in server.events {
            if case .request(let text) = event { lines.append(String(text.prefix { $0 != " " })) }
            if lines.count == 5 { break }
        }
        #expect(lines == ["GET", "HEAD", "PUT", "DELETE", "POST"])
    }

    @Test func manyAtOnceShareFewConnections() async throws {
        let server = try LoopbackServer([.readRequest, .send(Self.ok), .again])
        let statuses = try await withTransport(HTTPConfiguration(maximumRequests: 64, maximumRequestsPerHost: 8)) { transport in
            await withTaskGroup(of: Int?.self) { group in
                for number in 0..<500 {
                    group.addTask { await transport.send(.post(server.url, body: "\(number)")).response?.status }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
        }
        #expect(statuses == [200: 500])
        #expect(server.requests == 500)
        #expect(server.mostOpen <= 8)
    }
}
