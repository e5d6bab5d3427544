import HTTPTypes
import Logging
import TidingsHTTPServer
import TidingsPostgres
import TidingsStore

/// Answers the requests of the API: finds the operation, checks the caller, and turns every error into a problem document.
struct APIServer: Sendable {
    let table: OperationTable
    let access: AccessControl
    let proxies: TrustedProxies
    let room: ByteRoom
    let origins: AllowedOrigins
    let logger: Logger

    func answer(_ request: ServerRequest) async -> ServerResponse {
        let began = ContinuousClock.now
        let id = RequestID(given: request.header(.requestID))
        var name = "unknown"
        var caller = Caller.anyone
        var response: ServerResponse
        if let preflight = origins.preflight(request) {
            (name, response) = ("preflight", preflight)
        } else {
            do {
                let (operation, target, parameters) = try find(request)
                name = operation.name
                let client = client(of: request)
                caller = try await access.caller(of: request, at: client, for: operation.access)
                let query = QueryReader(target, known: operation.query, refusingOthers: operation.isChange)
                let lease = ByteLease(room, for: ByteRoom.Owner(caller, at: client))
                let call = APICall(
                    request: request, query: query, parameters: parameters, caller: caller, id: id, rates: access.rates, lease: lease)
                if operation.isChange {
                    try query.finish()
                    if !operation.hasBody { try await call.refuseBody() }
                }
                response = try await operation.handler(call)
            } catch {
                response = problem(from: error, id).response(to: id)
            }
        }
        finish(&response, request, id)
        log(name, response.status, caller, id, request.method, took: ContinuousClock.now - began)
        return response
    }

    /// The answer to bytes that are no request, and to a connection beyond a bound.
    static func refusal(_ status: HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8]) {
        let problem: Problem =
            switch status {
            case .requestTimeout: Problem(.requestTimeout)
            case .requestHeaderFieldsTooLarge: Problem(.headersTooLarge)
            case .tooManyRequests:
                Problem.rateLimited("Too many connections come from this address.", retryAfter: APILimits.connectionPause)
            case .serviceUnavailable:
                Problem.unavailable("The server has no room for another connection.", retryAfter: APILimits.connectionPause)
            default: Problem(.malformed)
            }
        var headers = problem.headers
        headers[.contentType] = Problem.contentType
        return (headers, problem.document(nil))
    }

    private func client(of request: ServerRequest) -> ClientAddress? {
        proxies.client(peer: request.remoteAddress, forwardedFor: request.header(.forwardedFor))
    }

    private func find(_ request: ServerRequest) throws -> (Operation, RequestTarget, [String: String]) {
        guard let target = RequestTarget(path: request.path, query: request.query) else {
            throw Problem(.malformed, "The path or the query has a broken escape, a NUL or bytes that are no UTF-8.")
        }
        switch table.match(request.method, target.segments) {
        case .found(let operation, let parameters): return (operation, target, parameters)
        case .unknownPath: throw Problem(.notFound, "There is no such path.")
        case .wrongMethod(let allowed):
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw Problem(.methodNotAllowed, "The path takes \(names).", headers: [.allow: names])
        }
    }

    /// The problem that tells an error to the caller. Errors of the inside are logged and not told.
    private func problem(from error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case is RecipientErased: return Problem(.recipientErased, "Nothing is stored about this person before a readmission.")
        case let error as PostgresError where error.isAboutTheData:
            // A text that PostgreSQL does not store, such as one with a NUL.
            return Problem(.invalid, "A value cannot be stored.")
        case let error as PostgresError where error.verdict != .permanent || error.kind == .poolClosed:
            logger.error("the database does not answer a request", metadata: ["request": "\(id)", "error": "\(error)"])
            return .unavailable("The database does not answer at the moment.", retryAfter: .seconds(2))
        case is CancellationError: return .unavailable("The server is stopping.", retryAfter: .seconds(1))
        default:
            logger.error("a request failed", metadata: ["request": "\(id)", "error": "\(error)"])
            return Problem(.internal, "Name the request id when you report this.")
        }
    }

    /// Adds the headers of every answer.
    private func finish(_ response: inout ServerResponse, _ request: ServerRequest, _ id: RequestID) {
        response.headers[.requestID] = id.description
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        origins.allow(request, in: &response)
    }

    /// One line for each request, without personal data: no path, because a path has ids of people.
    private func log(
        _ name: String, _ status: HTTPResponse.Status, _ caller: Caller, _ id: RequestID, _ method: HTTPRequest.Method, took: Duration
    ) {
        logger.debug(
            "answered",
            metadata: [
                "operation": "\(name)", "method": "\(method)", "status": .stringConvertible(status.code), "caller": "\(caller.kind)",
                "request": "\(id)", "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
            ])
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name(known: "x-request-id")
    static let forwardedFor = HTTPField.Name(known: "x-forwarded-for")
}
