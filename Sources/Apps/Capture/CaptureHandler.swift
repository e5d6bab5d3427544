import FlyingFox
import FlyingSocks
import Foundation

/// The link between the HTTP/1.1 server and the responder. Reads whole requests and carries out the answers.
struct CaptureHandler: HTTPHandler {
    let responder: CaptureResponder

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (body, isTooLong) = try await read(request.bodySequence)
        let headers = Dictionary(request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }) { _, last in last }
        let answer = responder.answer(
            CaptureResponder.Request(
                method: request.method.rawValue, path: request.target.path(),
                query: Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }, headers: headers, body: body,
                isTooLong: isTooLong, origin: headers["host"].map { "http://\($0)" } ?? ""))
        var response = try await response(for: answer)
        // Send the header always: the server closes unless the client asked to keep the connection. A client that does not know would send
        // into a closed one.
        let keepsAlive = headers["connection"]?.lowercased() == "keep-alive" && !isTooLong
        response.headers[.connection] = keepsAlive ? "keep-alive" : "close"
        return response
    }

    private func response(for answer: CaptureAnswer) async throws -> HTTPResponse {
        switch answer {
        case .close(let hold):
            // The behaviour asks for this hold.
            try await Task.sleep(for: hold)
            return HTTPResponse(webSocket: ClosingWithoutAnswer())
        case .goAway: return HTTPResponse(webSocket: ClosingWithoutAnswer())
        case .http(let answer):
            // The behaviour asks for this delay.
            if answer.delay > .zero { try await Task.sleep(for: answer.delay) }
            var headers = HTTPHeaders()
            headers[.contentType] = "text/plain"
            for (name, value) in answer.headers { headers[HTTPHeader(name)] = value }
            return HTTPResponse(statusCode: HTTPStatusCode(answer.status, phrase: ""), headers: headers, body: content(of: answer))
        }
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
        let data = Data(answer.content)
        guard let drip = answer.drip else { return HTTPBodySequence(data: data, suggestedBufferSize: 64 << 10) }
        return HTTPBodySequence(from: DrippingBytes(data: data, interval: drip), count: data.count, suggestedBufferSize: 1)
    }
}

/// Closes a connection without an answer. The server's only way to do this is a protocol change that fails before its first byte.
private struct ClosingWithoutAnswer: WSHandler {
    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        throw CaptureError(message: "closed without an answer, as asked")
    }
}

/// Yields one byte after each interval. After the longest hold the body breaks off.
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
