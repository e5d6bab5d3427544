import Testing
import TidingsHTTP
import TidingsHTTP2
import TidingsHTTP2Server

/// The reason for decision 12: libcurl multiplexes HTTP/2, but its failure has the same kind whether a request was certainly not
/// processed or may have been processed.
@Suite struct LibcurlMultiplexingTests {
    /// The end of a request without a response.
    enum Ending: CaseIterable {
        case refusedStream, goAwayBeforeIt
        case brokenStream, goAwayAfterIt, closedConnection

        var answer: HTTP2ServerAnswer {
            switch self {
            case .refusedStream: .reset(code: 7)
            case .goAwayBeforeIt: .goAway(processed: false, words: "")
            case .brokenStream: .reset(code: 2)
            case .goAwayAfterIt: .goAway(processed: true, words: "")
            case .closedConnection: .hangUp
            }
        }

        var isCertainlyUnprocessed: Bool { self == .refusedStream || self == .goAwayBeforeIt }
    }

    @Test(arguments: Ending.allCases) func libcurlGivesOneFailureForAllEndings(_ ending: Ending) async throws {
        try await Self.whenEnding(ending) { server, arrived, gate in
            let transport = try HTTPTransport.open(HTTPConfiguration(certificateAuthorityFile: server.authorityFile))
            #expect(await transport.send(Self.get("/first", port: server.port)).status == 200)
            async let held = transport.send(Self.get("/held", port: server.port))
            await arrived.wait()
            let failure = await transport.send(Self.get("/case", port: server.port)).failure
            await gate.open()
            _ = await held
            await transport.close()
            #expect(failure?.kind == .resetAfterSend)
            #expect(failure?.requestMayHaveArrived == true)
            #expect(server.log.count(of: "/case") == 1)
            // All requests had the same connection, so libcurl did multiplex.
            #expect(server.log.connections == [1])
        }
    }

    @Test(arguments: Ending.allCases) func ourClientTellsTheEndingsApart(_ ending: Ending) async throws {
        try await Self.whenEnding(ending) { server, arrived, gate in
            #expect(await server.transport.send(.patient(path: "/first")).status == 200)
            async let held = server.transport.send(.patient(path: "/held"))
            await arrived.wait()
            let result = await server.transport.send(.patient(path: "/case"))
            await gate.open()
            _ = await held
            if ending.isCertainlyUnprocessed {
                #expect(result.status == 200)
                #expect(server.log.count(of: "/case") == 2)
            } else {
                #expect(result.failure?.kind == .resetAfterSend)
                #expect(result.failure?.requestMayHaveArrived == true)
                #expect(server.log.count(of: "/case") == 1)
            }
        }
    }

    /// libcurl starts both requests again, and the driver ends them. Even the message is the same.
    @Test func aRefusedStreamLooksToLibcurlLikeAResetConnection() async throws {
        let refused = try await Self.failureOfTheSecondRequest { connection, stream in connection.send([.reset(stream, code: 7)]) }
        let reset = try await Self.failureOfTheSecondRequest { connection, _ in connection.reset() }
        #expect(refused == reset)
        #expect(refused.requestMayHaveArrived)
    }

    // MARK: Servers

    /// Runs the body with a server that ends the first `/case` as told. It opens the first gate when `/held` arrives, and answers
    /// `/held` when the second gate opens.
    private static func whenEnding(_ ending: Ending, _ body: (TestServer, Gate, Gate) async throws -> Void) async throws {
        let (arrived, gate) = (Gate(), Gate())
        try await TestServer.run(firstStreams: 100) { request, log in
            switch request.path {
            case "/held":
                await arrived.open()
                await gate.wait()
                return response()
            case "/case" where log.count(of: "/case") == 1: return ending.answer
            default: return response()
            }
        } _: { server in
            try await body(server, arrived, gate)
        }
    }

    /// Answers the first request of a connection, and leaves the second to the test.
    private static func failureOfTheSecondRequest(endedBy end: (RawConnection, UInt32) -> Void) async throws -> HTTPFailure {
        let server = try RawServer()
        let transport = try HTTPTransport.open(HTTPConfiguration(certificateAuthorityFile: server.authorityFile))
        async let first = transport.send(get("/first", port: server.port))
        let connection = try await server.accept(sending: .settings)
        connection.send([.answer(try await connection.next(RawFrame.head).stream)])
        #expect(await first.status == 200)
        async let second = transport.send(get("/second", port: server.port))
        end(connection, try await connection.next(RawFrame.head).stream)
        // libcurl asks the driver about the second start only after the handshake of another connection. libcurl may close that one early.
        _ = try? await server.accept()
        let failure = await second.failure
        await transport.close()
        return try #require(failure)
    }

    private static func get(_ path: String, port: UInt16) -> HTTPRequest {
        let loopback = ["127.0.0.0/8"].compactMap { CIDR($0) }
        return HTTPRequest(
            method: "GET", url: "https://127.0.0.1:\(port)\(path)", guarding: AddressGuard(allowedPorts: nil, allowedNetworks: loopback))
    }
}
