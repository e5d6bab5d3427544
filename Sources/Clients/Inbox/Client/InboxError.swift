public import Foundation

/// A request that did not do its work. Each has a description that an app may show.
public enum InboxError: Error, Hashable, Sendable {
    /// 401, also with a new token.
    case unauthorized
    /// 403.
    case forbidden
    /// 404: the id is unknown, or belongs to somebody else.
    case notFound
    /// Any other 4xx: the request was refused as it is. `message` is the detail or the title of the problem document.
    case invalid(status: Int, message: String, fields: [FieldError])
    /// 429. Seconds until the next try, if the server named them.
    case rateLimited(retryAfter: TimeInterval?)
    /// 503. Seconds until the next try, if the server named them.
    case unavailable(retryAfter: TimeInterval?)
    /// Any other 5xx.
    case server(status: Int)
    /// No answer: no network, no connection, or none in time. The text is for a log.
    case network(String)
    /// An answer that is not what the server promises. The text is for a log.
    case malformedAnswer(String)
    /// The app's token provider failed. The text is for a log.
    case tokenUnavailable(String)
    /// The caller's task was cancelled.
    case cancelled
    /// Too many changes wait for the network, so that this one was not taken.
    case tooManyChanges
    /// Too many reports wait for the network, so that the oldest were given up.
    case tooManyReports

    /// The HTTP status of the answer. Nil if no answer came.
    public var status: Int? {
        switch self {
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .invalid(let status, _, _), .server(let status): status
        case .rateLimited: 429
        case .unavailable: 503
        case .network, .malformedAnswer, .tokenUnavailable, .cancelled, .tooManyChanges, .tooManyReports: nil
        }
    }

    /// Seconds that the server asked to wait.
    public var retryAfter: TimeInterval? {
        switch self {
        case .rateLimited(let seconds), .unavailable(let seconds): seconds
        default: nil
        }
    }

    /// Errors of single members of a refused request.
    public var fieldErrors: [FieldError] {
        if case .invalid(_, _, let fields) = self { fields } else { [] }
    }
}

/// An error of one member of a request: `{pointer, detail, code}`.
public struct FieldError: Codable, Hashable, Sendable {
    /// A JSON pointer (RFC 6901), such as `/quietHoursStart`.
    public var pointer: String
    public var detail: String
    public var code: String?

    public init(pointer: String, detail: String, code: String? = nil) {
        self.pointer = pointer
        self.detail = detail
        self.code = code
    }
}

extension InboxError: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .unauthorized: "Your sign-in is not valid. Sign in again."
        case .forbidden: "You are not allowed to do this."
        case .notFound: "This notification no longer exists."
        case .invalid(_, let message, _): "The request was refused: \(message)"
        case .rateLimited(let seconds): "Too many requests. \(Self.nextTry(seconds))"
        case .unavailable(let seconds): "The service is not available. \(Self.nextTry(seconds))"
        case .server(let status): "The service failed (status \(status)). Try again later."
        case .network: "The service cannot be reached. Check your connection."
        case .malformedAnswer: "The answer of the service cannot be read."
        case .tokenUnavailable: "Your sign-in could not be renewed. Try again later."
        case .cancelled: "The request was cancelled."
        case .tooManyChanges: "Too many changes are waiting. Try again later."
        case .tooManyReports: "Too many reports are waiting for the network."
        }
    }

    public var errorDescription: String? { description }

    private static func nextTry(_ seconds: TimeInterval?) -> String {
        guard let seconds, seconds < 86_400 else { return "Try again later." }
        return "Try again in \(Int(seconds.rounded(.up))) s."
    }
}

/// A problem document (RFC 9457): `{type, title, status, detail, instance, errors}`.
struct ProblemDocument: Decodable {
    var title: String?
    var detail: String?
    var errors: [FieldError]?
}

extension InboxError {
    /// The error of an answer. Nil for a 2xx.
    init?(_ response: InboxHTTPResponse) {
        let retryAfter = response.headers["retry-after"].flatMap { HTTPDate.retryAfter($0, dateHeader: response.headers["date"]) }
        switch response.status {
        case 200...299: return nil
        case 401: self = .unauthorized
        case 403: self = .forbidden
        case 404: self = .notFound
        case 429: self = .rateLimited(retryAfter: retryAfter)
        case 400...499:
            let problem = try? JSONDecoder().decode(ProblemDocument.self, from: response.body)
            self = .invalid(
                status: response.status, message: problem?.detail ?? problem?.title ?? "status \(response.status)",
                fields: problem?.errors ?? [])
        case 503: self = .unavailable(retryAfter: retryAfter)
        case 500...599: self = .server(status: response.status)
        default: self = .malformedAnswer("status \(response.status)")
        }
    }
}
