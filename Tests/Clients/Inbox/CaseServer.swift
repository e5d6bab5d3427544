import Foundation
import TidingsInbox

/// The server of a case: it expects the requests of a step, and answers each as the table says.
// The lock guards every stored property that changes.
final class CaseServer: InboxTransport, @unchecked Sendable {
    private enum Reply {
        case response(InboxHTTPResponse)
        case stream(InboxHTTPStream)
    }

    private let lock = NSLock()
    private var expected: [CaseValue] = []
    private var held: [String: (CaseValue, CheckedContinuation<Void, any Error>)] = [:]
    private var problems: [String] = []
    private var body: AsyncThrowingStream<Data, any Error>.Continuation?
    private let tokens: CaseTokens

    init(tokens: CaseTokens) { self.tokens = tokens }

    func expect(_ exchanges: [CaseValue]) { lock.withLock { expected += exchanges } }

    /// Returns what went wrong since the last call: unexpected requests, wrong requests, and exchanges of which no request came.
    func takeProblems() -> [String] {
        lock.withLock {
            defer {
                problems = []
                expected = []
            }
            return problems + expected.map { "no request \($0["request"]?.text ?? "")" }
        }
    }

    func release(_ name: String) {
        let entry = lock.withLock { held.removeValue(forKey: name) }
        entry?.1.resume()
    }

    func sendOnStream(_ text: String) {
        _ = lock.withLock { body }?.yield(Data(text.utf8))
    }

    func endStream() {
        lock.withLock { body }?.finish()
    }

    func send(_ request: InboxHTTPRequest) async throws -> InboxHTTPResponse {
        switch try await reply(to: request) {
        case .response(let response): return response
        case .stream: throw InboxError.malformedAnswer("a stream")
        }
    }

    func open(_ request: InboxHTTPRequest) async throws -> InboxHTTPStream {
        switch try await reply(to: request) {
        case .response(let response):
            return InboxHTTPStream(status: response.status, headers: response.headers, body: AsyncThrowingStream { $0.finish() })
        case .stream(let stream): return stream
        }
    }

    private func reply(to request: InboxHTTPRequest) async throws -> Reply {
        guard let exchange = take(request) else { throw InboxError.network("unexpected") }
        if let name = exchange["held"]?.text { try await hold(name, exchange) }
        let answer = exchange["answer"] ?? .null
        if answer["networkError"]?.bool == true { throw URLError(.notConnectedToInternet) }
        if answer["stream"]?.bool == true {
            let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            lock.withLock { self.body = continuation }
            return .stream(InboxHTTPStream(status: 200, headers: ["content-type": "text/event-stream"], body: pieces))
        }
        let status = Int(answer["status"]?.number ?? 0)
        if status == 401 { tokens.refuse(request.headers["authorization"]) }
        let headers = (answer["headers"]?.members ?? [:]).compactMapValues(\.text)
        let body = answer["text"]?.text.map { Data($0.utf8) } ?? answer["body"]?.data ?? Data()
        return .response(InboxHTTPResponse(status: status, headers: headers, body: body))
    }

    private func hold(_ name: String, _ exchange: CaseValue) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.withLock { held[name] = (exchange, continuation) }
            }
        } onCancel: {
            let entry = lock.withLock { held.removeValue(forKey: name) }
            entry?.1.resume(throwing: CancellationError())
        }
    }

    /// The exchange of a request. Nil for a request that nothing expects.
    private func take(_ request: InboxHTTPRequest) -> CaseValue? {
        lock.withLock {
            let line = Self.line(of: request)
            guard let index = expected.firstIndex(where: { Self.sorted($0["request"]?.text ?? "") == line }) else {
                problems.append("unexpected request \(line)")
                return nil
            }
            let exchange = expected.remove(at: index)
            for (name, value) in exchange["headers"]?.members ?? [:] where request.headers[name] != value.text {
                problems.append("\(line): header \(name) is \(request.headers[name] ?? "missing"), expected \(value)")
            }
            if let body = exchange["body"] {
                let sent = request.body.flatMap { try? JSONDecoder().decode(CaseValue.self, from: $0) }
                if sent != body { problems.append("\(line): body \(sent ?? .null), expected \(body)") }
            }
            return exchange
        }
    }

    private static func line(of request: InboxHTTPRequest) -> String {
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
        return sorted("\(request.method) \(parts?.percentEncodedPath ?? "")\(query)")
    }

    /// A request with the members of its query in order.
    private static func sorted(_ line: String) -> String {
        let parts = line.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return line }
        return parts[0] + "?" + parts[1].split(separator: "&").sorted().joined(separator: "&")
    }
}

/// The tokens of a case, in order.
// The lock guards the only stored property that changes.
final class CaseTokens: InboxTokenProvider, @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [String]

    init(_ tokens: [String]) { self.tokens = tokens }

    func token(replacing rejected: String?) async throws -> String { lock.withLock { tokens[0] } }

    /// Makes the next token the current one, if the refused one is.
    func refuse(_ header: String?) {
        lock.withLock { if tokens.count > 1, header == "Bearer \(tokens[0])" { tokens.removeFirst() } }
    }
}

/// The cache of a case.
// The lock guards the only stored property that changes.
final class CaseCache: InboxCache, @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Data?

    init(_ data: Data?) { stored = data }

    var data: Data? { lock.withLock { stored } }

    func read() async -> Data? { data }
    func write(_ data: Data) async { lock.withLock { stored = data } }
    func remove() async { lock.withLock { stored = nil } }
}
