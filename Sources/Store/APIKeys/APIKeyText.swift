import TidingsCrypto
import TidingsEncodings

/// A key of the HTTP API as its owner has it: `tid_<id>_<secret>`. The id has 16 hexadecimal digits in lower case and is no secret. The
/// secret has 32 random bytes, in base64url.
///
/// The text exists only once, when a key is made or rotated. The database has the SHA-256 of the secret.
public struct APIKeyText: Sendable {
    /// The prefix lets scanners of source code find a key that was published by mistake.
    public static let prefix = "tid_"
    private static let secretBytes = 32

    public let id: String
    private let secret: [UInt8]

    /// Nil unless the text has exactly this form.
    public init?(_ text: String) {
        guard text.utf8.count == 64, text.hasPrefix(Self.prefix) else { return nil }
        let rest = text.utf8.dropFirst(Self.prefix.utf8.count)
        let id = String(decoding: rest.prefix(16), as: UTF8.self)
        guard Self.isID(id), rest.dropFirst(16).first == UInt8(ascii: "_"),
            let secret = Base64URL.decode(String(decoding: rest.dropFirst(17), as: UTF8.self)), secret.count == Self.secretBytes
        else { return nil }
        self.id = id
        self.secret = secret
    }

    private init(id: String) {
        self.id = id
        secret = Self.random(Self.secretBytes)
    }

    /// A new key.
    static func new() -> APIKeyText { APIKeyText(id: Hexadecimal.encode(random(8))) }

    /// A new secret for the key with this id.
    static func new(id: String) -> APIKeyText { APIKeyText(id: id) }

    /// Whether a text has the form of a key's id.
    public static func isID(_ text: String) -> Bool {
        let digits = Set("0123456789abcdef".utf8)
        return text.utf8.count == 16 && text.utf8.allSatisfy(digits.contains)
    }

    /// The whole key. Show it to its owner and keep it nowhere.
    public var revealed: String { "\(Self.prefix)\(id)_\(Base64URL.encode(secret))" }

    var secretHash: [UInt8] { SHA256.hash(secret) }

    /// Bytes from the random numbers of the system, which are made for secrets.
    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension APIKeyText: CustomStringConvertible {
    /// The key without its secret, so that no log has the secret.
    public var description: String { "\(Self.prefix)\(id)_…" }
}
