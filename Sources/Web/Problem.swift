package import HTTPTypes
import TidingsCore
package import TidingsHTTPServer
import TidingsJSON

/// A refusal or failure as the caller reads it: a problem document (RFC 9457).
///
/// A problem holds nothing of the inside: no SQL, no stack, no token.
package struct Problem: Error, Sendable {
    /// The stable kind of a problem. Its name is the end of the document's `type`.
    package enum Kind: String, CaseIterable, Sendable {
        case malformed
        case unauthenticated
        case invalidToken = "invalid-token"
        case forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case requestTimeout = "request-timeout"
        case idempotencyConflict = "idempotency-conflict"
        case recipientErased = "recipient-erased"
        case payloadTooLarge = "payload-too-large"
        case unsupportedMediaType = "unsupported-media-type"
        case invalid
        case idempotencyReuse = "idempotency-reuse"
        case rateLimited = "rate-limited"
        case headersTooLarge = "headers-too-large"
        case `internal`
        case unavailable

        package var status: HTTPResponse.Status {
            switch self {
            case .malformed: .badRequest
            case .unauthenticated, .invalidToken: .unauthorized
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .methodNotAllowed: .methodNotAllowed
            case .requestTimeout: .requestTimeout
            case .idempotencyConflict, .recipientErased: .conflict
            case .payloadTooLarge: .contentTooLarge
            case .unsupportedMediaType: .unsupportedMediaType
            case .invalid, .idempotencyReuse: .unprocessableContent
            case .rateLimited: .tooManyRequests
            case .headersTooLarge: .requestHeaderFieldsTooLarge
            case .internal: .internalServerError
            case .unavailable: .serviceUnavailable
            }
        }

        /// The summary for a person. It is the same for every problem of the kind.
        package var title: String {
            switch self {
            case .malformed: "The request cannot be read"
            case .unauthenticated: "The request has no credentials"
            case .invalidToken: "The credentials are not valid"
            case .forbidden: "The credentials do not allow this"
            case .notFound: "There is no such thing"
            case .methodNotAllowed: "The method is not for this path"
            case .requestTimeout: "The request arrived too slowly"
            case .idempotencyConflict: "The event id was used for other content"
            case .recipientErased: "The person was erased"
            case .payloadTooLarge: "The body is too large"
            case .unsupportedMediaType: "The content type is not accepted here"
            case .invalid: "Some fields are not valid"
            case .idempotencyReuse: "The idempotency key was used for another body"
            case .rateLimited: "Too many requests"
            case .headersTooLarge: "The headers are too large"
            case .internal: "The server failed"
            case .unavailable: "The service is not available at the moment"
            }
        }
    }

    /// A fault of one field or parameter.
    package struct Field: Sendable {
        /// JSON Pointer (RFC 6901) into the body. Nil for a parameter.
        package var pointer: String?
        /// The name of a parameter of the path or the query. Nil for a field of the body.
        package var parameter: String?
        package var detail: String
        /// The reason code, if the fault has one.
        package var code: String?

        package static func parameter(_ name: String, _ detail: String) -> Field { Field(parameter: name, detail: detail) }
        package static func body(_ pointer: String, _ detail: String, code: String? = nil) -> Field {
            Field(pointer: pointer, detail: detail, code: code)
        }
    }

    /// The faults of one body or query that an answer names. Beyond it the caller corrects these first.
    package static let mostFaults = 50

    package let kind: Kind
    package var detail: String?
    package var fields: [Field] = []
    /// The share that the caller has used up, of an answer 429.
    package var share: UsedShare?
    /// Whether a client that asks again at once must not get its next refusal at once.
    package var isPaused = false
    package var headers: HTTPFields = [:]

    package init(_ kind: Kind, _ detail: String? = nil, fields: [Field] = [], headers: HTTPFields = [:]) {
        self.kind = kind
        self.detail = detail
        self.fields = fields
        self.headers = headers
    }

    package static func invalid(_ fields: Field...) -> Problem { Problem(.invalid, fields: fields) }

    /// The detail of a fault for a name that is none of the known ones: the nearest of them, or all of them if none is near.
    ///
    /// - Parameter noun: the kind of name, such as `member`.
    package static func unknown(_ noun: String, _ name: String, among known: [String]) -> String {
        let hint = NearestName.hint(for: name, among: known)
        if known.isEmpty || !hint.isEmpty { return "is no \(noun) of this request\(hint)" }
        return "is no \(noun) of this request; there are \(known.joined(separator: ", "))"
    }

    /// - Parameter retryAfter: rounded up to whole seconds.
    package static func unavailable(_ detail: String, retryAfter: Duration) -> Problem {
        Problem(.unavailable, detail, headers: [.retryAfter: seconds(retryAfter)])
    }

    package static func rateLimited(_ detail: String = "Try again after the time in Retry-After.", retryAfter: Duration) -> Problem {
        Problem(.rateLimited, detail, headers: [.retryAfter: seconds(retryAfter)])
    }

    package static func rateLimited(_ share: UsedShare, retryAfter: Duration) -> Problem {
        var problem = rateLimited(share.detail, retryAfter: retryAfter)
        problem.share = share
        problem.isPaused = true
        return problem
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        return String(max(1, seconds + (rest > 0 ? 1 : 0)))
    }

    /// The document as the answer to the request with this id.
    package func response(to request: RequestID) -> ServerResponse {
        var headers = headers
        headers[.contentType] = Self.contentType
        return ServerResponse(kind.status, headers: headers, body: .bytes(document(request)))
    }

    package static let contentType = "application/problem+json"

    /// The document, with a line feed at its end.
    package func document(_ request: RequestID?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "urn:tidings:problem:\(kind.rawValue)")
        json.member("title", kind.title)
        json.member("status", kind.status.code)
        if let detail { json.member("detail", detail) }
        if let request { json.member("instance", request.instance) }
        if let share {
            json.key("share")
            share.write(to: &json)
        }
        if !fields.isEmpty {
            json.key("errors")
            json.beginArray()
            for field in fields {
                json.beginObject()
                if let pointer = field.pointer { json.member("pointer", pointer) }
                if let parameter = field.parameter { json.member("parameter", parameter) }
                json.member("detail", field.detail)
                if let code = field.code { json.member("code", code) }
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
        json.endLine()
        return json.bytes
    }
}
