import HTTPTypes
import Logging
import Synchronization
import TidingsHTTPServer
import TidingsMetrics
import TidingsPipeline
import TidingsWeb

/// One request and its answer, as the log and the metrics have it. Nothing of it is personal data: no path, no address, no token.
struct RequestRecord: Sendable {
    let id: RequestID
    let method: HTTPRequest.Method
    /// The `operationId`, or `unknown`.
    var operation = "unknown"
    var caller = Caller.anyone
    /// The id of the key that the request names, also if the key was refused. It is no secret.
    var key: String?
    /// The reason of a refusal or failure. Nil for an answer that is none.
    var reason: String?
    var status = HTTPResponse.Status.ok
    /// The time until the answer was made. Its way to the client does not count.
    var duration = Duration.zero
}

/// The record of every request of a process: a line in the log, and metrics.
final class RequestLog: Sendable {
    private let metrics: Metrics
    private let logger: Logger
    private let reminder = Mutex(Reminder())

    init(metrics: Metrics, logger: Logger) {
        self.metrics = metrics
        self.logger = logger
    }

    func record(_ request: RequestRecord) {
        metrics.apiRequests(request.operation, "\(request.status.code / 100)xx").add()
        metrics.apiRequestDuration(request.operation).observe(request.duration)
        if let reason = request.reason { metrics.apiRefusals(reason).add() }
        var metadata: Logger.Metadata = [
            "operation": "\(request.operation)", "method": "\(request.method)", "status": .stringConvertible(request.status.code),
            "caller": "\(request.caller.kind)", "request": "\(request.id)",
            "milliseconds": .stringConvertible(Int(request.duration / .milliseconds(1))),
        ]
        if let key = request.key { metadata["key"] = "\(key)" }
        if let reason = request.reason { metadata["reason"] = "\(reason)" }
        logger.notice("answered", metadata: metadata)
    }

    /// The answer to bytes that are no request, and to a connection beyond a bound. Both are recorded.
    func refusal(_ status: HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8]) {
        let id = RequestID(given: nil)
        let problem: Problem
        switch status {
        case .tooManyRequests:
            problem = .rateLimited("Too many connections come from this address.", retryAfter: APILimits.connectionPause)
            refusedConnection("address connections")
        case .serviceUnavailable:
            problem = .unavailable("The server has no room for another connection.", retryAfter: APILimits.connectionPause)
            refusedConnection("connections")
        case .requestTimeout: problem = unreadable(Problem(.requestTimeout), id)
        case .requestHeaderFieldsTooLarge: problem = unreadable(Problem(.headersTooLarge), id)
        default: problem = unreadable(Problem(.malformed), id)
        }
        var headers = problem.headers
        headers[.contentType] = Problem.contentType
        AnswerHeaders.add(to: &headers, id)
        return (headers, problem.document(id))
    }

    /// Records a request that was not understood. Its method and its caller are not known.
    private func unreadable(_ problem: Problem, _ id: RequestID) -> Problem {
        metrics.apiRequests("unreadable", "\(problem.kind.status.code / 100)xx").add()
        metrics.apiRefusals(problem.reason).add()
        logger.notice(
            "answered",
            metadata: [
                "operation": "unreadable", "status": .stringConvertible(problem.kind.status.code), "reason": "\(problem.reason)",
                "request": "\(id)",
            ])
        return problem
    }

    /// Counts a connection. A flood of them must not fill the log.
    private func refusedConnection(_ reason: String) {
        metrics.apiRefusals(reason).add()
        if reminder.withLock({ $0.isDue() }) {
            logger.warning("connections are refused", metadata: ["reason": "\(reason)"])
        }
    }
}

extension Problem {
    /// The reason in logs and metrics: the kind, or the share that was used up.
    var reason: String { share.map { "\($0.owner.rawValue) \($0.unit.rawValue)" } ?? kind.rawValue }
}
