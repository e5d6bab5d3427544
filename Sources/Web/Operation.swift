package import HTTPTypes
package import TidingsHTTPServer

/// The callers that may use an operation of one interface: everybody, and each kind of caller with credentials.
package protocol OperationAccess: Sendable, Hashable {
    /// Everybody, without credentials.
    static var open: Self { get }
}

/// One operation of an interface, such as the HTTP API: its method and path, its callers and its code.
///
/// An interface declares its `Access`, and the `Call` that its handlers get. No operation exists without an answer to "who may call".
package struct Operation<Access: OperationAccess, Call: Sendable>: Sendable {
    package typealias Handler = @Sendable (Call) async throws -> ServerResponse

    package let method: HTTPRequest.Method
    /// The path, with `{name}` for a parameter, as OpenAPI writes it.
    package let path: String
    /// The `operationId` in an OpenAPI document. It labels metrics and log lines too.
    package let name: String
    package let access: Access
    /// The parameters of the query that the handler reads.
    package let query: [String]
    /// Whether the handler reads the body.
    package let hasBody: Bool
    /// The methods that the operation answers: `GET` with `HEAD`, or its own alone.
    package let methods: [HTTPRequest.Method]
    /// Whether the answer is a stream of events, which is open for as long as its client likes. The head alone would open a stream that nobody
    /// reads, so such an operation does not answer `HEAD`.
    package let opensStream: Bool
    package let handler: Handler

    package init(
        _ method: HTTPRequest.Method, _ path: String, _ name: String, _ access: Access, query: [String] = [], hasBody: Bool = false,
        opensStream: Bool = false, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.access = access
        self.query = query
        self.hasBody = hasBody
        self.opensStream = opensStream
        methods = method == .get && !opensStream ? [.get, .head] : [method]
        self.handler = handler
    }

    /// Whether a caller asks for a change. Everything in the request must then be understood: a part that is ignored would be a change that
    /// the answer tells of and that was not made.
    ///
    /// Callbacks are no such requests: a provider reports in its own form, and proves itself to the handler.
    package var isChange: Bool { method != .get && access != .open }
}
