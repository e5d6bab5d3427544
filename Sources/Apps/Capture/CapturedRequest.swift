public import TidingsCore
import TidingsEncodings
import TidingsJSON

/// One request as it arrived, and what it was answered: a line of the record.
public struct CapturedRequest: Sendable, Hashable {
    public var at: Timestamp
    public var method: String
    /// Percent-encoded, without the query.
    public var path: String
    /// Names in lower case, with their credentials; of several with one name the last.
    public var headers: [String: String]
    public var webhookID: String?
    /// Of a request to a stand-in: whom it sends what, by which repetitions are counted.
    public var messageID: String?
    /// As the header had it.
    public var webhookTimestamp: String?
    /// Which request with this id it is, from 1; without any id, which one to this path. Nil beyond ``CaptureLimits/countedIDs``.
    public var attempt: Int?
    public var signature: SignatureVerdict
    /// The status it gets; nil when the connection is closed without an answer.
    public var status: Int?
    /// The first ``CaptureLimits/recordedBodyBytes``.
    public var body: [UInt8]
    public var bodyBytes: Int

    /// The body with bytes that are not UTF-8 replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// One JSON object on one line, without the line break. A body that is not UTF-8, such as an encrypted one, stands there as `bodyBase64`.
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

/// What became of checking a signature.
public enum SignatureVerdict: String, Sendable, Hashable, CaseIterable {
    /// One of the signatures is right, and the timestamp within five minutes of now.
    case valid
    /// Right, but the timestamp is further away than that: a replay, or a clock that is wrong.
    case stale
    /// No signature matches a known secret, or a header that belongs to it is missing.
    case invalid
    /// The request carries no signature.
    case absent
    /// It carries one, and no secret is known for its path.
    case unchecked
}
