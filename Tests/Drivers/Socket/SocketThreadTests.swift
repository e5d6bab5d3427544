import Glibc
import Testing
import TidingsSocket

private actor Reader {
    let thread: SocketThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private var waiting: CheckedContinuation<Int, Never>?
    /// The instant at which the last poll began.
    private(set) var polledAt: ContinuousClock.Instant?

    init(thread: SocketThread) { self.thread = thread }

    func isOnThread() -> Bool { thread.isCurrent }

    func bytes(from socket: Int32, until deadline: ContinuousClock.Instant?) async -> Int {
        await withCheckedContinuation { continuation in
            waiting = continuation
            thread.whenReady { ready, polledAt in self.assumeIsolated { $0.finish(ready.first?.fd, polledAt) } }
            thread.watch([.reading(socket)], until: deadline)
        }
    }

    private func finish(_ socket: Int32?, _ polledAt: ContinuousClock.Instant) {
        self.polledAt = polledAt
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = socket.map { read($0, &buffer, buffer.count) } ?? 0
        thread.watch([], until: nil)
        waiting?.resume(returning: count)
        waiting = nil
    }

    func end() {
        thread.whenReady(nil)
        thread.stop()
    }
}

@Suite struct SocketThreadTests {
    @Test func actorRunsOnItsThreadAndSeesItsSocket() async throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { pair.forEach { close($0) } }
        let reader = Reader(thread: SocketThread(name: "test-reader"))
        #expect(await reader.isOnThread())
        let socket = pair[0]
        async let count = reader.bytes(from: socket, until: nil)
        #expect(write(pair[1], "hello", 5) == 5)
        let received = await count
        #expect(received == 5)
        await reader.end()
    }

    @Test func deadlineWakesWithoutASocket() async throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { pair.forEach { close($0) } }
        let reader = Reader(thread: SocketThread(name: "test-deadline"))
        let start = ContinuousClock.now
        #expect(await reader.bytes(from: pair[0], until: start + .milliseconds(30)) == 0)
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        let polledAt = try #require(await reader.polledAt)
        #expect(polledAt >= start + .milliseconds(30), "the poll that found nothing began before the deadline")
        await reader.end()
    }

    @Test func manyCallersShareOneThread() async {
        let reader = Reader(thread: SocketThread(name: "test-many"))
        let all = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2_000 { group.addTask { await reader.isOnThread() } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(all == 2_000)
        await reader.end()
    }
}
