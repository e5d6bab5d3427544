import HTTPTypes
import TidingsHTTPServer
import TidingsStore
import TidingsWeb

/// One operation of the API: its place in the OpenAPI document, its callers and its code.
struct Operation: Sendable {
    typealias Handler = @Sendable (APICall) async throws -> ServerResponse

    /// The callers that may use an operation.
    enum Access: Sendable, Hashable {
        /// Everybody, without credentials.
        case open
        /// A person, by a token.
        case person
        /// A backend, by a key with this scope.
        case key(APIScope)
    }

    let method: HTTPRequest.Method
    /// The path as in the OpenAPI document, with `{name}` for a parameter.
    let path: String
    /// The `operationId` in the OpenAPI document. It labels metrics and log lines too.
    let name: String
    let access: Access
    /// The parameters of the query that the handler reads.
    let query: [String]
    /// Whether the handler reads the body.
    let hasBody: Bool
    /// The methods that the operation answers: `GET` with `HEAD`, or its own alone.
    let methods: [HTTPRequest.Method]
    let handler: Handler

    /// - Parameter answersHead: whether an operation of `GET` answers `HEAD` too.
    init(
        _ method: HTTPRequest.Method, _ path: String, _ name: String, _ access: Access, query: [String] = [], hasBody: Bool = false,
        answersHead: Bool = true, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.name = name
        self.access = access
        self.query = query
        self.hasBody = hasBody
        methods = method == .get && answersHead ? [.get, .head] : [method]
        self.handler = handler
    }

    /// Whether a caller asks for a change. Everything in the request must then be understood: a part that is ignored would be a change that
    /// the answer tells of and that was not made.
    ///
    /// Callbacks are no such requests: a provider reports in its own form.
    var isChange: Bool { method != .get && access != .open }
}

/// Every operation, found by method and path.
struct OperationTable: Sendable {
    enum Match: Sendable {
        case found(Operation, parameters: [String: String])
        /// The path exists for other methods.
        case wrongMethod(allowed: [HTTPRequest.Method])
        case unknownPath
    }

    let operations: [Operation]
    /// The segments of each operation's path. Nil stands for a parameter.
    private let templates: [(segments: [Segment], operation: Operation)]

    private enum Segment: Sendable {
        case fixed(String)
        case parameter(String)
    }

    init(_ operations: [Operation]) {
        self.operations = operations
        templates = operations.map { operation in
            let segments = operation.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
                segment.hasPrefix("{") ? Segment.parameter(String(segment.dropFirst().dropLast())) : .fixed(String(segment))
            }
            return (segments, operation)
        }
    }

    /// A path with a fixed word is preferred to one with a parameter in its place.
    func match(_ method: HTTPRequest.Method, _ path: [String]) -> Match {
        var best: (fixed: Int, operation: Operation, parameters: [String: String])?
        var others: [(fixed: Int, methods: [HTTPRequest.Method])] = []
        for (segments, operation) in templates where segments.count == path.count {
            guard let (fixed, parameters) = Self.parameters(of: segments, in: path) else { continue }
            if operation.methods.contains(method) {
                if fixed > best?.fixed ?? -1 { best = (fixed, operation, parameters) }
            } else {
                others.append((fixed, operation.methods))
            }
        }
        let mostFixed = others.map(\.fixed).max() ?? -1
        if let best, best.fixed >= mostFixed { return .found(best.operation, parameters: best.parameters) }
        guard mostFixed >= 0 else { return .unknownPath }
        let allowed = others.filter { $0.fixed == mostFixed }.flatMap(\.methods)
        return .wrongMethod(allowed: Array(Set(allowed)).sorted { $0.rawValue < $1.rawValue })
    }

    private static func parameters(of segments: [Segment], in path: [String]) -> (fixed: Int, [String: String])? {
        var (fixed, parameters) = (0, [String: String]())
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .fixed(let word):
                guard word.utf8.elementsEqual(text.utf8) else { return nil }
                fixed += 1
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return (fixed, parameters)
    }
}
