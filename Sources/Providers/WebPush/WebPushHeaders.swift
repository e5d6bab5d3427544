import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsProvider

/// How soon a device in battery-saving mode should get a message (RFC 8030 section 5.3).
enum PushUrgency: String, CaseIterable, Sendable, Hashable {
    case veryLow = "very-low"
    case low, normal, high
}

/// Returns the headers of a request, in this order: RFC 8030 section 5, RFC 8291 section 4, RFC 8292 section 3.
///
/// - Parameters:
///   - authorization: see ``VAPIDTokens``.
///   - now: the start of `ttl`.
func webPushHeaders(
    of item: OutgoingDelivery, configuration: WebPushConfiguration, authorization: String, now: Timestamp
) -> [(String, String)] {
    var headers = [
        ("ttl", String(lifetime(of: item, longest: configuration.ttlSeconds, now: now))),
        ("content-encoding", "aes128gcm"),
        ("content-type", "application/octet-stream"),
        ("urgency", (item.silent ? .low : configuration.urgency).rawValue),
    ]
    if let collapseKey = item.collapseKey { headers.append(("topic", pushTopic(for: collapseKey))) }
    headers.append(("authorization", authorization))
    return headers
}

/// Returns the whole seconds that the push service may keep the message for an offline browser. Zero means "deliver now or drop". An
/// expired message gets zero too.
private func lifetime(of item: OutgoingDelivery, longest: Int64, now: Timestamp) -> Int64 {
    guard let expiresAt = item.expiresAt else { return longest }
    return min(max(0, (expiresAt - now).components.seconds), longest)
}

/// The most characters of a topic (RFC 8030 section 5.4).
private let longestTopic = 32

/// Returns the topic under which a waiting message replaces its predecessor. The topic is the collapse key if a push service takes the key
/// as a topic. Otherwise the topic is the start of the key's SHA-256 in Base64url, 32 characters.
func pushTopic(for collapseKey: String) -> String {
    let isTopic = (1...longestTopic).contains(collapseKey.utf8.count) && collapseKey.utf8.allSatisfy(isBase64URLDigit)
    return isTopic ? collapseKey : String(Base64URL.encode(SHA256.hash(collapseKey.utf8)).prefix(longestTopic))
}

private func isBase64URLDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
