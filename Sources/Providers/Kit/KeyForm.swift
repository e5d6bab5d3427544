import TidingsCrypto
import TidingsEncodings

/// The grammar of a field that takes a key of the producer: its alphabet and its most bytes.
///
/// A producer's key is any text. The field of a service takes less: an umlaut, a line break or one byte too many may cost the whole push.
/// A provider therefore writes every key through ``key(for:)``. A key that fits stays readable. Any other key becomes its SHA-256, so that
/// equal keys stay equal and different keys stay different.
public struct KeyForm: Sendable, Hashable {
    public enum Alphabet: Sendable, Hashable {
        /// Printable ASCII without a space at either end: the value of an HTTP header (RFC 9110 section 5.5).
        case headerText
        /// The URL-safe alphabet of Base64. The text can be decoded, so its length is never 4n+1 (RFC 4648 section 5).
        case base64URL
    }

    public let alphabet: Alphabet
    public let maximumBytes: Int

    /// - Parameter maximumBytes: at least 4. With fewer than 32, two keys may become the same.
    public init(_ alphabet: Alphabet, maximumBytes: Int) {
        self.alphabet = alphabet
        self.maximumBytes = maximumBytes
    }

    /// `apns-collapse-id`: at most 64 bytes (Apple, "Sending notification requests to APNs"). Firebase, Braze and Airship pass it on.
    public static let appleCollapseID = KeyForm(.headerText, maximumBytes: 64)
    /// `collapse_key` and `tag` on Android. Google documents no limit. The form is Apple's, so that both platforms get the same key.
    public static let androidKey = appleCollapseID
    /// `Topic` of Web Push: at most 32 characters (RFC 8030 section 5.4). Apple's service decodes it, and refuses a length of 4n+1 with
    /// `BadWebPushTopic`.
    public static let webPushTopic = KeyForm(.base64URL, maximumBytes: 32)
    /// A header of a service of one's own: as long as a key may be.
    public static let header = KeyForm(.headerText, maximumBytes: 256)

    /// Whether the field takes the text.
    public func takes(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...maximumBytes).contains(bytes.count) else { return false }
        switch alphabet {
        case .headerText:
            return bytes.allSatisfy { (0x20...0x7E).contains($0) } && bytes.first != 0x20 && bytes.last != 0x20
        case .base64URL: return bytes.count % 4 != 1 && bytes.allSatisfy { ASCII.isLetterOrDigit($0) || $0 == 0x2D || $0 == 0x5F }
        }
    }

    /// Returns the key if the field takes it. Otherwise returns the start of its SHA-256: in hexadecimal digits for a header, in Base64 for
    /// an alphabet of Base64.
    public func key(for text: String) -> String {
        if takes(text) { return text }
        let digest = SHA256.hash(text.utf8)
        switch alphabet {
        case .headerText: return String(Hexadecimal.encode(digest).prefix(maximumBytes))
        // Four characters encode three bytes: whole groups can always be decoded.
        case .base64URL: return String(Base64URL.encode(digest).prefix(maximumBytes / 4 * 4))
        }
    }
}

extension OutgoingDelivery {
    /// The collapse key in the form of a field. Nil if the delivery has none.
    public func collapseKey(as form: KeyForm) -> String? { collapseKey.map(form.key) }
}
