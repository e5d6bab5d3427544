import CNGHTTP2
import Glibc
import TidingsHTTP
import TidingsSocket

/// One connection to the origin. Many requests use it until it is retired or breaks.
///
/// The connection never calls its owner. The owner collects ended requests with ``dequeueSettled()``, and requests to send on another
/// connection with ``dequeueReturned()``.
final class ClientConnection {
    private enum Phase {
        case opening(ConnectionOpening)
        case open(TLSStream, HTTP2Session)
        case closed
    }

    /// The largest number of output bytes to prepare before the socket has taken them.
    private static let outputLimit = 128 << 10

    let id: UInt64
    private let origin: HTTP2Origin
    private let configuration: HTTP2Configuration
    private var phase: Phase
    private var streams: [Int32: HTTP2Exchange] = [:]
    private var output = OutputBuffer()
    /// The time by which the server must allow a stream, or nil while it allows one. The deadline is set while the connection opens. It is
    /// set again if the server later allows no stream.
    private var allowanceDeadline: ContinuousClock.Instant?
    private var lastHeard = ContinuousClock.now
    /// Whether the last read stopped at its limit for one turn. OpenSSL may then hold bytes that `poll(2)` does not report.
    private(set) var hasMoreToRead = false
    /// Whether new requests are refused here, because the server or the owner ended the use of the connection.
    private(set) var isRetired = false
    private var isDismissed = false
    private(set) var hasAnswered = false
    /// The server's message in its GOAWAY.
    private var farewell: String?

    /// Requests that ended, with their results, for ``dequeueSettled()``.
    private var settled: [(HTTP2Exchange, HTTPResult)] = []
    /// Requests that the server did not process and that may be sent again.
    private var returned: [HTTP2Exchange] = []
    /// Why no connection was established, for the requests that wait for one.
    private(set) var failure: HTTPFailure?

    init(id: UInt64, origin: HTTP2Origin, configuration: HTTP2Configuration, context: TLSContext) {
        self.id = id
        self.origin = origin
        self.configuration = configuration
        let deadline = ContinuousClock.now + configuration.connectTimeout
        phase = .opening(ConnectionOpening(to: origin, context: context, until: deadline))
        allowanceDeadline = deadline
    }

    // MARK: Requests of the owner

    var isClosed: Bool { if case .closed = phase { true } else { false } }
    /// Whether the connection closed without any response, and not because its owner retired it.
    var hasFailed: Bool { isClosed && !hasAnswered && !isDismissed }
    /// Whether no request may begin here yet. The server must first send its settings and allow at least one stream.
    var awaitsStreams: Bool { allowanceDeadline != nil }

    /// The number of requests that may begin here now. While the connection awaits streams, this is the owner's limit, because the server's
    /// limit is not known yet.
    var room: Int {
        guard !isRetired, !isClosed else { return 0 }
        guard case .open(_, let session) = phase, !awaitsStreams else { return configuration.maximumStreamsPerConnection }
        return max(0, min(configuration.maximumStreamsPerConnection, session.remoteStreamLimit) - streams.count)
    }

    var canBegin: Bool { !awaitsStreams && room > 0 }

    var interest: SocketThread.Interest? {
        switch phase {
        case .closed: return nil
        case .opening(let opening): return opening.interest
        case .open(let stream, let session):
            let wantsToWrite = !output.isEmpty || session.wantsToWrite
            return wantsToWrite ? .readingAndWriting(stream.socket) : .reading(stream.socket)
        }
    }

    /// The time of the next call of ``expire(at:)``.
    var deadline: ContinuousClock.Instant? {
        let ofConnection = if case .opening(let opening) = phase { opening.deadline } else { allowanceDeadline }
        return [ofConnection, streams.values.lazy.map(\.deadline).min()].compactMap(\.self).min()
    }

    /// Whether the owner has something to collect: settled requests, returned requests, or the closed connection itself.
    var hasNews: Bool { !settled.isEmpty || !returned.isEmpty || isClosed }

    func dequeueSettled() -> [(HTTP2Exchange, HTTPResult)] {
        defer { settled = [] }
        return settled
    }

    func dequeueReturned() -> [HTTP2Exchange] {
        defer { returned = [] }
        return returned
    }

    // MARK: Requests

    /// Begins a request. Call only when ``canBegin`` is true.
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
            // The stream numbers of this connection are used up, which takes about a thousand million requests.
            isRetired = true
            returned.append(exchange)
            return
        }
        streams[stream] = exchange
    }

    /// Ends a request in progress on this connection from our side. Returns false when the request is not here.
    func end(_ id: UInt64, _ kind: HTTPFailure.Kind, _ message: String) -> Bool {
        guard case .open(_, let session) = phase, let stream = streams.first(where: { $0.value.id == id })?.key,
            let exchange = streams.removeValue(forKey: stream)
        else { return false }
        session.reset(stream, .cancel)
        settle(exchange, orFail: kind, message)
        return true
    }

    /// Ends the requests whose deadline has passed. If the server sent nothing for the whole time-out of such a request, the connection is
    /// retired. A connection that is not open, or has no stream allowed, by its own deadline is closed, or retired while requests run on
    /// it.
    func expire(at now: ContinuousClock.Instant) {
        if case .opening(let opening) = phase { follow(opening.expire(at: now)) }
        guard case .open(_, let session) = phase else { return }
        for (stream, exchange) in streams where exchange.deadline <= now {
            streams[stream] = nil
            session.reset(stream, .cancel)
            if lastHeard + exchange.request.totalTimeout <= now { isRetired = true }
            let kind: HTTPFailure.Kind = exchange.hasBegun ? .timeoutAfterSend : .timeoutBeforeSend
            settle(exchange, orFail: kind, "no answer within \(exchange.request.totalTimeout)")
        }
        guard let allowanceDeadline, allowanceDeadline <= now else { return }
        if streams.isEmpty {
            breakOff(.connect, session.remoteStreamLimit == 0 ? "the server allows no streams" : "no connection in time")
        } else {
            isRetired = true
            self.allowanceDeadline = nil
        }
    }

    /// Retires the connection for the owner: no new request begins here.
    func retire() {
        isRetired = true
        isDismissed = true
    }

    // MARK: The socket

    func resolved(_ result: Result<[SocketAddress], HTTPFailure>) {
        if case .opening(let opening) = phase { follow(opening.resolved(result)) }
    }

    /// Continues after the socket became ready for ``interest``.
    func progress() {
        switch phase {
        case .opening(let opening): follow(opening.progress())
        case .open(let stream, let session): read(stream, session)
        case .closed: break
        }
    }

    private func follow(_ step: ConnectionOpening.Step) {
        switch step {
        case .mustWait: break
        case .failed(let failure): close(failure)
        case .done(let stream):
            phase = .open(stream, HTTP2Session(.client, settings: [.noPush], events: self))
            flush()
        }
    }

    private func read(_ stream: TLSStream, _ session: HTTP2Session) {
        var problem: String?
        let progress = unsafe stream.read { bytes in
            lastHeard = .now
            problem = unsafe session.receive(bytes)
            return problem == nil
        }
        hasMoreToRead = progress == .done
        if let problem {
            breakOff(.protocolError, problem)
        } else if case .ended(let words) = progress {
            breakOff(.resetAfterSend, words)
        }
    }

    /// Writes pending output as far as the socket takes it, then closes the connection if it is over.
    func flush() {
        guard case .open(let stream, let session) = phase else { return }
        repeat {
            guard session.fill(&output, limit: Self.outputLimit) else { return breakOff(.protocolError, "the HTTP/2 session failed") }
            switch stream.write(&output) {
            case .done: break
            case .mustWait: return
            case .ended(let words):
                // Read to the end first. Bytes that the server sent before it closed still count: responses, and a GOAWAY that names
                // unprocessed streams.
                repeat { read(stream, session) } while hasMoreToRead
                return breakOff(.resetAfterSend, words)
            }
        } while session.wantsToWrite
        if session.isOver || (isRetired && streams.isEmpty) {
            stream.sayGoodbye()
            breakOff(.resetAfterSend, "")
        }
    }

    // MARK: The end

    /// Closes an open connection. If the server allows no stream and none is in progress, the failure is ``HTTPFailure/Kind/connect``,
    /// because nothing was processed. Empty `words` mean that the server closed the connection without a reason.
    private func breakOff(_ kind: HTTPFailure.Kind, _ words: String) {
        let isUnused = awaitsStreams && streams.isEmpty
        let words = farewell ?? (words.isEmpty ? "the server closed the connection" : words)
        close(
            HTTPFailure(
                kind: isUnused ? .connect : kind, requestMayHaveArrived: !isUnused, message: "\(origin.authority): \(words)"))
    }

    /// Closes the connection and ends its requests. A request that was not sent is returned for a resend, unless the reason is a
    /// cancellation. Any other request ends with its response, if the head arrived, or with a failure that says whether it may have
    /// arrived.
    func close(_ reason: HTTPFailure) {
        guard !isClosed else { return }
        if awaitsStreams, streams.isEmpty, !isDismissed { failure = reason }
        phase = .closed
        allowanceDeadline = nil
        hasMoreToRead = false
        let ended = streams.values.sorted { $0.id < $1.id }
        streams = [:]
        for exchange in ended {
            if exchange.hasBegun || reason.kind == .cancelled {
                settle(exchange, orFail: reason.kind, reason.message)
            } else {
                giveBack(exchange)
            }
        }
    }

    /// Ends a request with its response, complete or not, if the head arrived. Otherwise the request ends with the failure.
    private func settle(_ exchange: HTTP2Exchange, orFail kind: HTTPFailure.Kind, _ message: String) {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: exchange.hasBegun, message: message)
        settled.append((exchange, exchange.answer(isWhole: false) ?? .failed(failure)))
    }

    private func giveBack(_ exchange: HTTP2Exchange) {
        // Do not count a resend if the server responded to some requests here and then retired the connection. Only refusals and
        // connections without any response count.
        if exchange.takeBack(counts: !(isRetired && hasAnswered)) {
            returned.append(exchange)
        } else {
            let words = "the server refused it \(HTTP2Exchange.maximumResends + 1) times without looking at it"
            settle(exchange, orFail: .connect, farewell ?? words)
        }
    }
}

extension ClientConnection: HTTP2SessionEvents {
    func headArrived(_ stream: Int32, _ headers: [(String, String)]) {
        hasAnswered = true
        streams[stream]?.headArrived(headers)
    }

    func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let exchange = streams[stream], unsafe !exchange.bodyArrived(bytes), case .open(_, let session) = phase else { return }
        streams[stream] = nil
        session.reset(stream, .cancel)
        settle(exchange, orFail: .protocolError, Self.noStatus)
    }

    func messageEnded(_ stream: Int32) {
        guard let exchange = streams.removeValue(forKey: stream) else { return }
        let failure = HTTPFailure(kind: .protocolError, requestMayHaveArrived: true, message: Self.noStatus)
        settled.append((exchange, exchange.answer(isWhole: true) ?? .failed(failure)))
    }

    func headSent(_ stream: Int32) { streams[stream]?.begin() }

    func streamClosed(_ stream: Int32, errorCode: UInt32) {
        guard let exchange = streams.removeValue(forKey: stream) else { return }
        if errorCode == HTTP2ErrorCode.refusedStream.rawValue, exchange.answer(isWhole: false) == nil {
            giveBack(exchange)
        } else {
            settle(exchange, orFail: .resetAfterSend, unsafe "the stream was reset: \(String(cString: nghttp2_http2_strerror(errorCode)))")
        }
    }

    func settingsArrived() {
        guard case .open(_, let session) = phase else { return }
        if session.remoteStreamLimit > 0 {
            allowanceDeadline = nil
        } else if !awaitsStreams, !isRetired {
            allowanceDeadline = .now + configuration.connectTimeout
        }
    }

    func goAwayArrived(errorCode: UInt32, debugData: String) {
        isRetired = true
        let code = unsafe String(cString: nghttp2_http2_strerror(errorCode))
        farewell = "the server closes the connection: \(debugData.isEmpty ? code : String(debugData.prefix(200)))"
    }

    private static let noStatus = "an answer without a status"
}
