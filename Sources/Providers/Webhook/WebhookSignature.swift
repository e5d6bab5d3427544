import TidingsCrypto
import TidingsEncodings

/// A symmetric signing key of Standard Webhooks 1.0.0: `whsec_` and the standard base64 of 24 to 64 random bytes.
public struct WebhookSecret: Sendable, Hashable {
    /// In bytes, as the specification demands. A shorter key can be guessed; a longer key gains nothing.
    public static let byteCounts = 24...64
    static let prefix = "whsec_"

    let key: [UInt8]

    /// Reads a secret, with or without the prefix `whsec_`. The error never contains the secret.
    public init(_ text: String) throws(Problem) {
        let encoded = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
        guard let key = Base64.decode(encoded) else { throw .notBase64 }
        guard Self.byteCounts.contains(key.count) else { throw .wrongLength(key.count) }
        self.key = key
    }

    /// Reads several secrets. More than eight are refused: no rotation needs more, and the header would be long.
    public static func parse(_ texts: [String]) throws(Problem) -> [WebhookSecret] {
        guard texts.count <= maximumSecrets else { throw .tooMany(texts.count) }
        var secrets: [WebhookSecret] = []
        for text in texts { secrets.append(try WebhookSecret(text)) }
        return secrets
    }

    static let maximumSecrets = 8

    /// The reason why a secret cannot be used.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case missing
        case notBase64
        case wrongLength(Int)
        case tooMany(Int)

        public var description: String {
            switch self {
            case .missing:
                "no signing secret: give the endpoint one, or set signingSecret, or allowUnsigned for receivers that check nothing"
            case .notBase64: "a signing secret is not whsec_ followed by standard base64"
            case .wrongLength(let count):
                "a signing secret has \(count) bytes; it must have \(byteCounts.lowerBound) to \(byteCounts.upperBound)"
            case .tooMany(let count): "\(count) signing secrets; there may be \(maximumSecrets)"
            }
        }
    }
}

/// Returns the `webhook-signature` header. For each secret the header has `v1,` and the base64 of an HMAC-SHA256; the entries are separated
/// by spaces. The HMAC covers id, timestamp and body, separated by full stops.
///
/// - Parameters:
///   - id: without full stops.
///   - timestamp: Unix seconds.
///   - body: exactly the bytes that are sent.
public func webhookSignature(id: String, timestamp: Int64, body: [UInt8], secrets: [WebhookSecret]) -> String {
    let message: [[UInt8]] = [Array("\(id).\(timestamp).".utf8), body]
    return secrets.map { "v1,\(Base64.encode(hmacSHA256(key: $0.key, message: message)))" }.joined(separator: " ")
}
