import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP2
import TidingsJSON
import TidingsProvider

/// Why a delivery is not sent at all, as its result.
struct UnsendablePush: Error, Sendable, Hashable {
    var result: SendResult

    init(_ reason: ReasonCode, _ detail: String) {
        result = SendResult(.rejected(reason), detail: detail)
    }
}

/// What APNs takes.
enum APNsLimits {
    /// Bytes of a request's body, which is the payload.
    static let payloadBytes = 4_096
    /// Bytes of a device token, twice as many hexadecimal digits. Apple names no length; today's have 32.
    static let tokenBytes = 200
    /// Bytes of an `apns-collapse-id`.
    static let collapseIDBytes = 64
}

/// The request of one delivery, but for the provider token: `POST /3/device/<token>` with Apple's headers and payload.
struct APNsPush: Sendable {
    /// Hexadecimal, in small letters.
    var deviceToken: String
    var headers: [(String, String)]
    var body: [UInt8]

    /// Secret, or new with nearly every push: they would only wear out the compression table.
    private static let unindexed: Set = ["authorization", "apns-id", "apns-expiration", "apns-collapse-id"]

    /// - Parameter topic: the app's bundle id.
    init(of item: OutgoingDelivery, topic: String) throws(UnsendablePush) {
        deviceToken = Hexadecimal.encode(try Self.deviceToken(of: item))
        guard item.silent || item.title?.isEmpty == false || item.body?.isEmpty == false else {
            throw UnsendablePush(.contentMissing, "the message has neither title nor body")
        }
        var json = JSONWriter(capacity: 1_024)
        item.writeApplePayload(to: &json)
        body = json.bytes
        guard body.count <= APNsLimits.payloadBytes else {
            throw UnsendablePush(.payloadTooLarge, "the payload has \(body.count) bytes; APNs takes \(APNsLimits.payloadBytes)")
        }
        headers = [
            ("apns-topic", topic), ("apns-push-type", item.silent ? "background" : "alert"), ("apns-priority", item.silent ? "5" : "10"),
            ("apns-id", item.apnsID),
        ]
        if let expiresAt = item.expiresAt { headers.append(("apns-expiration", String(max(0, expiresAt.wholeSeconds)))) }
        if let id = item.apnsCollapseID { headers.append(("apns-collapse-id", id)) }
        headers.append(("content-type", "application/json"))
    }

    var path: String { "/3/device/\(deviceToken)" }

    /// - Parameter token: the provider token, ``ProviderTokens/current(at:)``.
    func request(under token: String, within timeout: Duration) -> HTTP2Request {
        HTTP2Request(
            path: path, headers: [("authorization", "bearer \(token)")] + headers, unindexed: Self.unindexed, body: body,
            totalTimeout: timeout, maximumResponseBytes: CallSettings.maximumResponseBytes)
    }

    private static func deviceToken(of item: OutgoingDelivery) throws(UnsendablePush) -> [UInt8] {
        guard let text = item.endpointAddress else { throw UnsendablePush(.noAddress, "the delivery has no device token") }
        guard let bytes = Hexadecimal.decode(text), (1...APNsLimits.tokenBytes).contains(bytes.count) else {
            throw UnsendablePush(
                .tokenMalformed,
                "the token has \(text.utf8.count) characters; APNs' are 1 to \(APNsLimits.tokenBytes) bytes, each as two hexadecimal digits"
            )
        }
        return bytes
    }
}

extension OutgoingDelivery {
    /// The `apns-id`: what Apple's console and logs know the request by, and what is stored as the provider's message id. Apple uses it to
    /// correlate, not to recognise repetitions, so every attempt has its own.
    ///
    /// It is the notification's id, a UUID in lower case, with its last 48 bits changed (exclusive or) by the ordinal in the upper 32 and
    /// the attempt less 1 in the lower 16 of them. The first attempt at a notification's first delivery has the notification's own id, and
    /// all others share its first four groups.
    var apnsID: String {
        let change = UInt64(UInt32(truncatingIfNeeded: ordinal)) << 16 | UInt64(UInt16(truncatingIfNeeded: attempt - 1))
        return NotificationID(high: notificationID.high, low: notificationID.low ^ change).description
    }

    /// The collapse key. One that is longer than Apple allows, or that a header cannot hold, becomes the 64 digits of its SHA-256, so that
    /// different keys stay different and equal ones equal.
    var apnsCollapseID: String? {
        guard let collapseKey, !collapseKey.isEmpty else { return nil }
        let bytes = Array(collapseKey.utf8)
        let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) } && bytes.first != 0x20 && bytes.last != 0x20
        return isPlain && bytes.count <= APNsLimits.collapseIDBytes ? collapseKey : Hexadecimal.encode(SHA256.hash(bytes))
    }
}
