public import TidingsHTTP
import TidingsSocket

/// Sends requests to one origin over a few HTTP/2 connections (RFC 9113), from a thread of its own. Each connection carries many requests
/// at once.
///
/// The transport sends a request again only if the server did not process it:
///
/// - its stream is above the last one of a GOAWAY,
/// - the server reset its stream with REFUSED_STREAM,
/// - its connection ended before a byte of the request was sent.
///
/// Otherwise, the transport sends the request **at most once**, and a broken connection or stream ends it with
/// ``HTTPFailure/Kind/resetAfterSend``.
///
/// After failed connections, the transport pauses for at most 5 s before it opens another. Requests wait meanwhile, within their time-outs.
///
/// The transport looks the host name up again for every connection. Servers must prove their identity. Redirects are not followed, and
/// nothing is decompressed. Cancelling the task that waits in ``send(_:)`` resets only its stream. Call ``close()`` at the end of use.
/// Without this call, connections stay open until the last reference is released.
public actor HTTP2Transport {
    private enum State {
        case idle
        case open(HTTP2Loop)
        case closed
    }

    private let configuration: HTTP2Configuration
    private let origin: HTTP2Origin
    private let context: TLSContext
    private let thread: SocketThread
    private let mailbox: SocketMailbox<HTTP2Loop.Message>
    private var state = State.idle
    private var lastID: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Starts the thread. The first request opens a connection. Throws:
    ///
    /// - ``HTTPFailure/Kind/invalidURL`` for an invalid origin,
    /// - ``HTTPFailure/Kind/tls`` for certificate authorities that cannot be read,
    /// - ``HTTPFailure/Kind/connect`` when the process has no file descriptor or thread left.
    // A static method and not a throwing initializer: if an actor with an isolated deinit has one, Swift 6.3 crashes in other modules of a
    // release build.
    public static func open(_ configuration: HTTP2Configuration) throws(HTTPFailure) -> HTTP2Transport {
        let origin = try HTTP2Origin(configuration.origin)
        let context = try TLSContext(trusting: configuration.certificateAuthorityFile)
        do throws(SocketThread.StartError) {
            // Start the thread last: once it runs, only its owner can end it.
            let mailbox = try SocketMailbox<HTTP2Loop.Message>()
            return HTTP2Transport(configuration, origin, context, thread: try SocketThread(starting: "http2"), mailbox: mailbox)
        } catch {
            throw HTTPFailure(kind: .connect, requestMayHaveArrived: false, message: error.description)
        }
    }

    private init(
        _ configuration: HTTP2Configuration, _ origin: HTTP2Origin, _ context: TLSContext, thread: SocketThread,
        mailbox: SocketMailbox<HTTP2Loop.Message>
    ) {
        self.configuration = configuration
        self.origin = origin
        self.context = context
        self.thread = thread
        self.mailbox = mailbox
    }

    /// Sends one request and waits for its response or failure. Never throws. A failure says whether the request may have arrived.
    public func send(_ request: HTTP2Request) async -> HTTPResult {
        if let refusal = request.refusal { return .failed(refusal) }
        if Task.isCancelled { return .failed(Self.cancelled("the task was cancelled before the request began")) }
        lastID += 1
        let (id, mailbox) = (lastID, mailbox)
        return await withTaskCancellationHandler {
            // Call a method of the actor: an asynchronous closure that does not use `self` is not isolated to the actor, and would run on
            // another thread.
            await withCheckedContinuation { continuation in
                self.start(HTTP2Exchange(id: id, request: request) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            mailbox.post(.cancelled(id))
        }
    }

    /// Retires all connections: later requests use new connections, and requests in progress end on their old ones.
    public func retireConnections() {
        if case .open(let loop) = state { loop.retireConnections() }
    }

    /// Ends every request with ``HTTPFailure/Kind/cancelled`` and closes all connections. Later requests fail with the same kind.
    public func close() async {
        closeLoop()
    }

    // Stop the thread only here: as long as a reference to the actor exists, a new job may still arrive for the thread.
    isolated deinit {
        closeLoop()
        thread.stop()
    }

    private func start(_ exchange: HTTP2Exchange) {
        switch state {
        case .open(let loop): loop.start(exchange)
        case .closed: exchange.finish(.failed(Self.cancelled("the transport is closed")))
        case .idle:
            let loop = HTTP2Loop(configuration: configuration, origin: origin, context: context, thread: thread, mailbox: mailbox)
            thread.whenReady { ready, polledAt in loop.drive(ready, polledAt: polledAt) }
            state = .open(loop)
            loop.start(exchange)
        }
    }

    private func closeLoop() {
        if case .open(let loop) = state {
            thread.whenReady(nil)
            loop.close()
        }
        state = .closed
    }

    private static func cancelled(_ message: String) -> HTTPFailure {
        HTTPFailure(kind: .cancelled, requestMayHaveArrived: false, message: message)
    }
}

extension HTTP2Request {
    /// Why this request must not be sent. nghttp2 sends names and values unchecked. Nil for a valid request.
    var refusal: HTTPFailure? {
        guard !method.isEmpty, method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return Self.invalid("the method must be upper-case letters")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return Self.invalid("the path must begin with a slash and be printable ASCII")
        }
        for (name, value) in headers {
            let isName = !name.isEmpty && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
            guard isName else { return Self.invalid("a header name is not of lower-case letters, digits and hyphens") }
            guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }), value.first != " ", value.last != " " else {
                return Self.invalid("the value of header \(name) holds a control character or begins or ends with a space")
            }
        }
        return nil
    }

    private static func invalid(_ message: String) -> HTTPFailure {
        HTTPFailure(kind: .invalidHeader, requestMayHaveArrived: false, message: message)
    }
}
