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
    /// The lengths that a key from outside may have. The cost of a verification grows with the square of the length.
    public static let allowedBits = RSAPrivateKey.shortestBits...8_192
    /// The longest public exponent of a key from outside. 65537 is usual and has 17 bits. The cost of a verification grows with the length.
    public static let longestExponentBits = 32

    fileprivate let key: KeyHandle

    /// Takes the half of a private key that was checked.
    fileprivate init(key: KeyHandle) { self.key = key }

    /// Makes the key from its two numbers, as a JSON Web Key has them: the most significant byte first. Zeros in front do not count.
    ///
    /// - Parameters:
    ///   - modulus: odd, 2048 to 8192 bits.
    ///   - exponent: odd, at least 3, at most 32 bits.
    public init(modulus: [UInt8], exponent: [UInt8]) throws(RSAKeyError) {
        let (modulus, exponent) = (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
        let bits = Self.bits(of: modulus)
        guard bits >= Self.allowedBits.lowerBound else { throw .tooShort(bits) }
        guard bits <= Self.allowedBits.upperBound else { throw .tooLong(bits) }
        guard Self.isOdd(modulus) else { throw .evenModulus }
        // Check the exponent before libcrypto does. With the exponent 1 anybody can write a signature.
        guard Self.isOdd(exponent), Self.bits(of: exponent) > 1 else { throw .badExponent }
        guard Self.bits(of: exponent) <= Self.longestExponentBits else { throw .longExponent }
        guard let key = KeyHandle(modulus: modulus, exponent: exponent), key.isRSA, key.bits == bits else { throw .notAKey }
        self.key = key
    }

    private static func isOdd(_ number: [UInt8]) -> Bool { number.last.map { $0 & 1 == 1 } ?? false }

    private static func bits(of number: [UInt8]) -> Int {
        number.first.map { number.count * 8 - $0.leadingZeroBitCount } ?? 0
    }

    /// Whether the signature is this key's signature over exactly this message.
    public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        key.isSignature(signature, of: message)
    }
}

/// The error for text or numbers that are not a usable RSA key.
public enum RSAKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAPrivateKey
    case notRSA
    case notAKey
    case tooShort(Int)
    case tooLong(Int)
    case evenModulus
    case badExponent
    case longExponent
    case inconsistent

    public var description: String {
        switch self {
        case .notAPrivateKey: "it is not a private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----)"
        case .notRSA: "it is a key of another kind than RSA"
        case .tooShort(let bits): "it has \(bits) bits; RS256 needs at least \(RSAPrivateKey.shortestBits)"
        case .notAKey: "its numbers are not an RSA key"
        case .tooLong(let bits): "it has \(bits) bits; the longest key that is accepted has \(RSAPublicKey.allowedBits.upperBound)"
        case .evenModulus: "its modulus is even, so it is not the product of two primes"
        case .longExponent: "its public exponent has more than \(RSAPublicKey.longestExponentBits) bits; 65537 is usual"
        case .badExponent: "its public exponent is even or less than 3, so its signatures prove nothing; make a new key"
        case .inconsistent: "its numbers do not belong together, so that it cannot sign"
        }
    }
}
