import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a session: sorts heads, pieces and ends to their requests.
// The lock guards the only stored property that changes.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private typealias Head = CheckedContinuation<InboxHTTPStream, any Error>
    private typealias Body = AsyncThrowingStream<Data, any Error>.Continuation

    private enum Phase {
        case awaitingHead(Head, limit: Int)
        case body(Body)
    }

    private let lock = NSLock()
    private var phases: [Int: Phase] = [:]

    func begin(_ task: URLSessionTask, limit: Int, _ continuation: CheckedContinuation<InboxHTTPStream, any Error>) {
        lock.withLock { phases[task.taskIdentifier] = .awaitingHead(continuation, limit: limit) }
    }

    /// Ends a task, and the wait for its head.
    func cancel(_ task: URLSessionTask) {
        task.cancel()
        let head = lock.withLock { () -> Head? in
            guard case .awaitingHead(let head, _)? = phases[task.taskIdentifier] else { return nil }
            phases[task.taskIdentifier] = nil
            return head
        }
        head?.resume(throwing: CancellationError())
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        receiveHead(response, of: dataTask)
        completionHandler(.allow)
    }

    private func receiveHead(_ response: HTTPURLResponse, of task: URLSessionTask) {
        let number = task.taskIdentifier
        let opened = lock.withLock { () -> (Head, AsyncThrowingStream<Data, any Error>, Body)? in
            guard case .awaitingHead(let head, let limit)? = phases[number] else { return nil }
            let (pieces, body) = AsyncThrowingStream.makeStream(of: Data.self, bufferingPolicy: .bufferingOldest(limit))
            phases[number] = .body(body)
            return (head, pieces, body)
        }
        guard let (head, pieces, body) = opened else { return }
        // The reader has ended: nobody needs the rest.
        body.onTermination = { _ in task.cancel() }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        head.resume(returning: InboxHTTPStream(status: response.statusCode, headers: headers, body: pieces))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // Some platforms skip the call with the head when the answer is short.
        if case .awaitingHead = lock.withLock({ phases[dataTask.taskIdentifier] }), let head = dataTask.response as? HTTPURLResponse {
            receiveHead(head, of: dataTask)
        }
        guard case .body(let body) = lock.withLock({ phases[dataTask.taskIdentifier] }) else { return }
        if case .dropped = body.yield(data) {
            body.finish(throwing: InboxError.network("the reader of the stream is too slow"))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if error == nil, case .awaitingHead = lock.withLock({ phases[task.taskIdentifier] }),
            let head = task.response as? HTTPURLResponse
        {
            receiveHead(head, of: task)
        }
        switch lock.withLock({ phases.removeValue(forKey: task.taskIdentifier) }) {
        case .awaitingHead(let head, _)?: head.resume(throwing: error ?? InboxError.malformedAnswer("the answer is not HTTP"))
        case .body(let body)?: body.finish(throwing: error)
        case nil: break
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
