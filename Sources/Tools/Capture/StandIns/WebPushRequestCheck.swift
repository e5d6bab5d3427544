import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The checks of a push service before it accepts a message: the headers of RFC 8030 section 5 and the token of RFC 8292.
struct WebPushRequestCheck: Sendable {
    /// In seconds. A longer TTL is cut to this, as Mozilla does.
    static let longestTTL = 2_592_000
    /// The most bytes of a body.
    static let longestBody = 4_096
    /// In seconds: the longest remaining life of a VAPID token.
    static let longestTokenLife = 86_400
    private static let longestTopic = 32

    /// The TTL in seconds, as requested or cut.
    let ttl: Int
    let topic: String?
    /// The sender's public key, an uncompressed point.
    let senderKey: [UInt8]

    /// - Parameters:
    ///   - origin: the push service's origin. A token must be for this origin.
    ///   - boundKey: the sender's key that the subscription was made for; nil accepts every sender.
    init(_ request: StandInRequest, origin: String, boundKey: [UInt8]?) throws(WebPushFault) {
        guard request.body.count <= Self.longestBody else { throw .tooLarge }
        ttl = try Self.ttl(request.headers["ttl"])
        topic = try Self.topic(request.headers["topic"])
        try Self.checkUrgency(request.headers["urgency"])
        let encoding = request.headers["content-encoding"]
        guard request.body.isEmpty ? encoding == nil : encoding == "aes128gcm" else {
            throw .badRequest("Content-Encoding must be aes128gcm, or absent when there is no body")
        }
        senderKey = try Self.senderKey(request.headers["authorization"], origin: origin, now: request.now)
        if let boundKey, boundKey != senderKey { throw .keyMismatch }
    }

    private static func ttl(_ text: String?) throws(WebPushFault) -> Int {
        guard let text else { throw .missingHeader("TTL") }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw WebPushFault(400, 112, "TTL must be a whole number of seconds")
        }
        // A number with too many digits for an `Int` also becomes the longest TTL.
        return min(Int(text) ?? longestTTL, longestTTL)
    }

    private static func topic(_ text: String?) throws(WebPushFault) -> String? {
        guard let text else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-_".utf8.contains(byte)
            }
        }
        guard (1...longestTopic).contains(text.utf8.count), isPlain else {
            throw WebPushFault(400, 113, "Topic must be 1 to 32 characters of the URL-safe Base64 alphabet")
        }
        // Apple's service decodes the topic. Four characters encode three bytes, so one character is left over.
        guard text.utf8.count % 4 != 1 else { throw WebPushFault(400, 113, "BadWebPushTopic: Base64 has no such length") }
        return text
    }

    private static func checkUrgency(_ text: String?) throws(WebPushFault) {
        guard ["very-low", "low", "normal", "high"].contains(text ?? "normal") else {
            throw .badRequest("Urgency must be exactly one of very-low, low, normal and high")
        }
    }

    // MARK: VAPID

    /// Returns the key in `vapid t=…, k=…`. Throws unless the key signed the token and the token is for this push service and in time.
    private static func senderKey(_ header: String?, origin: String, now: Timestamp) throws(WebPushFault) -> [UInt8] {
        guard let header else { throw WebPushFault(401, 109, "Missing VAPID authorization") }
        guard header.lowercased().hasPrefix("vapid ") else { throw .unauthorized("Unknown auth scheme") }
        var values: [String: String] = [:]
        for word in header.dropFirst("vapid ".count).split(separator: ",") {
            let parts = word.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let token = values["t"], let point = values["k"].flatMap(Base64URL.decode), let key = try? P256PublicKey(point: point) else {
            throw .unauthorized("Invalid VAPID public key, or no token")
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = json(parts[0]), let claims = json(parts[1]), let signature = Base64URL.decode(parts[2]),
            header["alg"]?.stringValue == "ES256", header["typ"]?.stringValue ?? "JWT" == "JWT"
        else { throw .unauthorized("Invalid VAPID token: it is not a JSON Web Token of ES256") }
        guard key.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8)) else { throw .unauthorized("Invalid VAPID signature") }
        try check(claims, origin: origin, now: now)
        return point
    }

    private static func check(_ claims: JSON, origin: String, now: Timestamp) throws(WebPushFault) {
        guard claims["aud"]?.stringValue == origin else { throw .unauthorized("Invalid VAPID audience: this is \(origin)") }
        guard let expires = claims["exp"]?.intValue, expires > now.wholeSeconds else { throw .unauthorized("Expired VAPID token") }
        guard expires - Int(now.wholeSeconds) <= longestTokenLife else {
            throw .unauthorized("The VAPID token expiration is too long")
        }
        let subject = claims["sub"]?.stringValue ?? ""
        guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
            throw .unauthorized("Invalid VAPID subject: it is neither mailto: nor https:")
        }
    }

    private static func json(_ part: String) -> JSON? {
        Base64URL.decode(part).flatMap { try? JSON.parse($0) }
    }
}
