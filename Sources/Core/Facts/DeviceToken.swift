/// A device's token in the one form in which it is stored, compared and sent.
///
/// The module of the provider that issued the token makes the form: see `ProviderFactory.deviceToken(_:)` in TidingsProvider. The form is
/// made once, at registration, so that registering the token again finds the same device, however the app writes it.
public struct DeviceToken: Sendable, Hashable {
    /// The longest stored token, in bytes. Firebase tokens have about 160 bytes and may grow. A subscription of a browser has some hundred.
    public static let longest = 4_096
    /// The longest token as written, in bytes: the subscription of a browser may have spaces and line breaks.
    public static let longestWritten = 4 * longest

    /// The text that is stored and sent: 1 to ``longest`` printable ASCII characters without spaces.
    public let text: String
    /// The part that names the device. Two tokens with the same identity belong to one device, and the later one replaces the earlier one.
    /// The identity is ``text`` itself, unless the provider names another one.
    public let identity: String
    /// The platform of the device, if only devices of one platform have such tokens.
    public let platform: DevicePlatform?

    /// Takes the text without the white space at both ends.
    ///
    /// - Parameters:
    ///   - identity: the part that names the device; nil for the whole text.
    ///   - platform: nil if the app says which platform the device has.
    public init(_ written: String, identity: String? = nil, platform: DevicePlatform? = nil) throws(Fault) {
        let text = Self.trimmed(written)
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Fault(
                "the token has \(text.utf8.count) bytes; a token has 1 to \(Self.longest), all of them printable ASCII without spaces")
        }
        self.text = text
        self.identity = identity ?? text
        self.platform = platform
    }

    /// Returns the text without the white space at both ends, which comes from files and from copying.
    public static func trimmed(_ written: String) -> String {
        let scalars = written.unicodeScalars
        func isText(_ scalar: Unicode.Scalar) -> Bool { !scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: isText), let last = scalars.lastIndex(where: isText) else { return "" }
        return String(scalars[first...last])
    }

    /// The reason why a text is no token of its provider. The reason holds nothing of the text.
    public struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
        /// A sentence without its full stop, such as “the token has 3 bytes; …”.
        public let description: String

        public init(_ description: String) { self.description = description }
    }
}
