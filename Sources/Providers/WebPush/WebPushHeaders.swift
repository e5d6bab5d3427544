import TidingsCore
import TidingsProvider

/// How soon a device in battery-saving mode should get a message (RFC 8030 section 5.3).
enum PushUrgency: String, CaseIterable, Sendable, Hashable {
    case veryLow = "very-low"
    case low, normal, high
}

/// Returns the headers of a request, in this order: RFC 8030 section 5, RFC 8291 section 4, RFC 8292 section 3. Under the same topic, a
/// waiting message replaces its predecessor.
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
    if let topic = item.collapseKey(as: .webPushTopic) { headers.append(("topic", topic)) }
    headers.append(("authorization", authorization))
    return headers
}

/// Returns the whole seconds that the push service may keep the message for an offline browser. Zero means "deliver now or drop". An
/// expired message gets zero too.
private func lifetime(of item: OutgoingDelivery, longest: Int64, now: Timestamp) -> Int64 {
    guard let expiresAt = item.expiresAt else { return longest }
    return min(max(0, (expiresAt - now).components.seconds), longest)
}
