import TidingsJSON

/// A refusal of a push service, with the words and numbers of Mozilla's service.
struct WebPushFault: Error, Sendable, Hashable {
    var status: Int
    /// Mozilla's own number of the error.
    var errno: Int
    var message: String

    init(_ status: Int, _ errno: Int, _ message: String) {
        self.status = status
        self.errno = errno
        self.message = message
    }

    static let unknownSubscription = WebPushFault(404, 103, "The subscription does not exist or has expired")
    static let gone = WebPushFault(410, 106, "The subscription has been removed")
    static let tooLarge = WebPushFault(413, 104, "The body is longer than 4096 bytes")
    static let throttled = WebPushFault(429, 114, "Too many messages for this subscription")
    static let unavailable = WebPushFault(503, 105, "The push service is out of order")
    static let keyMismatch = WebPushFault(403, 109, "VAPID public key mismatch")
    static func badRequest(_ message: String) -> WebPushFault { WebPushFault(400, 110, message) }
    static func missingHeader(_ name: String) -> WebPushFault { WebPushFault(400, 111, "Missing required header: \(name)") }
    static func unauthorized(_ message: String) -> WebPushFault { WebPushFault(403, 109, message) }

    func response(headers: [(String, String)] = []) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("code", status)
        json.member("errno", errno)
        json.member("error", phrase)
        json.member("message", message)
        json.endObject()
        return .json(status, json.bytes, headers: headers)
    }

    private var phrase: String {
        switch status {
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 410: "Gone"
        case 413: "Payload Too Large"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Bad Request"
        }
    }
}
