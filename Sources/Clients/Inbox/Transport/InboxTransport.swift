public import Foundation

/// Carries requests to the server. ``URLSessionTransport`` is the one for apps; tests bring their own.
///
/// Both calls end with an error as soon as their task is cancelled.
public protocol InboxTransport: Sendable {
    /// Sends a request and returns the whole answer, whatever its status.
    func send(_ request: InboxHTTPRequest) async throws -> InboxHTTPResponse

    /// Sends a request and returns when the head of the answer has arrived. The body follows piece by piece. When its reader ends, the
    /// transport closes the connection.
    func open(_ request: InboxHTTPRequest) async throws -> InboxHTTPStream
}

/// A request of the library.
public struct InboxHTTPRequest: Hashable, Sendable {
    public var method: String
    public var url: URL
    /// Names in lower case.
    public var headers: [String: String]
    public var body: Data?

    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// An answer.
public struct InboxHTTPResponse: Hashable, Sendable {
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    public var body: Data

    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// An answer whose body arrives piece by piece.
public struct InboxHTTPStream: Sendable {
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    public var body: AsyncThrowingStream<Data, any Error>

    public init(status: Int, headers: [String: String] = [:], body: AsyncThrowingStream<Data, any Error>) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Gives the token of the signed-in person.
public protocol InboxTokenProvider: Sendable {
    /// Returns the present token. `rejected` is the token that the server has just refused: the provider returns another one, or throws.
    /// Requests run side by side, so two of them may report the same refused token.
    func token(replacing rejected: String?) async throws -> String
}

/// A token that never changes, for tools and tests.
public struct FixedToken: InboxTokenProvider {
    private let token: String

    public init(_ token: String) { self.token = token }

    public func token(replacing rejected: String?) async throws -> String { token }
}

/// Time and chance. Replaced in tests.
public struct InboxEnvironment: Sendable {
    public var now: @Sendable () -> Date
    /// Time since some moment, by a clock that nobody sets.
    public var elapsed: @Sendable () -> Duration
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1.
    public var random: @Sendable () -> Double

    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.random = random
    }

    /// The clocks of the system.
    public static let system: InboxEnvironment = {
        let start = ContinuousClock.now
        return InboxEnvironment(
            now: { Date() }, elapsed: { start.duration(to: .now) },
            // The wait between two attempts, and the limit of a request.
            sleep: { try await Task.sleep(for: $0) }, random: { Double.random(in: 0...1) })
    }()
}
