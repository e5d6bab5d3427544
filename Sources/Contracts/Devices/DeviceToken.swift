import TidingsJSON

/// A device's token in the one form in which it is stored and compared, so that registering it again finds the same device.
///
/// A push subscription of a browser may come as `JSON.stringify(subscription)` writes it. Spaces, line breaks and the order of members may
/// differ. The stored form is `{"endpoint":…,"keys":{"p256dh":…,"auth":…}}`, in this order, without spaces and with the keys in Base64url.
/// Other members, such as `expirationTime`, are dropped, because they may change while the subscription stays the same. Any other token is
/// stored unchanged.
public struct DeviceToken: Sendable, Hashable {
    /// The longest stored token, in bytes. Firebase tokens have about 160 bytes and may grow. A subscription of a browser has some hundred.
    public static let longest = 4_096
    /// The longest subscription as written, with all its spaces, in bytes.
    private static let longestWritten = 4 * longest

    public let text: String

    /// Nil unless the stored form has 1 to ``longest`` printable ASCII characters without spaces. The provider of a token, not this type,
    /// knows the form of its tokens.
    public init?(_ written: String) {
        let text = Self.subscription(written) ?? written
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.text = text
    }

    private static func subscription(_ written: String) -> String? {
        guard written.utf8.count <= longestWritten, let json = try? JSON.parse(written), let endpoint = json["endpoint"]?.stringValue,
            let point = json["keys"]?["p256dh"]?.stringValue, let secret = json["keys"]?["auth"]?.stringValue
        else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("endpoint", endpoint)
        writer.key("keys")
        writer.beginObject()
        writer.member("p256dh", base64URL(point))
        writer.member("auth", base64URL(secret))
        writer.endObject()
        writer.endObject()
        return writer.text
    }

    /// Returns Base64url without padding, as browsers write it. Some libraries use the other alphabet or padding.
    private static func base64URL(_ text: String) -> String {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: digit
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
