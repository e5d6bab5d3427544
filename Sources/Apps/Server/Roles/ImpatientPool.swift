import FlyingSocks

/// Waits for sockets as its base does, but disconnects a peer that neither sends nor takes anything.
/// The HTTP server itself would keep such a connection for ever.
struct ImpatientPool<Base: AsyncSocketPool>: AsyncSocketPool {
    /// The longest wait for a peer. A scraper sends its request at once.
    private static var longestWait: Duration { .seconds(10) }

    private let base: Base

    init(_ base: Base) { self.base = base }

    func prepare() async throws { try await base.prepare() }

    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // The listening socket has no peer, and waits without a limit.
        guard (try? socket.remotePeer()) != nil else { return try await base.suspendSocket(socket, untilReadyFor: events) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await base.suspendSocket(socket, untilReadyFor: events) }
            group.addTask {
                try await Task.sleep(for: Self.longestWait)
                throw SocketError.disconnected
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
