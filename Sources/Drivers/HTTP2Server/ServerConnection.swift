import Glibc
import TidingsHTTP2
import TidingsSocket

/// One connection of a client to an ``HTTP2Server``.
final class ServerConnection {
    private struct Incoming {
        var headers: [(String, String)] = []
        var body: [UInt8] = []
        var isTooLong = false
    }

    /// The largest number of output bytes to prepare before the socket has taken them.
    private static let outputLimit = 128 << 10

    let number: Int
    private let configuration: HTTP2ServerConfiguration
    private let stream: TLSStream
    private var session: HTTP2Session?
    private var incoming: [Int32: Incoming] = [:]
    /// Complete requests in the order of their completion. Requests before ``nextIndex`` were already delivered to the handler.
    private var arrivals: [(stream: Int32, request: HTTP2ServerRequest)] = []
    private var nextIndex = 0
    /// The highest stream whose request was delivered to the handler.
    private var lastHandedOver: Int32 = 0
    /// The last stream of our GOAWAY, or nil before it. Requests on later streams are dropped.
    private var lastStream: Int32?
    private var output = OutputBuffer()
    private var hasSucceeded = false
    private(set) var isClosed = false
    /// Whether the last read stopped at its limit for one turn. OpenSSL may then hold bytes that `poll(2)` does not report.
    private(set) var hasMoreToRead = false

    init(number: Int, stream: TLSStream, configuration: HTTP2ServerConfiguration) {
        self.number = number
        self.stream = stream
        self.configuration = configuration
    }

    var socket: Int32 { stream.socket }

    var interest: SocketThread.Interest {
        guard let session else { return SocketThread.Interest(socket: socket, events: Int16(stream.wantsToWrite ? POLLOUT : POLLIN)) }
        return output.isEmpty && !session.wantsToWrite ? .reading(socket) : .readingAndWriting(socket)
    }

    /// Continues after the socket became ready.
    func progress() {
        guard let session else {
            switch stream.handshake() {
            case .mustWait: return
            case .ended: isClosed = true
            case .done: session = HTTP2Session(.server, settings: Self.streams(configuration.firstStreams), events: self)
            }
            return
        }
        var isSound = true
        let progress = unsafe stream.read { bytes in
            isSound = unsafe session.receive(bytes) == nil
            return isSound
        }
        hasMoreToRead = progress == .done && isSound
        if progress != .mustWait, !hasMoreToRead { isClosed = true }
    }

    /// Writes pending output as far as the socket takes it.
    func flush() {
        guard let session, !isClosed else { return }
        repeat {
            guard session.fill(&output, limit: Self.outputLimit) else {
                isClosed = true
                return
            }
            switch stream.write(&output) {
            case .done: break
            case .mustWait: return
            case .ended:
                isClosed = true
                return
            }
        } while session.wantsToWrite
        if session.isOver {
            stream.sayGoodbye()
            isClosed = true
        }
    }

    /// The next complete request with its stream, or nil when there is none. Requests beyond the last stream of a GOAWAY are dropped.
    func nextArrival() -> (stream: Int32, request: HTTP2ServerRequest)? {
        while nextIndex < arrivals.count {
            let next = arrivals[nextIndex]
            nextIndex += 1
            guard lastStream.map({ next.stream <= $0 }) ?? true else { continue }
            lastHandedOver = max(lastHandedOver, next.stream)
            return next
        }
        arrivals.removeAll(keepingCapacity: true)
        nextIndex = 0
        return nil
    }

    func answer(_ id: Int32, _ answer: HTTP2ServerAnswer) {
        guard let session else { return }
        switch answer {
        case .response(let status, let headers, let body):
            let length = [("content-length", String(body.count))]
            session.respond(id, [(":status", String(status))] + headers + length, body: body)
            if !hasSucceeded, (200...299).contains(status) {
                hasSucceeded = true
                session.allow(Self.streams(configuration.maximumStreams))
            }
        case .reset(let code): session.reset(id, HTTP2ErrorCode(rawValue: code))
        case .goAway(let processed, let words):
            // Clients number their streams 1, 3, 5, and so on, so 0 means "no stream". A later stream already delivered to the handler
            // counts as processed too.
            let last = processed ? session.lastStreamSeen : max(0, lastHandedOver > id ? lastHandedOver : id - 2)
            lastStream = last
            session.goAway(lastStream: last, .noError, debugData: Array(words.utf8))
            // Reset this stream in every case, because it gets no response. REFUSED_STREAM tells the client that the request was not
            // processed.
            session.reset(id, processed ? .internalError : .refusedStream)
        case .hangUp: isClosed = true
        }
    }

    private static func streams(_ limit: UInt32) -> [HTTP2Setting] { [.maximumConcurrentStreams(limit)] }
}

extension ServerConnection: HTTP2SessionEvents {
    func headArrived(_ stream: Int32, _ headers: [(String, String)]) {
        if incoming[stream] == nil { incoming[stream] = Incoming(headers: headers) }
    }

    func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard var request = incoming.removeValue(forKey: stream) else { return }
        let room = configuration.maximumBodyBytes - request.body.count
        unsafe request.body.append(contentsOf: bytes.prefix(room))
        request.isTooLong = request.isTooLong || bytes.count > room
        incoming[stream] = request
    }

    func messageEnded(_ stream: Int32) {
        guard let request = incoming.removeValue(forKey: stream) else { return }
        let pseudo = Dictionary(request.headers.filter { $0.0.hasPrefix(":") }) { first, _ in first }
        let whole = HTTP2ServerRequest(
            connection: number, method: pseudo[":method"] ?? "", path: pseudo[":path"] ?? "", authority: pseudo[":authority"] ?? "",
            headers: request.headers.filter { !$0.0.hasPrefix(":") }, body: request.body, bodyIsTooLong: request.isTooLong)
        arrivals.append((stream, whole))
    }

    func streamClosed(_ stream: Int32, errorCode: UInt32) { incoming[stream] = nil }
    func headSent(_ stream: Int32) {}
    func settingsArrived() {}
    func goAwayArrived(errorCode: UInt32, debugData: String) {}
}
