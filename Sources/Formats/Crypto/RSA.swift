/// An RSA private key that signs by RS256 (RFC 7518 section 3.3): RSASSA-PKCS1-v1_5 with SHA-256. Its text form does not show the key.
public struct RSAPrivateKey: Sendable {
    /// The shortest key that RS256 allows.
    public static let shortestBits = 2_048

    private let key: KeyHandle

    /// Reads PEM text without a passphrase, PKCS #8 (`-----BEGIN PRIVATE KEY-----`) or PKCS #1 (`-----BEGIN RSA PRIVATE KEY-----`). A key
    /// that was read can sign. The error never holds the key.
    public init(pem: String) throws(RSAKeyError) {
        guard let key = KeyHandle(pem: pem) else { throw .notAPrivateKey }
        guard key.isRSA else { throw .notRSA }
        guard key.bits >= Self.shortestBits else { throw .tooShort(key.bits) }
        // Check the exponent before the probe. With the exponent 1 the probe succeeds, but the signature is the padded digest itself, which
        // anybody can write.
        guard key.hasRSAExponent else { throw .badExponent }
        // Sign a probe. If the key's numbers do not belong together it reads well, but signs badly or not at all.
        let probe = Array("probe".utf8)
        guard let signature = key.signature(of: probe), key.isSignature(signature, of: probe) else { throw .inconsistent }
        self.key = key
    }

    /// Returns the signature, which is as long as the key: 256 bytes for 2048 bits. The same message always has the same signature.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        guard let signature = key.signature(of: message) else {
            preconditionFailure("libcrypto cannot sign with a key that has signed before: out of memory")
        }
        return signature
    }

    /// The half that may be published.
    public var publicKey: RSAPublicKey { RSAPublicKey(key: key) }
}

/// The key that verifies the signatures of an ``RSAPrivateKey``.
public struct RSAPublicKey: Sendable {
    fileprivate let key: KeyHandle

    /// Whether the signature is this key's signature over exactly this message.
    public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        key.isSignature(signature, of: message)
    }
}

/// The error for text that is not a key to sign with.
public enum RSAKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAPrivateKey
    case notRSA
    case tooShort(Int)
    case badExponent
    case inconsistent

    public var description: String {
        switch self {
        case .notAPrivateKey: "it is not a private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----)"
        case .notRSA: "it is a key of another kind than RSA"
        case .tooShort(let bits): "it has \(bits) bits; RS256 needs at least \(RSAPrivateKey.shortestBits)"
        case .badExponent: "its public exponent is even or less than 3, so its signatures prove nothing; make a new key"
        case .inconsistent: "its numbers do not belong together, so that it cannot sign"
        }
    }
}
