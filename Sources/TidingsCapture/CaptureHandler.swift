import FlyingFox
import FlyingSocks
import Foundation
import TidingsCore

/// Between the HTTP server and the ledger: reads a request whole, and carries out the answer.
struct CaptureHandler: HTTPHandler {
    let ledger: CaptureLedger
    let standIns: [any StandIn]

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (body, isTooLong) = try await read(request.bodySequence)
        var response = try await respond(to: request, body, isTooLong)
        // Said aloud, because the server closes unless asked to keep the connection, and a client that does not know would send into it.
        let keepsAlive = request.headers[.connection]?.lowercased() == "keep-alive" && !isTooLong
        response.headers[.connection] = keepsAlive ? "keep-alive" : "close"
        return response
    }

    private func respond(to request: HTTPRequest, _ body: [UInt8], _ isTooLong: Bool) async throws -> HTTPResponse {
        let path = request.target.path()
        if path.hasPrefix(CaptureControl.prefix) {
            let query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
            let reply = CaptureControl(ledger: ledger).reply(method: request.method.rawValue, path: path, query: query, body: body)
            return HTTPResponse(
                statusCode: HTTPStatusCode(reply.status, phrase: ""), headers: [.contentType: "application/json"], body: Data(reply.body))
        }
        let now = now()
        let arrival = CaptureLedger.Arrival(
            method: request.method.rawValue, path: path, webhookID: request.headers[HTTPHeader("webhook-id")],
            webhookTimestamp: request.headers[HTTPHeader("webhook-timestamp")],
            signature: request.headers[HTTPHeader("webhook-signature")], body: body, isTooLong: isTooLong,
            standIn: standInAnswer(to: request, path: path, body, now: now))
        switch ledger.take(arrival, now: now) {
        case .close(let hold):
            try await Task.sleep(for: hold)
            return HTTPResponse(webSocket: ClosingWithoutAnswer())
        case .http(let answer):
            if answer.delay > .zero { try await Task.sleep(for: answer.delay) }
            var headers = HTTPHeaders()
            headers[.contentType] = "text/plain"
            for (name, value) in answer.headers { headers[HTTPHeader(name)] = value }
            return HTTPResponse(statusCode: HTTPStatusCode(answer.status, phrase: ""), headers: headers, body: content(of: answer))
        }
    }

    private func standInAnswer(to request: HTTPRequest, path: String, _ body: [UInt8], now: Timestamp) -> StandInAnswer? {
        for standIn in standIns {
            let own = type(of: standIn).path
            guard path == own || path.hasPrefix(own + "/") else { continue }
            let headers = Dictionary(request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }) { _, last in last }
            return standIn.answer(
                StandInRequest(
                    method: request.method.rawValue, path: String(path.dropFirst(own.count)), headers: headers, body: body, now: now))
        }
        return nil
    }

    private func read(_ sequence: HTTPBodySequence) async throws -> (bytes: [UInt8], isTooLong: Bool) {
        var bytes: [UInt8] = []
        for try await chunk in sequence {
            bytes += chunk
            if bytes.count > CaptureLimits.acceptedBodyBytes { return (Array(bytes.prefix(CaptureLimits.acceptedBodyBytes)), true) }
        }
        return (bytes, false)
    }

    private func content(of answer: CaptureAnswer.Response) -> HTTPBodySequence {
        let words = Data(answer.body ?? Array("captured, answered \(answer.status)\n".utf8))
        let data = answer.bodyBytes.map { Data(repeating: UInt8(ascii: "x"), count: $0) } ?? words
        guard let drip = answer.drip else { return HTTPBodySequence(data: data, suggestedBufferSize: 64 << 10) }
        return HTTPBodySequence(from: DrippingBytes(data: data, interval: drip), count: data.count, suggestedBufferSize: 1)
    }

    private func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

/// The server's one way to end a connection without an answer: a change of protocol that fails before its first byte.
private struct ClosingWithoutAnswer: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw CaptureError(message: "closed without an answer, as asked")
    }
}

/// One byte after each interval, until the longest hold has passed; then the body breaks off.
private struct DrippingBytes: AsyncBufferedSequence {
    typealias Element = UInt8

    let data: Data
    let interval: Duration

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: data[...], interval: interval, end: .now + CaptureLimits.longestHold)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var rest: Data.SubSequence
        let interval: Duration
        let end: ContinuousClock.Instant

        mutating func next() async throws -> UInt8? {
            guard let byte = rest.first else { return nil }
            if .now > end { throw CaptureError(message: "the longest hold has passed") }
            try await Task.sleep(for: interval)
            rest = rest.dropFirst()
            return byte
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            try await next().map { [$0] }
        }
    }
}
