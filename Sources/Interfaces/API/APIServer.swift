import HTTPTypes
import Logging
import TidingsHTTPServer
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsWeb

/// Answers the requests of the API: finds the operation, checks the caller, and turns every error into a problem document.
struct APIServer: Sendable {
    let table: OperationTable
    let access: AccessControl
    let proxies: TrustedProxies
    let room: ByteRoom
    /// Nil sets no limit.
    let requests: RequestRoom?
    /// Nil: a used share is told at once.
    let pause: RefusalPause?
    let origins: AllowedOrigins
    let log: RequestLog
    /// Whether the process speaks TLS itself.
    let speaksTLS: Bool
    /// Watches whether requests go on.
    let progress: ProgressWatch
    let logger: Logger

    func answer(_ request: ServerRequest) async -> ServerResponse {
        let began = ContinuousClock.now
        var record = RequestRecord(id: RequestID(given: request.header(.requestID)), method: request.method)
        var response: ServerResponse
        var refusal: Problem?
        if let preflight = origins.preflight(request) {
            (record.operation, response) = ("preflight", preflight)
        } else {
            do {
                response = try await answer(request, &record)
            } catch {
                let problem = problem(from: error, record.id)
                record.reason = problem.reason
                refusal = problem
                if record.key == nil { record.key = Self.keyID(of: request) }
                response = problem.response(to: record.id)
            }
        }
        AnswerHeaders.add(to: &response.headers, record.id)
        if speaksTLS { AnswerHeaders.addOnlyTLS(to: &response.headers) }
        origins.allow(request, in: &response)
        record.status = response.status
        record.duration = ContinuousClock.now - began
        log.record(record)
        // The pause is no work: neither the log nor the metrics count it.
        if let refusal { await pause?.wait(for: refusal) }
        return response
    }

    private func answer(_ request: ServerRequest, _ record: inout RequestRecord) async throws -> ServerResponse {
        let (operation, target, parameters) = try table.find(request.method, path: request.path, query: request.query)
        record.operation = operation.name
        return try await progress.during("request \(operation.name)") {
            try await answer(request, by: operation, target, parameters, &record)
        }
    }

    private func answer(
        _ request: ServerRequest, by operation: Operation, _ target: RequestTarget, _ parameters: [String: String],
        _ record: inout RequestRecord
    ) async throws -> ServerResponse {
        let client = proxies.client(of: request)
        let caller = try await access.caller(of: request, at: client, for: operation.access)
        record.caller = caller
        if case .key(let key) = caller { record.key = key.id }
        let query = QueryReader(target, known: operation.query, refusingOthers: operation.isChange)
        let owner = ByteRoom.Owner(caller, at: client)
        let call = APICall(
            request: request, query: query, parameters: parameters, caller: caller, id: record.id, rates: access.rates,
            lease: ByteLease(room, for: owner), place: try requests?.begin(for: owner, opensStream: operation.opensStream))
        // A parameter that is given twice has no meaning, also for an operation that only reads.
        try query.finish()
        if operation.isChange, !operation.hasBody { try await call.refuseBody(upTo: APILimits.bodyBytes) }
        var response = try await operation.handler(call)
        // The answer to a change is small. It is never refused, because the change is made.
        if operation.method == .get, case .bytes(let bytes) = response.body { try call.place?.reserve(answerBytes: bytes.count) }
        // A stream of events is open for as long as its client likes, and has a bound of its own.
        if case .bytes = response.body { response.retained = call.place }
        return response
    }

    /// The id of the key that a request names. Nil if it names none, or in a wrong form.
    private static func keyID(of request: ServerRequest) -> String? {
        (try? BearerToken(request)).flatMap { APIKeyText($0.text)?.id }
    }

    /// The problem that tells an error to the caller. Errors of the inside are logged and not told.
    private func problem(from error: any Error, _ id: RequestID) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case is RecipientErased: return Problem(.recipientErased, "Nothing is stored about this person before a readmission.")
        case let error as PostgresError where error.isAboutTheData:
            // A text that PostgreSQL does not store, such as one with a NUL.
            return Problem(.invalid, "A value cannot be stored.")
        case let error as PostgresError where error.retryability != .permanent || error.kind == .poolClosed:
            logger.error("the database does not answer a request", metadata: ["request": "\(id)", "error": "\(error)"])
            return .unavailable("The database does not answer at the moment.", retryAfter: .seconds(2))
        case is CancellationError: return .unavailable("The server is stopping.", retryAfter: .seconds(1))
        default:
            logger.error("a request failed", metadata: ["request": "\(id)", "error": "\(error)"])
            return Problem(.internal, "Name the request id when you report this.")
        }
    }
}
