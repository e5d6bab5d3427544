import TidingsCore
import TidingsEncodings
import TidingsHTTP2
import TidingsJSON
import TidingsProvider

/// The limits of APNs.
enum APNsLimits {
    /// The most bytes of a request's body, which is the payload.
    static let payloadBytes = 4_096
}

/// The request of one delivery without the provider token: `POST /3/device/<token>` with Apple's headers and payload.
struct APNsPush: Sendable {
    /// The device token in hexadecimal, with lower-case letters.
    var deviceToken: String
    var headers: [(String, String)]
    var body: [UInt8]
    /// How the payload differs from the content; nil if it does not.
    var note: String?

    /// Headers that must stay out of HTTP/2's compression table. Their values are secret, or change with nearly every push and would only
    /// displace useful entries.
    private static let unindexed: Set = ["authorization", "apns-id", "apns-expiration", "apns-collapse-id"]

    /// - Parameter topic: the app's bundle id.
    init(of item: OutgoingDelivery, topic: String) throws(Refusal) {
        deviceToken = try Self.deviceToken(of: item)
        guard item.silent || item.title != nil || item.body != nil else {
            throw Refusal(.contentMissing, "the message has neither title nor body")
        }
        let payload = try item.fitted { item in
            let payload = item.applePayload
            let size = PartSize("the payload", bytes: payload.count, limit: APNsLimits.payloadBytes, of: "APNs")
            return SizedMessage(payload, [size])
        }
        (body, note) = (payload.message, payload.note)
        headers = [
            ("apns-topic", topic), ("apns-push-type", item.silent ? "background" : "alert"), ("apns-priority", item.silent ? "5" : "10"),
            ("apns-id", item.apnsID),
        ]
        if let expiresAt = item.expiresAt { headers.append(("apns-expiration", String(max(0, expiresAt.wholeSeconds)))) }
        if let id = item.collapseKey(as: .appleCollapseID) { headers.append(("apns-collapse-id", id)) }
        headers.append(("content-type", "application/json"))
    }

    var path: String { "/3/device/\(deviceToken)" }

    /// - Parameter token: the provider token, ``ProviderTokens/current(at:)``.
    func request(under token: String, within timeout: Duration) -> HTTP2Request {
        HTTP2Request(
            path: path, headers: [("authorization", "bearer \(token)")] + headers, unindexed: Self.unindexed, body: body,
            totalTimeout: timeout, maximumResponseBytes: CallSettings.maximumResponseBytes)
    }

    private static func deviceToken(of item: OutgoingDelivery) throws(Refusal) -> String {
        guard let text = item.endpointAddress else { throw Refusal(.noAddress, "the delivery has no device token") }
        do throws(DeviceToken.Fault) {
            return try apnsDeviceToken(text).text
        } catch {
            throw Refusal(.tokenMalformed, error.description)
        }
    }
}

extension OutgoingDelivery {
    /// The `apns-id`: the name of the request in Apple's console and logs, stored as the provider's message id. Apple uses the id to
    /// correlate, not to recognise repetitions, so every attempt has another id.
    ///
    /// The id is the notification's id, a UUID in lower case, with its last 48 bits changed by exclusive or. The upper 32 of these bits
    /// take the ordinal, the lower 16 take the attempt less 1. The first attempt of a notification's first delivery therefore has the
    /// notification's own id. All other attempts share its first four groups.
    var apnsID: String {
        let change = UInt64(UInt32(truncatingIfNeeded: ordinal)) << 16 | UInt64(UInt16(truncatingIfNeeded: attempt - 1))
        return NotificationID(high: notificationID.high, low: notificationID.low ^ change).description
    }
}
