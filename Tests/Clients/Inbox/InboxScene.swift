import Foundation
import TidingsInbox

/// A store with a server that a test scripts, on a clock that it moves.
final class InboxScene {
    let executor = StepExecutor()
    let clock = SteppedClock(start: Date(timeIntervalSince1970: 1_795_608_000))
    let server: ScriptedServer
    let client: InboxClient
    let store: InboxStore
    private let running: Task<Void, Never>

    init(cache: (any InboxCache)? = nil, pageSize: Int = 20, tokens: any InboxTokenProvider = FixedToken("token")) {
        let (clock, server) = (clock, ScriptedServer())
        self.server = server
        client = InboxClient(
            baseURL: URL(filePath: "/"), tokens: tokens, transport: server,
            environment: InboxEnvironment(
                now: { clock.now }, elapsed: { clock.elapsed }, sleep: { try await clock.sleep($0) }, random: { 0 }))
        let store = InboxStore(client: client, cache: cache, pageSize: pageSize)
        self.store = store
        running = Task(executorPreference: executor) { await store.run() }
    }

    deinit { running.cancel() }

    /// Sends an action and lets everything happen that can.
    func send(_ action: InboxAction) -> InboxState {
        store.send(action)
        executor.drain()
        return store.state
    }

    /// Runs a call to its end, and returns its result. Nil if it waits for something.
    func result<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Result<Value, any Error>? {
        let box = Box<Result<Value, any Error>>()
        _ = Task(executorPreference: executor) {
            do { box.value = .success(try await body()) } catch { box.value = .failure(error) }
        }
        executor.drain()
        return box.value
    }

    /// Ends the run of the store, as an app does that goes away.
    func stop() {
        running.cancel()
        executor.drain()
    }
}

/// A value that a task leaves for the test.
// Only the thread of the test touches it: the executor runs every task there.
private final class Box<Value>: @unchecked Sendable {
    var value: Value?
}

/// A server that answers by method and path, and notes the requests.
// The lock guards every stored property that changes.
final class ScriptedServer: InboxTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [String: [InboxHTTPResponse]] = [:]
    private var noted: [InboxHTTPRequest] = []
    private var stream: AsyncThrowingStream<Data, any Error>.Continuation?
    private var gates: [String: (stream: AsyncStream<Never>, continuation: AsyncStream<Never>.Continuation)] = [:]

    var requests: [InboxHTTPRequest] { lock.withLock { noted } }
    var lines: [String] { requests.map(Self.line) }

    /// Gives an answer to the next request of this line, such as `GET /api/notifications`. The last answer stays.
    func answer(_ line: String, status: Int = 200, headers: [String: String] = [:], _ json: String = "") {
        let response = InboxHTTPResponse(status: status, headers: headers, body: Data(json.utf8))
        lock.withLock { answers[line, default: []].append(response) }
    }

    /// Holds the answer to the next request of this line back until ``release(_:)``.
    func hold(_ line: String) {
        let gate = AsyncStream.makeStream(of: Never.self)
        lock.withLock { gates[line] = gate }
    }

    func release(_ line: String) {
        lock.withLock { gates.removeValue(forKey: line) }?.continuation.finish()
    }

    func sendOnStream(_ text: String) {
        _ = lock.withLock { stream }?.yield(Data(text.utf8))
    }

    func send(_ request: InboxHTTPRequest) async throws -> InboxHTTPResponse {
        let line = Self.line(request)
        let gate = lock.withLock {
            noted.append(request)
            return gates[line]?.stream
        }
        if let gate { for await _ in gate {} }
        try Task.checkCancellation()
        return try lock.withLock {
            guard let response = answers[line]?.first else { throw URLError(.notConnectedToInternet) }
            if answers[line, default: []].count > 1 { answers[line]?.removeFirst() }
            return response
        }
    }

    func open(_ request: InboxHTTPRequest) async throws -> InboxHTTPStream {
        let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        lock.withLock {
            noted.append(request)
            stream = continuation
        }
        return InboxHTTPStream(status: 200, body: pieces)
    }

    private static func line(_ request: InboxHTTPRequest) -> String { "\(request.method) \(request.url.path())" }
}

/// Answers of the server as JSON.
enum Sample {
    static func id(_ number: Int) -> String { "019ac000-0000-7000-8000-" + String(number + 1_000_000_000_000).dropFirst() }

    static func item(_ number: Int, type: String = "PAYMENT_DUE", isRead: Bool = false, more: String = "") -> String {
        """
        {"id":"\(id(number))","type":"\(type)","title":"Title \(number)","body":"Body","data":{"loanId":"7"},"category":"transactional",
        "channel":"inApp","createdAt":"2026-11-25T10:00:00.000Z","scheduledFor":null,"isRead":\(isRead),"icon":"exclamationmark.circle.fill",
        "color":"orange","deepLink":null,"imageURL":null,"groupKey":null,"state":"\(isRead ? "read" : "delivered")"\(more)}
        """
    }

    static func page(_ items: [String], total: Int? = nil, unread: Int, next: String? = nil) -> String {
        """
        {"notifications":[\(items.joined(separator: ","))],"total":\(total ?? items.count),"unreadCount":\(unread),"limit":20,
        "nextCursor":\(next.map { "\"\($0)\"" } ?? "null"),"permissionHint":null}
        """
    }
}
