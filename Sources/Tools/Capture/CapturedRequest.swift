public import TidingsCore
import TidingsEncodings
import TidingsJSON

/// One request as it arrived, and its answer: a line of the record.
public struct CapturedRequest: Sendable, Hashable {
    public var at: Timestamp
    public var method: String
    /// The path, percent-encoded, without the query.
    public var path: String
    /// Names in lower case, credentials included. If a name appears more than once, the last value counts.
    public var headers: [String: String]
    public var webhookID: String?
    /// The recipient and the notification of a request to a stand-in. Repetitions are counted by this id.
    public var messageID: String?
    /// The timestamp as the header had it.
    public var webhookTimestamp: String?
    /// The number of the request among those with the same id, from 1. Without an id, the number among the requests to this path. Nil after
    /// ``CaptureLimits/countedIDs`` ids.
    public var attempt: Int?
    public var signature: SignatureVerdict
    /// The status of the answer; nil if the connection is closed without an answer.
    public var status: Int?
    /// The first ``CaptureLimits/recordedBodyBytes`` bytes of the body.
    public var body: [UInt8]
    public var bodyBytes: Int

    /// The body as text. Bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// One JSON object on one line, without the line break. A body that is not UTF-8, such as an encrypted one, is the member `bodyBase64`.
    var json: [UInt8] {
        var json = JSONWriter(capacity: 512 + body.count)
        json.beginObject()
        json.member("at", at.rfc3339)
        json.member("method", method)
        json.member("path", path)
        json.key("headers")
        json.beginObject()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
        json.endObject()
        json.key("webhookId")
        webhookID.map { json.string($0) } ?? json.null()
        json.key("messageId")
        messageID.map { json.string($0) } ?? json.null()
        json.key("webhookTimestamp")
        webhookTimestamp.map { json.string($0) } ?? json.null()
        json.key("attempt")
        attempt.map { json.integer($0) } ?? json.null()
        json.member("signature", signature.rawValue)
        json.key("status")
        status.map { json.integer($0) } ?? json.null()
        json.member("bodyBytes", bodyBytes)
        if let text = String(validating: body, as: UTF8.self) {
            json.member("body", text)
        } else {
            json.member("bodyBase64", Base64.encode(body))
        }
        json.endObject()
        return json.bytes
    }
}

/// The result of checking a signature.
public enum SignatureVerdict: String, Sendable, Hashable, CaseIterable {
    /// One signature is right, and the timestamp is within five minutes of now.
    case valid
    /// One signature is right, but the timestamp is further away: a replay, or a wrong clock.
    case stale
    /// No signature matches a known secret, or a header that belongs to the signature is missing.
    case invalid
    /// The request has no signature.
    case absent
    /// The request has a signature, but its path has no known secret.
    case unchecked
}
