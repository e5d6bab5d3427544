import TidingsSocket

/// Sends HTTP requests through libcurl, from a thread of its own.
///
/// The transport is made for addresses that strangers chose. Each request carries its ``AddressGuard``. The transport asks the guard about
/// the exact address of every socket before it connects, and again before it reuses a kept connection. A DNS response that changes between
/// check and use therefore gains nothing. The transport never follows redirects, ignores proxies from the environment, limits the size of
/// response heads and bodies, and decompresses nothing.
///
/// The transport sends a request **at most once**. If a kept connection died, libcurl would send the request again on a fresh connection.
/// The transport then ends the transfer with ``HTTPFailure/Kind/resetAfterSend``, so a caller can count every possible second arrival.
///
/// Cancelling the task that waits in ``send(_:)`` ends the transfer. Call ``close()`` at the end of use. Without this call, connections
/// stay open until the last reference is released.
public actor HTTPTransport {
    private enum State {
        case idle
        case open(TransferLoop)
        case closed
    }

    private let configuration: HTTPConfiguration
    private let thread: SocketThread
    /// The ids of transfers whose task was cancelled.
    private let cancelled: SocketMailbox<UInt64>
    private var state = State.idle
    private var lastID: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Starts the thread. The first request opens libcurl. Throws ``HTTPFailure/Kind/connect`` when the process has no file descriptor or
    /// thread left.
    // A static method and not a throwing initializer: if an actor with an isolated deinit has one, Swift 6.3 crashes in other modules of a
    // release build.
    public static func open(_ configuration: HTTPConfiguration = HTTPConfiguration()) throws(HTTPFailure) -> HTTPTransport {
        do throws(SocketThread.StartError) {
            return HTTPTransport(configuration, thread: try SocketThread(starting: "http"), cancelled: try SocketMailbox())
        } catch {
            throw HTTPFailure(.connect, error.description)
        }
    }

    private init(_ configuration: HTTPConfiguration, thread: SocketThread, cancelled: SocketMailbox<UInt64>) {
        self.configuration = configuration
        self.thread = thread
        self.cancelled = cancelled
    }

    /// Sends one request and waits for its response or failure. Never throws. A failure says whether the request may have arrived.
    public func send(_ request: HTTPRequest) async -> HTTPResult {
        if let refusal = request.refusal { return .failed(refusal) }
        let target: HTTPTarget
        switch HTTPTarget.parse(request.url, guarding: request.guarding) {
        case .success(let parsed): target = parsed
        case .failure(let failure): return .failed(failure)
        }
        if Task.isCancelled { return .failed(HTTPFailure(.cancelled, "the task was cancelled before the request began")) }
        lastID += 1
        let (id, cancelled) = (lastID, cancelled)
        return await withTaskCancellationHandler {
            // Call a method of the actor: an asynchronous closure that does not use `self` is not isolated to the actor, and would run on
            // another thread.
            await withCheckedContinuation { continuation in
                self.start(Transfer(id: id, request: request, target: target, continuation: continuation))
            }
        } onCancel: {
            cancelled.post(id)
        }
    }

    private func start(_ transfer: Transfer) {
        guard let loop = openLoop() else {
            transfer.finish(.failed(HTTPFailure(.cancelled, "the transport is closed")))
            return
        }
        loop.start(transfer)
    }

    /// Ends every transfer with ``HTTPFailure/Kind/cancelled`` and closes all connections. Later requests fail with the same kind.
    public func close() async {
        closeLoop()
    }

    // Stop the thread only here: as long as a reference to the actor exists, a new job may still arrive for the thread.
    isolated deinit {
        closeLoop()
        thread.stop()
    }

    private func openLoop() -> TransferLoop? {
        switch state {
        case .open(let loop): return loop
        case .closed: return nil
        case .idle:
            let loop = TransferLoop(configuration: configuration, thread: thread, cancelled: cancelled)
            thread.whenReady { ready, polledAt in loop.drive(ready, polledAt: polledAt) }
            state = .open(loop)
            return loop
        }
    }

    private func closeLoop() {
        if case .open(let loop) = state {
            thread.whenReady(nil)
            loop.close()
        }
        state = .closed
    }
}
