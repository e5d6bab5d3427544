import CNGHTTP2
import Glibc
import TidingsHTTP
import TidingsSocket

/// One connection to the origin: looked up, connected, secured, then used by many requests until it is retired or breaks.
///
/// It never calls back. Whoever drives it takes the requests that ended or that must be sent elsewhere from ``settled`` and ``returned``.
final class ClientConnection {
    private enum Phase {
        case resolving
        /// Trying the first of the addresses; what failed before is the reason if none is left.
        case connecting(socket: Int32, rest: ArraySlice<SocketAddress>)
        case handshaking(TLSStream)
        case open(TLSStream, HTTP2Session)
        case closed
    }

    /// Bytes of output that are made before the socket has taken them.
    private static let outputLimit = 128 << 10

    let id: UInt64
    private let origin: HTTP2Origin
    private let configuration: HTTP2Configuration
    private let context: TLSContext
    private var phase = Phase.resolving
    private var streams: [Int32: HTTP2Exchange] = [:]
    private var output = OutputBuffer()
    /// No new requests: the server said so, or its owner.
    private(set) var isRetired = false
    /// What the server said when it asked to leave.
    private var farewell: String?
    private var lastHeard = ContinuousClock.now
    private var connectDeadline: ContinuousClock.Instant?

    /// Requests that ended, with their results, for ``takeSettled()``.
    private var settled: [(HTTP2Exchange, HTTPResult)] = []
    /// Requests that the server did not process and that may be sent again.
    private var returned: [HTTP2Exchange] = []
    /// Why no connection came about.
    private(set) var failure: HTTPFailure?

    init(id: UInt64, origin: HTTP2Origin, configuration: HTTP2Configuration, context: TLSContext) {
        self.id = id
        self.origin = origin
        self.configuration = configuration
        self.context = context
        connectDeadline = .now + configuration.connectTimeout
    }

    deinit {
        if case .connecting(let socket, _) = phase { Glibc.close(socket) }
    }

    // MARK: What the owner asks

    var isClosed: Bool { if case .closed = phase { true } else { false } }
    /// Not of use yet: it is open when the server has said how many streams it allows.
    var isOpening: Bool { connectDeadline != nil }
    var isIdle: Bool { streams.isEmpty }

    /// Requests that may begin here now. While it opens, as many as its owner's limit: the server's is not known yet.
    var room: Int {
        guard !isRetired, !isClosed else { return 0 }
        guard case .open(_, let session) = phase, !isOpening else { return configuration.maximumStreamsPerConnection }
        return max(0, min(configuration.maximumStreamsPerConnection, session.remoteStreamLimit) - streams.count)
    }

    var canBegin: Bool { !isOpening && room > 0 }

    var interest: SocketThread.Interest? {
        switch phase {
        case .resolving, .closed: return nil
        case .connecting(let socket, _): return SocketThread.Interest(socket: socket, events: Int16(POLLOUT))
        case .handshaking(let stream):
            return SocketThread.Interest(socket: stream.socket, events: Int16(stream.wantsToWrite ? POLLOUT : POLLIN))
        case .open(let stream, let session):
            let wantsToWrite = !output.isEmpty || session.wantsToWrite
            return wantsToWrite ? .readingAndWriting(stream.socket) : .reading(stream.socket)
        }
    }

    /// When it gives up connecting.
    var deadline: ContinuousClock.Instant? { connectDeadline }

    /// There is something to take.
    var hasNews: Bool { !settled.isEmpty || !returned.isEmpty || isClosed }

    func takeSettled() -> [(HTTP2Exchange, HTTPResult)] {
        defer { settled = [] }
        return settled
    }

    func takeReturned() -> [HTTP2Exchange] {
        defer { returned = [] }
        return returned
    }

    // MARK: Requests

    /// Begins a request; only when ``canBegin``.
    func begin(_ exchange: HTTP2Exchange) {
        guard case .open(_, let session) = phase else { preconditionFailure("connection \(id) is not open") }
        let request = exchange.request
        var headers: [(String, String)] = [
            (":method", request.method), (":scheme", "https"), (":authority", origin.authority), (":path", request.path),
        ]
        headers += request.headers
        if !request.headers.contains(where: { $0.0 == "user-agent" }) { headers.append(("user-agent", configuration.userAgent)) }
        headers.append(("content-length", String(request.body.count)))
        guard let stream = session.request(headers, unindexed: request.unindexed, body: request.body) else {
            // Its stream numbers are used up, which takes a thousand million requests.
            isRetired = true
            returned.append(exchange)
            return
        }
        streams[stream] = exchange
    }

    /// Ends a request that is under way here from our side; false when it is not.
    func end(_ id: UInt64, _ kind: HTTPFailure.Kind, _ message: String) -> Bool {
        guard case .open(_, let session) = phase, let stream = streams.first(where: { $0.value.id == id })?.key,
            let exchange = streams.removeValue(forKey: stream)
        else { return false }
        session.reset(stream, NGHTTP2_CANCEL)
        fail(exchange, kind, message)
        return true
    }

    /// Ends what is due. A connection from which nothing came since the oldest of them began is not used again.
    func expire(at now: ContinuousClock.Instant) {
        if let connectDeadline, connectDeadline <= now {
            close(HTTPFailure(kind: .connect, requestMayHaveArrived: false, message: "no connection to \(origin.authority) in time"))
        }
        guard case .open(_, let session) = phase else { return }
        for (stream, exchange) in streams where exchange.deadline <= now {
            streams[stream] = nil
            session.reset(stream, NGHTTP2_CANCEL)
            if lastHeard + exchange.request.totalTimeout <= now { isRetired = true }
            let kind: HTTPFailure.Kind = exchange.hasBegun ? .timeoutAfterSend : .timeoutBeforeSend
            if let answer = exchange.answer(isWhole: false) {
                settled.append((exchange, answer))
            } else {
                fail(exchange, kind, "no answer within \(exchange.request.totalTimeout)")
            }
        }
    }

    var earliestDeadline: ContinuousClock.Instant? { streams.values.lazy.map(\.deadline).min() }

    /// No new requests here.
    func retire() { isRetired = true }

    // MARK: The socket

    func resolved(_ result: Result<[SocketAddress], HTTPFailure>) {
        guard case .resolving = phase else { return }
        switch result {
        case .success(let addresses): connect(to: addresses[...], lastError: "no address")
        case .failure(let failure): close(failure)
        }
    }

    private func connect(to addresses: ArraySlice<SocketAddress>, lastError: String) {
        guard let address = addresses.first else {
            close(HTTPFailure(kind: .connect, requestMayHaveArrived: false, message: "\(origin.authority): \(lastError)"))
            return
        }
        guard let socket = address.connectingSocket() else {
            connect(to: addresses.dropFirst(), lastError: String(cString: strerror(errno)))
            return
        }
        phase = .connecting(socket: socket, rest: addresses.dropFirst())
    }

    /// The socket is ready for what ``interest`` said.
    func progress() {
        switch phase {
        case .connecting(let socket, let rest): connected(socket, rest)
        case .handshaking(let stream): shakeHands(stream)
        case .open(let stream, let session): read(stream, session)
        case .resolving, .closed: break
        }
    }

    private func connected(_ socket: Int32, _ rest: ArraySlice<SocketAddress>) {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else {
            phase = .resolving
            Glibc.close(socket)
            connect(to: rest, lastError: String(cString: strerror(code)))
            return
        }
        guard let stream = TLSStream(context, socket: socket, serverName: origin.host) else {
            phase = .resolving
            Glibc.close(socket)
            close(HTTPFailure(kind: .tls, requestMayHaveArrived: false, message: TLSError.take()))
            return
        }
        phase = .handshaking(stream)
        shakeHands(stream)
    }

    private func shakeHands(_ stream: TLSStream) {
        switch stream.handshake() {
        case .mustWait: break
        case .ended(let words):
            let message = "\(origin.authority): \(words.isEmpty ? "the connection closed while TLS began" : words)"
            close(HTTPFailure(kind: .tls, requestMayHaveArrived: false, message: message))
        case .done:
            let settings = [nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)]
            phase = .open(stream, HTTP2Session(.client, settings: settings, events: self))
            flush()
        }
    }

    private func read(_ stream: TLSStream, _ session: HTTP2Session) {
        lastHeard = .now
        var problem: String?
        let progress = stream.read { bytes in
            problem = session.receive(bytes)
            return problem == nil
        }
        if let problem {
            close(HTTPFailure(kind: .protocolError, requestMayHaveArrived: true, message: "\(origin.authority): \(problem)"))
        } else if case .ended(let words) = progress {
            close(HTTPFailure(kind: .resetAfterSend, requestMayHaveArrived: true, message: words))
        }
    }

    /// Writes what waits, as far as the socket takes it, and closes what is over.
    func flush() {
        guard case .open(let stream, let session) = phase else { return }
        repeat {
            guard session.fill(&output, limit: Self.outputLimit) else {
                close(HTTPFailure(kind: .protocolError, requestMayHaveArrived: true, message: "the HTTP/2 session failed"))
                return
            }
            switch stream.write(&output) {
            case .done: break
            case .mustWait: return
            case .ended(let words):
                close(HTTPFailure(kind: .resetAfterSend, requestMayHaveArrived: true, message: words))
                return
            }
        } while session.wantsToWrite
        if session.isOver || (isRetired && streams.isEmpty) {
            stream.sayGoodbye()
            close(HTTPFailure(kind: .resetAfterSend, requestMayHaveArrived: true, message: ""))
        }
    }

    /// What was under way ends: unsent requests are given back, answered ones have their answer, and of the others nobody knows.
    func close(_ reason: HTTPFailure) {
        if case .connecting(let socket, _) = phase { Glibc.close(socket) }
        if connectDeadline != nil { failure = reason }
        phase = .closed
        connectDeadline = nil
        let ended = streams.values.sorted { $0.id < $1.id }
        streams = [:]
        for exchange in ended {
            if let answer = exchange.answer(isWhole: false) {
                settled.append((exchange, answer))
            } else if exchange.hasBegun || reason.kind == .cancelled {
                let words = farewell ?? (reason.message.isEmpty ? "the connection closed before the answer" : reason.message)
                fail(exchange, reason.kind, words)
            } else {
                giveBack(exchange)
            }
        }
    }

    private func fail(_ exchange: HTTP2Exchange, _ kind: HTTPFailure.Kind, _ message: String) {
        settled.append((exchange, .failed(HTTPFailure(kind: kind, requestMayHaveArrived: exchange.hasBegun, message: message))))
    }

    private func giveBack(_ exchange: HTTP2Exchange) {
        if exchange.takeBack() {
            returned.append(exchange)
        } else {
            let words = "the server refused it \(HTTP2Exchange.maximumResends + 1) times without looking at it"
            fail(exchange, .connect, farewell ?? words)
        }
    }
}

extension ClientConnection: HTTP2SessionEvents {
    func headArrived(_ stream: Int32, _ headers: [(String, String)]) { streams[stream]?.headArrived(headers) }

    func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let exchange = streams[stream], !exchange.bodyArrived(bytes), case .open(_, let session) = phase else { return }
        streams[stream] = nil
        session.reset(stream, NGHTTP2_CANCEL)
        settle(exchange, isWhole: false)
    }

    func messageEnded(_ stream: Int32) {
        guard let exchange = streams.removeValue(forKey: stream) else { return }
        settle(exchange, isWhole: true)
    }

    func headSent(_ stream: Int32) { streams[stream]?.begin() }

    func streamClosed(_ stream: Int32, errorCode: UInt32) {
        guard let exchange = streams.removeValue(forKey: stream) else { return }
        if errorCode == NGHTTP2_REFUSED_STREAM.rawValue {
            giveBack(exchange)
        } else if let answer = exchange.answer(isWhole: false) {
            settled.append((exchange, answer))
        } else {
            let code = String(cString: nghttp2_http2_strerror(errorCode))
            fail(exchange, .resetAfterSend, "the stream was reset: \(code)")
        }
    }

    func settingsArrived() { connectDeadline = nil }

    func goAwayArrived(errorCode: UInt32, debugData: String) {
        isRetired = true
        let code = String(cString: nghttp2_http2_strerror(errorCode))
        farewell = "the server closes the connection: \(debugData.isEmpty ? code : String(debugData.prefix(200)))"
    }

    private func settle(_ exchange: HTTP2Exchange, isWhole: Bool) {
        let result =
            exchange.answer(isWhole: isWhole)
            ?? .failed(HTTPFailure(kind: .protocolError, requestMayHaveArrived: true, message: "an answer without a status"))
        settled.append((exchange, result))
    }
}
