import Testing
import TidingsTestSupport

@testable import TidingsHTTP

/// Every way in which a request can fail, and whether the receiver may have seen the request.
struct TransportFailureTests {
    @Test(arguments: ["http://127.0.0.1", "http://[::1]", "http://[::ffff:127.0.0.1]", "http://localhost", "http://0.0.0.0"])
    func anAddressIsRefusedAtTheSocket(_ origin: String) async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n")])
        let guarding = AddressGuard(allowedSchemes: ["http"], allowedPorts: nil)
        let failure = try await withTransport {
            try await $0.send(.post("\(origin):\(server.port)/", guarding: guarding)).requireFailure()
        }
        #expect(failure.kind == .addressRefused)
        #expect(!failure.requestMayHaveArrived)
        #expect(failure.message.contains("is not public"))
        #expect(server.connections == 0)
    }

    @Test func namesThatStandForLoopbackPassOnlyByException() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No\r\n\r\n"), .waitForPeerToClose])
        let response = try await withTransport { try await $0.send(.post("http://localhost:\(server.port)/")).requireResponse() }
        #expect(response.status == 204)
    }

    @Test func theGuardAlsoHoldsForKeptConnections() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No\r\n\r\n"), .again])
        try await withTransport { transport in
            let status = try await transport.send(.post(server.url)).requireResponse().status
            #expect(status == 204)
            let strict = AddressGuard(allowedSchemes: ["http"], allowedPorts: nil)
            let failure = try await transport.send(.post(server.url, guarding: strict)).requireFailure()
            #expect(failure.kind == .addressRefused)
            #expect(!failure.requestMayHaveArrived)
        }
        #expect(server.requests == 1)
    }

    @Test func aURLIsRefusedForItsText() async throws {
        try await withTransport { transport in
            for (url, kind) in [
                ("http://2130706433/", HTTPFailure.Kind.invalidURL), ("ftp://127.0.0.1/", .schemeRefused),
                ("http://u:p@127.0.0.1/", .invalidURL),
            ] {
                let failure = try await transport.send(.post(url)).requireFailure()
                #expect(failure.kind == kind && !failure.requestMayHaveArrived)
            }
        }
    }

    @Test(arguments: [("x-a", "b\r\nx-c: d"), ("x-a", "b\nc"), ("x-a", "\u{0}"), ("x a", "b"), ("x-a:", "b"), ("", "b")])
    func aHeaderThatBreaksOutIsRefused(_ name: String, _ value: String) async throws {
        let server = try LoopbackServer([.readRequest])
        var request = HTTPRequest.post(server.url)
        request.headers.append((name, value))
        let failure = try await withTransport { [request] in try await $0.send(request).requireFailure() }
        #expect(failure.kind == .invalidHeader)
        #expect(server.connections == 0)
    }

    @Test func connectionRefused() async throws {
        let closed = try AbsentService()
        let failure = try await withTransport { try await $0.send(.post("http://127.0.0.1:\(closed.port)/")).requireFailure() }
        #expect(failure.kind == .connect && !failure.requestMayHaveArrived)
    }

    @Test func unknownHost() async throws {
        let failure = try await withTransport {
            try await $0.send(
                .post("http://no-such-host.invalid/", connectTimeout: .seconds(60).patient, totalTimeout: .seconds(60).patient)
            )
            .requireFailure()
        }
        #expect(failure.kind == .dns && !failure.requestMayHaveArrived)
    }

    @Test func handshakeWithWhatIsNotTLS() async throws {
        let server = try LoopbackServer([.send("this is not TLS\r\n"), .waitForPeerToClose])
        let failure = try await withTransport { try await $0.send(.post("https://127.0.0.1:\(server.port)/")).requireFailure() }
        #expect(failure.kind == .tls && !failure.requestMayHaveArrived)
    }

    @Test func timeoutBeforeSending() async throws {
        let server = try LoopbackServer([.waitForPeerToClose])  // the handshake gets no answer
        let failure = try await withTransport {
            try await $0.send(.post("https://127.0.0.1:\(server.port)/", connectTimeout: .milliseconds(200))).requireFailure()
        }
        #expect(failure.kind == .timeoutBeforeSend && !failure.requestMayHaveArrived)
    }

    @Test func timeoutAfterSending() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        let failure = try await withTransport {
            try await $0.send(.post(server.url, totalTimeout: .milliseconds(200))).requireFailure()
        }
        #expect(failure.kind == .timeoutAfterSend && failure.requestMayHaveArrived)
        #expect(server.requests == 1)
        await server.next { $0 == .disconnected }
    }

    @Test func headThatNeverEnds() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 200 OK\r\nx-slow: yes\r\nx-"), .waitForPeerToClose])
        let failure = try await withTransport {
            try await $0.send(.post(server.url, totalTimeout: .milliseconds(200))).requireFailure()
        }
        #expect(failure.kind == .timeoutAfterSend && failure.requestMayHaveArrived)
    }

    @Test func headThatIsTooLong() async throws {
        let line = "x-long: \(String(repeating: "x", count: 1_000))\r\n"
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever(line)])
        let failure = try await withTransport { try await $0.send(.post(server.url)).requireFailure() }
        #expect(failure.kind == .protocolError && failure.requestMayHaveArrived)
        #expect(failure.message.contains("head of the answer"))
    }

    @Test(arguments: [LoopbackServer.Step.reset, .send("")])
    func connectionEndsAfterSending(_ ending: LoopbackServer.Step) async throws {
        let server = try LoopbackServer([.readRequest, ending])
        let failure = try await withTransport { try await $0.send(.post(server.url)).requireFailure() }
        #expect(failure.kind == .resetAfterSend && failure.requestMayHaveArrived)
        #expect(server.requests == 1)
    }

    @Test func answerThatIsNotHTTP() async throws {
        let server = try LoopbackServer([.readRequest, .send("220 mail.example ESMTP ready\r\n")])
        let failure = try await withTransport { try await $0.send(.post(server.url)).requireFailure() }
        #expect(failure.kind == .protocolError && failure.requestMayHaveArrived)
    }

    /// A kept connection dies while the second request is under way. The receiver may have acted on the request, so the transport must not
    /// repeat it by itself.
    @Test func theTransportNeverResendsByItself() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No\r\n\r\n"), .readRequest])
        try await withTransport { transport in
            let status = try await transport.send(.post(server.url)).requireResponse().status
            #expect(status == 204)
            let failure = try await transport.send(.post(server.url)).requireFailure()
            #expect(failure.kind == .resetAfterSend && failure.requestMayHaveArrived)
        }
        #expect(server.requests == 2)
    }

    @Test func waitingForAConnectionCountsAgainstTheTimeouts() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        try await withTransport(HTTPConfiguration(maximumRequestsPerHost: 1)) { transport in
            async let first = transport.send(.post(server.url))
            await server.next { if case .request = $0 { true } else { false } }
            let second = try await transport.send(.post(server.url, totalTimeout: .milliseconds(200))).requireFailure()
            #expect(second.kind == .noRoom && !second.requestMayHaveArrived)
            await transport.close()
            let firstFailure = try await first.requireFailure()
            #expect(firstFailure.kind == .cancelled)
        }
        #expect(server.requests == 1)
    }
}
