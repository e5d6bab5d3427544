public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport of apps, over `URLSession`.
///
/// The delegate of the session hands over each piece of a body, which works on every platform. Redirects are not followed, so that a token
/// never reaches another host. No answer is cached, and no cookie is kept.
public final class URLSessionTransport: InboxTransport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// The most bytes of an answer that is read as a whole: far more than a page of 100 items.
    static let maximumBodyBytes = 16 << 20
    /// The most pieces of a stream that wait for their reader. A reader that falls behind further loses the connection and resumes.
    static let maximumWaitingPieces = 256

    /// - Parameter idleTimeout: Seconds without a byte after which a connection counts as broken. Longer than the server's heartbeat of 15 s.
    public init(idleTimeout: TimeInterval = 90) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = idleTimeout
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        exchanges = URLSessionExchanges()
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        // A session keeps its delegate alive until then.
        session.invalidateAndCancel()
    }

    public func send(_ request: InboxHTTPRequest) async throws -> InboxHTTPResponse {
        let stream = try await open(request, keepingPieces: Int.max)
        var body = Data()
        for try await piece in stream.body {
            body.append(piece)
            guard body.count <= Self.maximumBodyBytes else { throw InboxError.malformedAnswer("more than \(Self.maximumBodyBytes) bytes") }
        }
        // A cancelled reader sees the end of the stream, not an error.
        try Task.checkCancellation()
        return InboxHTTPResponse(status: stream.status, headers: stream.headers, body: body)
    }

    public func open(_ request: InboxHTTPRequest) async throws -> InboxHTTPStream {
        try await open(request, keepingPieces: Self.maximumWaitingPieces)
    }

    private func open(_ request: InboxHTTPRequest, keepingPieces limit: Int) async throws -> InboxHTTPStream {
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpBody = request.body
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: message)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(task, limit: limit, continuation)
                // A task that is cancelled before it begins may never report its end.
                if Task.isCancelled { exchanges.cancel(task) } else { task.resume() }
            }
        } onCancel: {
            exchanges.cancel(task)
        }
    }
}
