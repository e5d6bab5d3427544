import TidingsJSON
import TidingsJSONSchema

/// An error of FCM, with the members of its body.
struct FCMFault: Error, Sendable, Hashable {
    /// The HTTP status.
    var code: Int
    /// The status of google.rpc.Code.
    var status: String
    var message: String
    /// FCM's own code, in a detail of type FcmError; nil for errors from a server in front of FCM.
    var errorCode: String?
    /// The fields at fault, each with its problem, in a detail of type BadRequest.
    var violations: [Violation] = []

    struct Violation: Sendable, Hashable {
        /// The path of the field: `message.android.ttl`.
        var field: String
        var description: String

        init(_ field: String, _ description: String) {
            self.field = field
            self.description = description
        }
    }

    static let unregistered = FCMFault(
        code: 404, status: "NOT_FOUND", message: "Requested entity was not found.", errorCode: "UNREGISTERED")
    static let invalidToken = FCMFault(
        code: 400, status: "INVALID_ARGUMENT", message: "The registration token is not a valid FCM registration token",
        errorCode: "INVALID_ARGUMENT")
    static let senderMismatch = FCMFault(
        code: 403, status: "PERMISSION_DENIED", message: "SenderId mismatch", errorCode: "SENDER_ID_MISMATCH")
    static let thirdPartyAuth = FCMFault(
        code: 401, status: "UNAUTHENTICATED", message: "Auth error from APNS or Web Push Service", errorCode: "THIRD_PARTY_AUTH_ERROR")
    static let quotaExceeded = FCMFault(
        code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded for sending messages.", errorCode: "QUOTA_EXCEEDED")
    static let internalError = FCMFault(code: 500, status: "INTERNAL", message: "Internal error encountered.", errorCode: "INTERNAL")
    static let unavailable = FCMFault(
        code: 503, status: "UNAVAILABLE", message: "The service is currently unavailable.", errorCode: "UNAVAILABLE")
    static let unspecified = FCMFault(code: 400, status: "UNKNOWN", message: "Unknown error.", errorCode: "UNSPECIFIED_ERROR")
    static let permissionDenied = FCMFault(
        code: 403, status: "PERMISSION_DENIED", message: "Permission 'cloudmessaging.messages.create' denied on resource.")
    static let unknownAccessToken = FCMFault(
        code: 401, status: "UNAUTHENTICATED",
        message: "Request had invalid authentication credentials. Expected OAuth 2 access token or other valid authentication credential.")
    static let unknownProject = FCMFault(code: 404, status: "NOT_FOUND", message: "Requested entity was not found.")
    static let unknownAddress = FCMFault(code: 404, status: "NOT_FOUND", message: "The requested URL was not found on this server.")

    static func badRequest(_ violations: [Violation]) -> FCMFault {
        FCMFault(
            code: 400, status: "INVALID_ARGUMENT", message: violations.first?.description ?? "Request contains an invalid argument.",
            violations: violations)
    }

    /// The errors that a token can ask for: `test:UNREGISTERED`.
    static let scripted: [String: FCMFault] = [
        "UNREGISTERED": unregistered, "INVALID_TOKEN": invalidToken, "SENDER_ID_MISMATCH": senderMismatch,
        "THIRD_PARTY_AUTH_ERROR": thirdPartyAuth, "QUOTA_EXCEEDED": quotaExceeded, "INTERNAL": internalError, "UNAVAILABLE": unavailable,
        "UNSPECIFIED_ERROR": unspecified, "PERMISSION_DENIED": permissionDenied,
    ]

    static func named(in token: String) -> FCMFault? {
        AskedEnd(of: token).flatMap { asked in scripted.first { asked.begins(with: $0.key) }?.value }
    }

    /// - Parameter retryAfter: in seconds.
    func response(retryAfter: Int? = nil) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        json.key("error")
        json.beginObject()
        json.member("code", code)
        json.member("message", message)
        json.member("status", status)
        if errorCode != nil || !violations.isEmpty { writeDetails(to: &json) }
        json.endObject()
        json.endObject()
        return .json(code, json.bytes, headers: retryAfter.map { [("retry-after", String($0))] } ?? [])
    }

    private func writeDetails(to json: inout JSONWriter) {
        json.key("details")
        json.beginArray()
        if let errorCode {
            json.beginObject()
            json.member("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
            json.member("errorCode", errorCode)
            json.endObject()
        }
        if !violations.isEmpty {
            json.beginObject()
            json.member("@type", "type.googleapis.com/google.rpc.BadRequest")
            json.key("fieldViolations")
            json.beginArray()
            for violation in violations {
                json.beginObject()
                json.member("field", violation.field)
                json.member("description", violation.description)
                json.endObject()
            }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }
}
