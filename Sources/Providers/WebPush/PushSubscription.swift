import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsJSON

/// A browser's push subscription, which is the token of a device.
///
/// The token is the JSON that `PushSubscription.toJSON()` makes, with `endpoint`, `keys.p256dh` and `keys.auth`. Other members, such as
/// `expirationTime`, are ignored. All of the token is secret: anybody with the endpoint may send to the browser (RFC 8030 section 8.3).
struct PushSubscription: Sendable {
    /// Bytes of `auth`.
    static let secretByteCount = 16

    /// The URL to post to, in its normal form. ``TidingsHTTP/AddressGuard`` decides whether the URL is allowed.
    let endpoint: String
    /// Scheme, host and port of ``endpoint`` as RFC 6454 section 6.2 writes them: `https://push.example.net`.
    let origin: String
    /// The browser's half of the key agreement: `keys.p256dh`.
    let key: P256PublicKey
    /// The authentication secret, `keys.auth`. The secret proves to the browser that the sender was given the subscription.
    let secret: [UInt8]

    /// Reads a device's token, as the browser, the app or the store wrote it. The error contains nothing of the token.
    init(token: String) throws(Problem) {
        guard token.utf8.count <= DeviceToken.longestWritten else { throw .tooLong(token.utf8.count) }
        guard let json = try? JSON.parse(token), json.objectValue != nil else { throw .notASubscription }
        guard let url = json["endpoint"]?.stringValue else { throw .notAnEndpoint }
        let target = try Self.target(of: url)
        let point = try Self.bytes("p256dh", of: json)
        let secret = try Self.bytes("auth", of: json)
        guard point.count != Self.secretByteCount || secret.count != P256PublicKey.byteCount else { throw .swappedKeys }
        do throws(P256KeyError) {
            key = try P256PublicKey(point: point)
        } catch {
            throw .unusableKey(error)
        }
        guard secret.count == Self.secretByteCount else { throw .secretLength(secret.count) }
        (endpoint, origin, self.secret) = (target.normalURL, target.normalOrigin, secret)
    }

    private static func target(of endpoint: String) throws(Problem) -> HTTPTarget {
        do throws(HTTPFailure) {
            return try HTTPTarget(endpoint)
        } catch {
            // The message about a scheme repeats the scheme, which is a part of the token.
            throw error.kind == .schemeRefused ? Problem.notAnEndpoint : Problem.unusableEndpoint(error.message)
        }
    }

    private static func bytes(_ name: String, of json: JSON) throws(Problem) -> [UInt8] {
        guard let text = json["keys"]?[name]?.stringValue else { throw .missing(name) }
        guard let bytes = lenientBase64(text) else { throw .notBase64(name) }
        return bytes
    }

    /// The reason why a token cannot be used.
    enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case tooLong(Int)
        case notASubscription
        case notAnEndpoint
        /// With the rule of ``TidingsHTTP/HTTPTarget`` that the URL breaks.
        case unusableEndpoint(String)
        case missing(String)
        case notBase64(String)
        case swappedKeys
        case unusableKey(P256KeyError)
        case secretLength(Int)

        var description: String {
            switch self {
            case .tooLong(let count): "the token has \(count) bytes; a push subscription has at most \(DeviceToken.longestWritten)"
            case .notASubscription: "the token is not a browser's push subscription in JSON"
            case .notAnEndpoint: "the subscription's endpoint is not an absolute URL of http or https"
            case .unusableEndpoint(let rule): "the subscription's endpoint cannot be called: \(rule)"
            case .missing(let name): "the subscription has no text keys.\(name)"
            case .notBase64(let name): "the subscription's keys.\(name) is not Base64"
            case .swappedKeys: "the subscription's keys.p256dh and keys.auth are swapped"
            case .unusableKey(let error): "the subscription's keys.p256dh cannot be used: \(error)"
            case .secretLength(let count): "the subscription's keys.auth has \(count) bytes instead of \(secretByteCount)"
            }
        }
    }
}

extension PushSubscription {
    /// The subscription as it is stored: `{"endpoint":…,"keys":{"p256dh":…,"auth":…}}` in this order, without spaces, with the keys in
    /// Base64url.
    ///
    /// The endpoint alone names the device, because it belongs to one subscription (W3C Push API, `endpoint`). New keys of the same
    /// endpoint replace the earlier ones. Only browsers have subscriptions.
    var deviceToken: DeviceToken {
        get throws(DeviceToken.Fault) {
            var json = JSONWriter()
            json.beginObject()
            json.member("endpoint", endpoint)
            json.key("keys")
            json.beginObject()
            json.member("p256dh", Base64URL.encode(key.point))
            json.member("auth", Base64URL.encode(secret))
            json.endObject()
            json.endObject()
            return try DeviceToken(json.text, identity: endpoint, platform: .web)
        }
    }
}

/// Decodes Base64 of either alphabet, with or without padding, because browsers, libraries and tools write keys differently. Returns nil if
/// the text is not Base64.
func lenientBase64(_ text: String) -> [UInt8]? {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    let digits = text.utf8.dropLast(padding).map { digit -> UInt8 in
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: digit
        }
    }
    return Base64URL.decode(String(decoding: digits, as: UTF8.self))
}
