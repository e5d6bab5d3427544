import TidingsJSON

/// A device's token in the one form in which it is stored and compared, so that registering it again finds the same device.
///
/// A browser's push subscription may come as `JSON.stringify(subscription)` writes it, with or without spaces and line breaks, its
/// members in any order. Of it stays `{"endpoint":…,"keys":{"p256dh":…,"auth":…}}`, in this order, without spaces and with the keys in
/// Base64url; what else it says, such as `expirationTime`, may change while it remains the same subscription. Any other token is itself.
public struct DeviceToken: Sendable, Hashable {
    /// Bytes. Firebase's have about 160 and may grow, a browser's subscription has some hundred.
    public static let longest = 4_096
    /// Bytes of a subscription with all its spaces.
    private static let longestWritten = 4 * longest

    public let text: String

    /// Nil unless what is stored has 1 to ``longest`` printable ASCII characters without spaces. What a provider's tokens look like is that
    /// provider's business.
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

    /// Base64 of either alphabet without padding, as browsers write it; libraries differ.
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
