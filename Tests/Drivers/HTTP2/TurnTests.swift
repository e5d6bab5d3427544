import Glibc
import Testing
import TidingsHTTP
import TidingsSocket
import TidingsTestSupport

@testable import TidingsHTTP2
@testable import TidingsHTTP2Server

/// Several events that arrive in one turn of the loop.
@Suite struct TurnTests {
    /// Sends the frames and cancels the request while the transport's thread is busy. The loop therefore finds both in its next turn.
    private func whenBothArrive(_ frames: [RawFrame]) async throws -> HTTPResult {
        var result: HTTPResult?
        try await RawServer.run { server, transport in
            let request = Task { await transport.send(.patient(path: "/")) }
            let connection = try await server.accept(sending: .settings)
            #expect(try await connection.next(RawFrame.head).stream == 1)
            await transport.perform {
                connection.send(frames)
                request.cancel()
            }
            result = await request.value
        }
        return try #require(result)
    }

    @Test func aCancellationFindsTheRequestThatWasRefused() async throws {
        let failure = try await whenBothArrive([.reset(1, code: 7)]).failure
        #expect(failure?.kind == .cancelled)
        #expect(failure?.requestMayHaveArrived == false)
    }

    @Test func anAnswerCountsMoreThanACancellation() async throws {
        #expect(try await whenBothArrive([.answer(1)]).status == 200)
    }

    @Test func theHeadOfAnAnswerCountsMoreThanACancellation() async throws {
        guard case .response(let response) = try await whenBothArrive([.answer(1, isLast: false)]) else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == 200)
        #expect(response.bodyTruncated)
    }

    @Test func anAnswerCountsMoreThanARefusal() async throws {
        try await RawServer.run { server, transport in
            async let result = transport.send(.patient(path: "/"))
            let connection = try await server.accept(sending: .settings)
            #expect(try await connection.next(RawFrame.head).stream == 1)
            connection.send([.answer(1, isLast: false), .reset(1, code: 7)])
            guard case .response(let response) = await result else {
                Issue.record("no answer")
                return
            }
            #expect(response.status == 200)
            #expect(response.bodyTruncated)
        }
    }

    /// A failed write closes the connection. The server's earlier frames are still unread then.
    @Test func anAnswerSentBeforeAWriteFailedCounts() async throws {
        let server = try RawServer()
        let connection = ClientConnection(
            id: 1, origin: try HTTP2Origin("https://127.0.0.1:\(server.port)"),
            configuration: HTTP2Configuration(origin: "https://127.0.0.1:\(server.port)"),
            context: try TLSContext(trusting: server.authorityFile))
        async let accepted = server.accept(sending: .settings)
        connection.resolved(.success([server.address]))
        while !connection.canBegin {
            let interest = try #require(connection.interest)
            #expect(interest.isReady(before: .now + .seconds(10).patient))
            connection.progress()
            connection.flush()
        }
        let raw = try await accepted
        let results = Results()
        connection.begin(results.exchange(1))
        connection.flush()
        #expect(try await raw.next(RawFrame.head).stream == 1)
        raw.send([.answer(1), .goAway(lastStream: 1)])
        raw.reset()
        let interest = try #require(connection.interest)
        // On a busy machine the kernel delivers the reset later. A write before that would succeed.
        #expect(interest.isReset(before: .now + .seconds(10).patient))
        connection.begin(results.exchange(2))
        blockBrokenPipeSignal()
        connection.flush()
        #expect(connection.isClosed)
        for (exchange, result) in connection.dequeueSettled() { exchange.finish(result) }
        #expect(results.all[1]?.status == 200)
        let returned = connection.dequeueReturned()
        #expect(returned.map(\.id) == [2], "\(results.all)")
        returned.forEach { $0.fail(.cancelled, "the test is over") }
    }

    /// A connection with a fast peer is read up to its share of a turn, and again in the next turn.
    @Test func aReadTakesItsShareOfATurn() async throws {
        let certificate = try #require(SelfSignedCertificate())
        let file = try certificate.writeAuthorityFile()
        defer { unlink(file) }
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        let server = try #require(TLSStream(try TLSContext(presenting: certificate), socket: ends[0], serverName: nil))
        let client = try #require(TLSStream(try TLSContext(trusting: file), socket: ends[1], serverName: "127.0.0.1"))
        var steps: [TLSStream.Progress] = []
        while steps.suffix(2) != [.done, .done] {
            steps += [client.handshake(), server.handshake()]
            try #require(steps.count < 20, "\(steps)")
        }
        for _ in 0..<TLSStream.chunksPerRead + 3 {
            var output = OutputBuffer()
            [UInt8](repeating: 7, count: 10).withUnsafeBytes { output.append($0) }
            #expect(server.write(&output) == .done)
        }
        var pieces = 0
        let count = { (_: UnsafeRawBufferPointer) in
            pieces += 1
            return true
        }
        #expect(client.read(count) == .done)
        #expect(pieces == TLSStream.chunksPerRead)
        #expect(client.read(count) == .mustWait)
        #expect(pieces == TLSStream.chunksPerRead + 3)
    }

    @Test func aFrameThatATurnLeavesIsReadInTheNext() async throws {
        try await RawServer.run { server, transport in
            async let result = transport.send(.patient(path: "/"))
            let connection = try await server.accept(sending: .settings)
            #expect(try await connection.next(RawFrame.head).stream == 1)
            await transport.perform {
                connection.send([RawFrame](repeating: .windowUpdate(), count: 3 * TLSStream.chunksPerRead) + [.answer(1)])
            }
            #expect(await result.status == 200)
        }
    }
}

/// A process that stood still while frames arrived and the time-out passed.
@Suite struct HTTP2PauseTests {
    /// Sends a request, lets the server send these frames, one TLS record each, while the loop's thread stands still, and lets the loop go on
    /// this long after the time-out.
    private func result(afterPause beyond: Duration, sending frames: [RawFrame]) async throws -> HTTPResult {
        let server = try RawServer()
        let loop = try PausingLoop(server)
        async let result = loop.send(.patient(path: "/"))
        let connection = try await server.accept(sending: .settings)
        #expect(try await connection.next(RawFrame.head).stream == 1)
        await loop.pause(until: beyond) { connection.send(frames) }
        if frames.isEmpty { await loop.turn() }
        let value = await result
        await loop.end()
        return value
    }

    @Test func anAnswerThatCameDuringAPauseCounts() async throws {
        #expect(try await result(afterPause: .seconds(3_600), sending: [.answer(1)]).status == 200)
    }

    /// The answer is not in the part that the first turn reads.
    @Test func anAnswerBehindOtherFramesCounts() async throws {
        let others = [RawFrame](repeating: .windowUpdate(), count: 3 * TLSStream.chunksPerRead)
        #expect(try await result(afterPause: .milliseconds(500), sending: others + [.answer(1)]).status == 200)
    }

    @Test(arguments: [0, 3 * TLSStream.chunksPerRead]) func aPauseWithoutAnAnswerEndsTheRequest(_ others: Int) async throws {
        let frames = [RawFrame](repeating: .windowUpdate(), count: others)
        let failure = try await result(afterPause: .seconds(2), sending: frames).failure
        #expect(failure?.kind == .timeoutAfterSend)
        #expect(failure?.requestMayHaveArrived == true)
    }
}

/// A loop on a thread that a test can make stand still.
private actor PausingLoop {
    private let thread: SocketThread
    private let loop: HTTP2Loop
    private var deadline: ContinuousClock.Instant?
    /// The instant at which every poll seems to begin.
    private var moment: ContinuousClock.Instant?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ server: RawServer) throws {
        let configuration = HTTP2Configuration(origin: "https://127.0.0.1:\(server.port)")
        thread = try SocketThread(starting: "http2-pause")
        loop = HTTP2Loop(
            configuration: configuration, origin: try HTTP2Origin(configuration.origin),
            context: try TLSContext(trusting: server.authorityFile), thread: thread, mailbox: try SocketMailbox())
    }

    func send(_ request: HTTP2Request) async -> HTTPResult {
        thread.whenReady { ready, polledAt in self.assumeIsolated { $0.loop.drive(ready, polledAt: $0.moment ?? polledAt) } }
        return await withCheckedContinuation { continuation in
            let exchange = HTTP2Exchange(id: 1, request: request) { continuation.resume(returning: $0) }
            deadline = exchange.deadline
            loop.start(exchange)
        }
    }

    /// Runs the body on the thread, which handles nothing else meanwhile. Afterwards it is this long after the time-out.
    func pause(until beyond: Duration, _ body: @Sendable () -> Void) {
        body()
        moment = deadline.map { $0 + beyond }
    }

    /// Runs a turn that finds no socket ready.
    func turn() { loop.drive([], polledAt: moment ?? .now) }

    func end() {
        thread.whenReady(nil)
        loop.close()
        thread.stop()
    }
}

/// The results of requests that run without a transport.
private final class Results {
    var all: [UInt64: HTTPResult] = [:]

    func exchange(_ id: UInt64) -> HTTP2Exchange {
        HTTP2Exchange(id: id, request: .patient(path: "/\(id)")) { self.all[id] = $0 }
    }
}

extension HTTP2Transport {
    /// Runs the body on the transport's thread, which handles nothing else meanwhile.
    fileprivate func perform(_ body: @Sendable () -> Void) { body() }
}
