import Foundation
import Testing
import TidingsSocket

@testable import TidingsHTTP

/// A process that stood still while an answer arrived and the time-out passed.
struct TransportPauseTests {
    /// The answer, or its head, lies in the socket when the loop goes on.
    @Test(arguments: ["HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel"])
    func anAnswerThatCameDuringAPauseCounts(_ answer: String) async throws {
        let (go, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try LoopbackServer([.readRequest, .hold(go), .send(answer), .signal(done), .waitForPeerToClose])
        let loop = try PausingLoop()
        async let result = loop.send(.post(server.url))
        await server.next { if case .request = $0 { true } else { false } }
        await loop.pause {
            go.signal()
            done.wait()
        }
        let response = try await result.requireResponse()
        #expect(answer.contains("\(response.status)"))
        #expect(response.bodyTruncated == (response.status == 200))
        await loop.end()
    }

    @Test func aPauseWithoutAnAnswerEndsTheRequest() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        let loop = try PausingLoop()
        async let result = loop.send(.post(server.url))
        await server.next { if case .request = $0 { true } else { false } }
        await loop.pause {}
        await loop.turn()
        let failure = try await result.requireFailure()
        #expect(failure.kind == .timeoutAfterSend && failure.requestMayHaveArrived)
        #expect(failure.message.contains("no answer within"))
        await loop.end()
    }
}

/// A loop on a thread that a test can make stand still.
private actor PausingLoop {
    private let thread: SocketThread
    private let loop: TransferLoop
    /// Added to the instant of each poll.
    private var paused = Duration.zero

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws {
        thread = try SocketThread(starting: "http-pause")
        loop = TransferLoop(configuration: HTTPConfiguration(), thread: thread, cancelled: try SocketMailbox())
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResult {
        let target = try HTTPTarget.parse(request.url, guarding: request.guarding).get()
        thread.whenReady { ready, polledAt in self.assumeIsolated { $0.loop.drive(ready, polledAt: polledAt + $0.paused) } }
        return await withCheckedContinuation { continuation in
            loop.start(Transfer(id: 1, request: request, target: target, continuation: continuation))
        }
    }

    /// Runs the body on the thread, which handles nothing else meanwhile. Afterwards every time-out of a test has passed.
    func pause(_ body: @Sendable () -> Void) {
        body()
        paused = .seconds(86_400)
    }

    /// Runs a turn that finds no socket ready.
    func turn() { loop.drive([], polledAt: .now + paused) }

    func end() {
        thread.whenReady(nil)
        loop.close()
        thread.stop()
    }
}
