/// A private key on the curve P-256 (FIPS 186-4, D.1.2.3). It signs by ES256 and agrees on secrets by ECDH. Its text form does not show the
/// key.
public struct P256PrivateKey: Sendable {
    /// The length of the key's number in bytes.
    public static let byteCount = 32

    /// The half that may be published.
    public let publicKey: P256PublicKey
    private let key: KeyHandle

    /// A new random key.
    public init() {
        guard let key = KeyHandle.randomP256(), let publicKey = P256PublicKey(of: key) else {
            preconditionFailure("libcrypto cannot make a P-256 key: out of memory, or without randomness")
        }
        self.key = key
        self.publicKey = publicKey
    }

    /// Reads PEM text without a passphrase, PKCS #8 (`-----BEGIN PRIVATE KEY-----`) or SEC1 (`-----BEGIN EC PRIVATE KEY-----`). The error
    /// never holds the key.
    public init(pem: String) throws(P256KeyError) {
        guard let read = KeyHandle(pem: pem) else { throw .notAPrivateKey }
        guard read.isP256 else { throw .notP256 }
        // Check the two halves. If they do not belong together the key reads well, but its signatures cannot be verified.
        guard read.isConsistent, let number = read.privateNumber else { throw .inconsistent }
        try self.init(rawValue: number)
    }

    /// Makes the key with this number: 32 bytes, the most significant first, from 1 to the curve's order less 1.
    public init(rawValue: [UInt8]) throws(P256KeyError) {
        guard rawValue.count == Self.byteCount else { throw .wrongLength(rawValue.count, of: Self.byteCount) }
        guard let key = KeyHandle(privateNumber: rawValue), key.isConsistent, let publicKey = P256PublicKey(of: key) else {
            throw .outOfRange
        }
        self.key = key
        self.publicKey = publicKey
    }

    /// The number of the key: 32 bytes, the most significant first.
    public var rawValue: [UInt8] {
        guard let number = key.privateNumber else { preconditionFailure("libcrypto cannot tell a key it has: out of memory") }
        return number
    }

    /// The key as PKCS #8 in PEM form; for tests and tools.
    public var pem: String {
        guard let text = key.pkcs8 else { preconditionFailure("libcrypto cannot write a key it has: out of memory") }
        return text
    }

    /// Returns the signature by ES256 (RFC 7518 section 3.4): 64 bytes, r and then s. The same message has a different signature each time.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        guard let signature = key.signature(of: message).flatMap(ECDSASignature.raw) else {
            preconditionFailure("libcrypto cannot sign with a P-256 key: out of memory, or without randomness")
        }
        return signature
    }

    /// Returns the secret that only the owners of the two keys can compute: the x coordinate of the shared point. It has 32 bytes, leading
    /// zeros included (SEC 1 section 3.3.1).
    ///
    /// The secret is not yet a key: derive one from it.
    public func sharedSecret(with key: P256PublicKey) -> [UInt8] {
        guard let secret = self.key.sharedSecret(with: key.key) else {
            preconditionFailure("libcrypto cannot agree on a secret between two P-256 keys: out of memory")
        }
        return secret
    }
}

/// The half of a ``P256PrivateKey`` that may be published. It verifies signatures, and the other side needs it to agree on a secret.
public struct P256PublicKey: Sendable {
    /// The length of an uncompressed point in bytes: 0x04, x and y (SEC 1 section 2.3.3).
    public static let byteCount = 65
    private static let uncompressed: UInt8 = 0x04

    /// The uncompressed point, 65 bytes.
    public let point: [UInt8]
    fileprivate let key: KeyHandle

    /// Takes an uncompressed point of 65 bytes that lies on the curve. A point outside the curve would reveal the private key it is used
    /// with.
    public init(point: [UInt8]) throws(P256KeyError) {
        guard point.count == Self.byteCount else { throw .wrongLength(point.count, of: Self.byteCount) }
        guard point.first == Self.uncompressed else { throw .notUncompressed }
        guard let key = KeyHandle(point: point) else { throw .notOnTheCurve }
        self.point = point
        self.key = key
    }

    /// Reads PEM text of the public key (`-----BEGIN PUBLIC KEY-----`), or of the private key, whose public half is taken. The error never
    /// holds the key.
    public init(pem: String) throws(P256KeyError) {
        guard let read = KeyHandle(publicPEM: pem) else {
            do throws(P256KeyError) {
                self = try P256PrivateKey(pem: pem).publicKey
            } catch .notAPrivateKey {
                throw .notAKey
            }
            return
        }
        guard read.isP256 else { throw .notP256 }
        guard let point = read.point else { throw .notUncompressed }
        try self.init(point: point)
    }

    /// Takes the public half of a key that was checked.
    fileprivate init?(of key: KeyHandle) {
        guard let point = key.point else { return nil }
        self.point = point
        self.key = key
    }

    /// Whether these 64 bytes, r and then s, are the key's signature by ES256 over exactly this message.
    public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let encoded = ECDSASignature.der(signature) else { return false }
        return key.isSignature(encoded, of: message)
    }
}

/// The error for bytes or text that are not a key on the curve P-256.
public enum P256KeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAPrivateKey
    case notAKey
    case notP256
    case inconsistent
    case wrongLength(Int, of: Int)
    case outOfRange
    case notUncompressed
    case notOnTheCurve

    public var description: String {
        switch self {
        case .notAPrivateKey: "it is not a private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----)"
        case .notAKey: "it is neither a public nor a private key in PEM form without a passphrase"
        case .notP256: "it is a key of another kind than elliptic curve P-256 (prime256v1)"
        case .inconsistent: "its private and its public half do not belong together"
        case .wrongLength(let count, let right): "it has \(count) bytes instead of \(right)"
        case .outOfRange: "its number is not from 1 to the order of the curve P-256 less 1"
        case .notUncompressed: "it is not an uncompressed point: its first byte is not 4"
        case .notOnTheCurve: "it is not a point on the curve P-256"
        }
    }
}
