import Testing
import TidingsHTTP
import TidingsHTTP2Server

@testable import TidingsHTTP2

/// The frames that the server sends when it goes away.
@Suite struct GoAwayTests {
    @Test func aGoAwayAtTheFirstRequestNamesNoStream() async throws {
        try await TestServer.run(firstStreams: 100) { _, _ in
            .goAway(processed: false, words: "")
        } _: { server in
            let client = try await RawConnection.connect(port: server.port, trusting: server.authorityFile)
            client.send(RawFrame.preface)
            client.send([.settings, .request(1, path: "/last")])
            #expect(try await client.next(RawFrame.goAway).lastStream == 0)
            #expect(try await client.remainingFrames().allSatisfy { $0.type != RawFrame.head })
        }
    }

    @Test func theOneBeforeWasTheLast() async throws {
        try await TestServer.run(firstStreams: 100) { request, _ in
            request.path == "/last" ? .goAway(processed: false, words: "") : response()
        } _: { server in
            let client = try await RawConnection.connect(port: server.port, trusting: server.authorityFile)
            client.send(RawFrame.preface)
            client.send([.settings, .request(1, path: "/first")])
            #expect(try await client.next(RawFrame.head).stream == 1)
            client.send([.request(3, path: "/last")])
            #expect(try await client.next(RawFrame.goAway).lastStream == 1)
            #expect(try await client.remainingFrames().allSatisfy { $0.type != RawFrame.head })
        }
    }

    /// The GOAWAY covers a later request that the handler already has, and the request is answered. Otherwise a client would send the
    /// request again.
    @Test func aLaterOneThatIsLookedAtIsCovered() async throws {
        let (gate, arrived) = (Gate(), Gate())
        try await TestServer.run(firstStreams: 100) { request, _ in
            switch request.path {
            case "/last":
                await arrived.wait()
                return .goAway(processed: false, words: "")
            case "/later":
                await arrived.open()
                await gate.wait()
                return response()
            default: return response()
            }
        } _: { server in
            let client = try await RawConnection.connect(port: server.port, trusting: server.authorityFile)
            client.send(RawFrame.preface)
            client.send([.settings, .request(1, path: "/first")])
            #expect(try await client.next(RawFrame.head).stream == 1)
            client.send([.request(3, path: "/last"), .request(5, path: "/later")])
            #expect(try await client.next(RawFrame.goAway).lastStream == 5)
            await gate.open()
            #expect(try await client.remainingFrames().filter { $0.type == RawFrame.head }.map(\.stream) == [5])
        }
    }

    @Test func aGoAwayThatProcessedItsRequestNamesTheLastStreamSeen() async throws {
        let arrived = Gate()
        try await TestServer.run(firstStreams: 100) { request, _ in
            if request.path == "/last" {
                await arrived.wait()
                return .goAway(processed: true, words: "")
            }
            await arrived.open()
            return response()
        } _: { server in
            let client = try await RawConnection.connect(port: server.port, trusting: server.authorityFile)
            client.send(RawFrame.preface)
            client.send([.settings, .request(1, path: "/last"), .request(3, path: "/later")])
            #expect(try await client.next(RawFrame.goAway).lastStream == 3)
        }
    }
}

extension RawFrame {
    fileprivate var lastStream: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
