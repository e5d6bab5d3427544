import Testing
import TidingsHTTP
import TidingsHTTP2
import TidingsHTTP2Server

/// Requests and answers over real TLS connections on loopback.
@Suite struct ExchangeTests {
    @Test func aRequestArrivesAsSentAndItsAnswerReturnsAsGiven() async throws {
        try await TestServer.run { request, _ in
            .response(status: 200, headers: [("apns-id", "7")], body: request.body)
        } _: { server in
            let result = await server.transport.send(
                .patient(
                    path: "/3/device/ab?x=1", headers: [("authorization", "bearer secret"), ("apns-topic", "com.example")],
                    unindexed: ["authorization"], body: Array("hello".utf8)))
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 200)
            #expect(response.header("apns-id") == "7")
            #expect(response.body == Array("hello".utf8))
            #expect(!response.bodyTruncated)
            let request = try #require(server.log.all.first)
            #expect(request.method == "POST")
            #expect(request.path == "/3/device/ab?x=1")
            #expect(request.authority.hasPrefix("127.0.0.1:"))
            #expect(
                request.headers.map { "\($0.0): \($0.1)" } == [
                    "authorization: bearer secret", "apns-topic: com.example", "user-agent: Tidings", "content-length: 5",
                ])
        }
    }

    @Test func manyAtOnceShareAFewConnections() async throws {
        try await TestServer.run(maximumStreams: 50, connections: 3) { request, _ in
            .response(status: 200, headers: [], body: request.body)
        } _: { server in
            let answers = await withTaskGroup(of: (Int, String?).self) { group in
                for number in 0..<1_000 {
                    group.addTask { (number, await server.transport.send(.patient(path: "/", body: Array("\(number)".utf8))).text) }
                }
                return await group.reduce(into: [Int: String?]()) { $0[$1.0] = $1.1 }
            }
            #expect(answers.count == 1_000)
            #expect(answers.allSatisfy { $0.value == "\($0.key)" })
            #expect(server.log.all.count == 1_000)
            #expect(server.log.connections.count <= 3)
        }
    }

    @Test func largeBodiesPassTheWindowsOfFlowControl() async throws {
        let body = (0..<900_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await TestServer.run { request, _ in
            .response(status: 200, headers: [], body: request.body)
        } _: { server in
            let result = await server.transport.send(.patient(path: "/", body: body, maximumResponseBytes: 1 << 20))
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.body == body)
        }
    }

    @Test func anAnswerThatIsTooLongIsCut() async throws {
        try await TestServer.run { _, _ in
            .response(status: 200, headers: [], body: [UInt8](repeating: 120, count: 200_000))
        } _: { server in
            let result = await server.transport.send(.patient(path: "/", maximumResponseBytes: 1_000))
            guard case .response(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 200)
            #expect(response.body.count == 1_000)
            #expect(response.bodyTruncated)
            let next = await server.transport.send(.patient(path: "/next", maximumResponseBytes: 300_000))
            #expect(next.text?.utf8.count == 200_000)
        }
    }

    @Test(
        arguments: [
            HTTP2Request.patient(method: "post", path: "/"), HTTP2Request.patient(path: "nothing"), HTTP2Request.patient(path: "/a b"),
            HTTP2Request.patient(path: "/", headers: [("Upper", "x")]), HTTP2Request.patient(path: "/", headers: [("", "x")]),
            HTTP2Request.patient(path: "/", headers: [(":path", "/x")]), HTTP2Request.patient(path: "/", headers: [("a", "x\r\nb: y")]),
            HTTP2Request.patient(path: "/", headers: [("a", " x")]),
        ])
    func aMalformedRequestIsRefused(_ request: HTTP2Request) async throws {
        let transport = try HTTP2Transport.open(HTTP2Configuration(origin: "https://127.0.0.1:9"))
        let failure = await transport.send(request).failure
        #expect(failure?.kind == .invalidHeader)
        #expect(failure?.requestMayHaveArrived == false)
        await transport.close()
    }

    @Test(arguments: ["http://a.example", "https://", "https://a.example/", "https://a@b", "https://a:0", "https://a:x", "https://:443"])
    func aTextThatIsNoOriginIsRefused(_ origin: String) {
        let failure = #expect(throws: HTTPFailure.self) { _ = try HTTP2Transport.open(HTTP2Configuration(origin: origin)) }
        #expect(failure?.kind == .invalidURL)
    }
}
