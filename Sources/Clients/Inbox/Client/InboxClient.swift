public import Foundation

/// Calls of the server, one method for each endpoint of apps.
///
/// Every method throws ``InboxError``. A request without an answer fails after ``requestLimit``. If the server refuses the token, the client
/// asks the provider for another one and sends the request once more.
public struct InboxClient: Sendable {
    let baseURL: URL
    let tokens: any InboxTokenProvider
    let transport: any InboxTransport
    let environment: InboxEnvironment

    /// The most time between a request and its answer.
    public static let requestLimit = Duration.seconds(30)

    /// - Parameter baseURL: The address of the server, such as `https://notifications.example`. A path in it stands before every endpoint.
    public init(
        baseURL: URL, tokens: any InboxTokenProvider, transport: any InboxTransport = URLSessionTransport(),
        environment: InboxEnvironment = .system
    ) {
        self.baseURL = baseURL
        self.tokens = tokens
        self.transport = transport
        self.environment = environment
    }

    /// Sends a request and reads the JSON of its answer.
    func answer<Answer: Decodable>(_ endpoint: Endpoint, as type: Answer.Type = Answer.self) async throws(InboxError) -> Answer {
        try Self.decode(type, from: try await response(endpoint))
    }

    static func decode<Answer: Decodable>(_ type: Answer.Type, from response: InboxHTTPResponse) throws(InboxError) -> Answer {
        do {
            return try JSONDecoder().decode(type, from: response.body)
        } catch {
            throw .malformedAnswer(String(describing: error))
        }
    }

    /// Sends a request. Throws for every status other than 2xx.
    func response(_ endpoint: Endpoint) async throws(InboxError) -> InboxHTTPResponse {
        let transport = self.transport
        return try await authorized(endpoint) { request in
            let response = try await transport.send(request)
            if let error = InboxError(response) { throw error }
            return response
        }
    }

    /// Opens the event stream once. ``InboxStore`` keeps it open; this call is for apps with a store of their own.
    ///
    /// - Parameter lastEventID: The id of the last event that the app got, or ``InboxPage/position``. The first event names everything that
    ///   changed since.
    public func openStream(lastEventID: String? = nil) async throws(InboxError) -> AsyncThrowingStream<Data, any Error> {
        var endpoint = Endpoint("GET", "api", "notifications", "stream")
        endpoint.headers["accept"] = "text/event-stream"
        if let lastEventID { endpoint.headers["last-event-id"] = lastEventID }
        let transport = self.transport
        return try await authorized(endpoint) { request in
            let stream = try await transport.open(request)
            guard stream.status != 200 else { return stream.body }
            // The body of an error is not needed: status and headers say everything.
            throw InboxError(InboxHTTPResponse(status: stream.status, headers: stream.headers))
                ?? InboxError.malformedAnswer("status \(stream.status) for a stream")
        }
    }

    /// Sends with the present token, and once more with another one if the server refuses it.
    private func authorized<Answer: Sendable>(
        _ endpoint: Endpoint, send: @escaping @Sendable (InboxHTTPRequest) async throws -> Answer
    ) async throws(InboxError) -> Answer {
        let token = try await token(replacing: nil)
        do {
            return try await limited(try endpoint.request(to: baseURL, token: token), send: send)
        } catch .unauthorized {
            let other = try await self.token(replacing: token)
            guard other != token else { throw .unauthorized }
            return try await limited(try endpoint.request(to: baseURL, token: other), send: send)
        }
    }

    private func token(replacing rejected: String?) async throws(InboxError) -> String {
        do {
            return try await tokens.token(replacing: rejected)
        } catch let error as InboxError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : .tokenUnavailable(String(describing: error))
        }
    }

    private func limited<Answer: Sendable>(
        _ request: InboxHTTPRequest, send: @escaping @Sendable (InboxHTTPRequest) async throws -> Answer
    ) async throws(InboxError) -> Answer {
        do {
            let sleep = environment.sleep
            return try await withThrowingTaskGroup(of: Answer?.self) { group in
                // The request and its limit: whichever ends first cancels the other.
                group.addTask { try await send(request) }
                group.addTask {
                    try await sleep(Self.requestLimit)
                    return nil
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let answer = first else {
                    throw InboxError.network("no answer within \(Self.requestLimit)")
                }
                return answer
            }
        } catch let error as InboxError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : .network(String(describing: error))
        }
    }
}

/// One request before its address and token are known.
struct Endpoint: Sendable {
    let method: String
    let path: [String]
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: Data?

    init(_ method: String, _ path: String...) {
        self.method = method
        self.path = path
    }

    /// The endpoint with a query member, unless the value is nil.
    func asking(_ name: String, _ value: String?) -> Endpoint {
        guard let value else { return self }
        var endpoint = self
        endpoint.query.append((name, value))
        return endpoint
    }

    func sending(_ value: some Encodable) throws(InboxError) -> Endpoint {
        var endpoint = self
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            endpoint.body = try encoder.encode(value)
        } catch {
            throw .invalid(status: 422, message: String(describing: error), fields: [])
        }
        endpoint.headers["content-type"] = "application/json"
        return endpoint
    }

    func request(to baseURL: URL, token: String) throws(InboxError) -> InboxHTTPRequest {
        var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
        let prefix = parts?.percentEncodedPath ?? ""
        let steps = path.map { "/" + Self.encoded($0) }.joined()
        parts?.percentEncodedPath = (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + steps
        if !query.isEmpty {
            parts?.percentEncodedQuery = query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        }
        guard let url = parts?.url else { throw .network("\(baseURL) is no address of a server") }
        var headers = ["accept": "application/json", "authorization": "Bearer \(token)"]
        headers.merge(self.headers) { $1 }
        return InboxHTTPRequest(method: method, url: url, headers: headers, body: body)
    }

    /// Every byte that is not unreserved (RFC 3986, section 2.3) is escaped: ids of people and cursors may hold any character.
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
