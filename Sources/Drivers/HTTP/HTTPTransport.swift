import TidingsSocket

/// Sends HTTP requests through libcurl, from one thread of its own.
///
/// Made for talking to addresses that strangers chose. Each request carries its ``AddressGuard``, which is asked about the very address
/// of every socket before it is connected, and again when a kept connection is used another time, so a DNS answer that changes between
/// check and use gains nothing. Redirects are never followed, proxies from the environment are ignored, response heads and bodies are
/// bounded, and nothing is decompressed.
///
/// A request is sent **at most once**: where libcurl would resend on a fresh connection because a kept one died, the transfer ends with
/// ``HTTPFailure/Kind/resetAfterSend`` instead, so that a caller can count every possible second arrival.
///
/// Cancelling the task that waits in ``send(_:)`` ends the transfer. Call ``close()`` when done; connections are otherwise kept until
/// the last reference goes.
public actor HTTPTransport {
    private enum State {
        case idle
        case open(TransferLoop)
        case closed
    }

    private let configuration: HTTPConfiguration
    private let thread: SocketThread
    /// Numbers of transfers whose task was cancelled.
    private let cancelled: SocketMailbox<UInt64>
    private var state = State.idle
    private var lastID: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Starts the thread; libcurl is opened by the first request. Throws ``HTTPFailure/Kind/connect`` when the process has no file descriptor or
    /// thread left.
    // No initializer that throws: of an actor with an isolated deinit, Swift 6.3 crashes over it in other modules of a release build.
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

    /// Sends one request and waits for its answer or its failure. Never throws; the outcome says whether the request may have arrived.
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
            // Through a method of the actor: an asynchronous closure that does not use `self` is not isolated to it, and would run on
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

    // The thread stops only here: while anyone holds the actor a job may still come for it.
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
            thread.whenReady { ready in loop.drive(ready) }
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
