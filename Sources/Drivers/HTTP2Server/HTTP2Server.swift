import Glibc
public import TidingsHTTP
import TidingsHTTP2
import TidingsSocket

/// An HTTP/2 server over TLS on 127.0.0.1, on a thread of its own. Stand-ins of providers that speak only HTTP/2 use this server.
///
/// The server refuses a client that does not offer `h2`.
public actor HTTP2Server {
    /// A request whose answer is not ready yet.
    private struct Pending: Sendable {
        var connection: Int
        var stream: Int32
        var answer: @Sendable () async -> HTTP2ServerAnswer
    }

    private let configuration: HTTP2ServerConfiguration
    private let context: TLSContext
    private let listener: Int32
    private let thread: SocketThread
    private let pending: AsyncStream<Pending>
    private let pendingSink: AsyncStream<Pending>.Continuation
    private var handler: (@Sendable (HTTP2ServerRequest) -> HTTP2ServerReply)?
    private var connections: [Int32: ServerConnection] = [:]
    private var accepted = 0
    private var isStopped = false
    /// The port on which the server listens.
    public nonisolated let port: UInt16

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Starts to listen. Requests wait until ``run(_:)`` or ``run(answering:)``.
    // A static method and not a throwing initializer: if an actor with an isolated deinit has one, Swift 6.3 crashes in other modules of a
    // release build.
    public static func open(_ configuration: HTTP2ServerConfiguration) throws(HTTPFailure) -> HTTP2Server {
        let context = try TLSContext(presenting: configuration.certificate)
        let (listener, port) = try listen(port: configuration.port)
        do throws(SocketThread.StartError) {
            return HTTP2Server(configuration, context, listener: listener, port: port, thread: try SocketThread(starting: "http2-server"))
        } catch {
            Glibc.close(listener)
            throw failure(error.description)
        }
    }

    private init(_ configuration: HTTP2ServerConfiguration, _ context: TLSContext, listener: Int32, port: UInt16, thread: SocketThread) {
        self.configuration = configuration
        self.context = context
        self.listener = listener
        self.port = port
        self.thread = thread
        (pending, pendingSink) = AsyncStream.makeStream()
    }

    isolated deinit {
        close()
        thread.stop()
    }

    /// Answers requests concurrently until ``stop()`` or until the task is cancelled.
    public func run(_ handler: @escaping @Sendable (HTTP2ServerRequest) async -> HTTP2ServerAnswer) async {
        await run(answering: { request in .later { await handler(request) } })
    }

    /// Does the same for a handler that can answer most requests at once. The handler runs on the server's thread and must not block. Each
    /// request saves two thread switches.
    public func run(answering handler: @escaping @Sendable (HTTP2ServerRequest) -> HTTP2ServerReply) async {
        guard !isStopped else { return }
        self.handler = handler
        thread.whenReady { [unowned self] ready, _ in assumeIsolated { $0.drive(ready) } }
        watch()
        await withDiscardingTaskGroup { group in
            for await request in pending {
                // A handler may wait without limit and delays no other request. The clients' stream limits bound the number of tasks.
                group.addTask { await self.answer(request, await request.answer()) }
            }
            // Cancel the handlers that still wait: the server has stopped, so their answers have no receiver.
            group.cancelAll()
        }
        close()
    }

    /// Stops listening and closes every connection.
    public func stop() { close() }

    private func close() {
        guard !isStopped else { return }
        isStopped = true
        thread.whenReady(nil)
        thread.watch([], until: nil)
        pendingSink.finish()
        connections = [:]
        Glibc.close(listener)
    }

    // MARK: Turns of the thread

    private func drive(_ ready: [pollfd]) {
        let ready = Set(ready.map(\.fd))
        for connection in connections.values where connection.hasMoreToRead || ready.contains(connection.socket) {
            connection.progress()
            answerArrivals(on: connection)
        }
        if ready.contains(listener) { accept() }
        for connection in connections.values {
            connection.flush()
            if connection.isClosed { connections[connection.socket] = nil }
        }
        watch()
    }

    private func answerArrivals(on connection: ServerConnection) {
        while let (stream, request) = connection.nextArrival(), let handler {
            switch handler(request) {
            case .now(let answer): connection.answer(stream, answer)
            case .later(let answer): pendingSink.yield(Pending(connection: connection.number, stream: stream, answer: answer))
            }
        }
    }

    private func answer(_ request: Pending, _ answer: HTTP2ServerAnswer) {
        guard let connection = connections.values.first(where: { $0.number == request.connection }) else { return }
        connection.answer(request.stream, answer)
        // Flush in the next turn: answers given before the next poll leave together.
        thread.watch(interests, until: .now)
    }

    private func watch() { thread.watch(interests, until: connections.values.contains(where: \.hasMoreToRead) ? .now : nil) }

    private var interests: [SocketThread.Interest] {
        guard !isStopped else { return [] }
        return connections.values.map(\.interest) + [.reading(listener)]
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { return }
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            SocketOption.forManySmallRequests.forEach { $0.set(on: socket) }
            guard let stream = TLSStream(context, socket: socket, serverName: nil) else {
                Glibc.close(socket)
                continue
            }
            accepted += 1
            connections[socket] = ServerConnection(number: accepted, stream: stream, configuration: configuration)
        }
    }

    // MARK: Listening

    private static func listen(port: UInt16) throws(HTTPFailure) -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw failure(unsafe "no socket: \(String(cString: strerror(errno)))") }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        SocketOption(level: SOL_SOCKET, name: SO_REUSEADDR, value: 1).set(on: listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, length) == 0 && Glibc.listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else {
            let reason = unsafe String(cString: strerror(errno))
            Glibc.close(listener)
            throw failure("cannot listen on 127.0.0.1:\(port): \(reason)")
        }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private static func failure(_ message: String) -> HTTPFailure {
        HTTPFailure(kind: .connect, requestMayHaveArrived: false, message: message)
    }
}
