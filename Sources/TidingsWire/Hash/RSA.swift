internal import CCrypto

/// An RSA private key that signs by RS256 (RFC 7518 section 3.3): RSASSA-PKCS1-v1_5 with SHA-256. Its text form shows nothing of it.
public struct RSAPrivateKey: Sendable {
    /// RS256 asks for at least as many.
    public static let shortestBits = 2_048

    private let key: KeyHandle

    /// Reads PEM text, PKCS #8 without a passphrase: `-----BEGIN PRIVATE KEY-----`. What it accepts can sign; the error never holds the key.
    public init(pem: String) throws(RSAKeyError) {
        guard let key = KeyHandle(pem: pem) else { throw .notAPrivateKey }
        guard key.isRSA else { throw .notRSA }
        guard key.bits >= Self.shortestBits else { throw .tooShort(key.bits) }
        // A key whose numbers do not belong together reads well and signs badly, or not at all.
        let probe = Array("probe".utf8)
        guard let signature = key.signature(of: probe), key.isSignature(signature, of: probe) else { throw .inconsistent }
        self.key = key
    }

    /// The signature, as long as the key: 256 bytes for 2048 bits. The same message has always the same.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        guard let signature = key.signature(of: message) else {
            preconditionFailure("libcrypto cannot sign with a key that has signed before: out of memory")
        }
        return signature
    }

    /// The half that may be shown.
    public var publicKey: RSAPublicKey { RSAPublicKey(key: key) }
}

/// What verifies the signatures of an ``RSAPrivateKey``.
public struct RSAPublicKey: Sendable {
    fileprivate let key: KeyHandle

    /// Whether the signature is the key's, over exactly this message.
    public func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        key.isSignature(signature, of: message)
    }
}

/// Why text is no key to sign with.
public enum RSAKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case notAPrivateKey
    case notRSA
    case tooShort(Int)
    case inconsistent

    public var description: String {
        switch self {
        case .notAPrivateKey: "it is not a private key in PEM form without a passphrase (-----BEGIN PRIVATE KEY-----)"
        case .notRSA: "it is a key of another kind than RSA"
        case .tooShort(let bits): "it has \(bits) bits; RS256 needs at least \(RSAPrivateKey.shortestBits)"
        case .inconsistent: "its numbers do not belong together, so that it cannot sign"
        }
    }
}

/// A key of libcrypto's, freed with the last reference.
private final class KeyHandle: Sendable {
    // Immutable once read: libcrypto lets threads share a key as long as each has a context of its own.
    nonisolated(unsafe) private let pointer: OpaquePointer

    init?(pem: String) {
        // What is left in the thread's error queue would be taken for a failure of the next TLS connection on it.
        defer { ERR_clear_error() }
        let read = Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let length = Int32(exactly: bytes.count), let memory = BIO_new_mem_buf(bytes.baseAddress, length) else { return nil }
            defer { BIO_free(memory) }
            // Without a callback of its own libcrypto asks for the passphrase on the terminal.
            return PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let read else { return nil }
        pointer = read
    }

    deinit { EVP_PKEY_free(pointer) }

    var isRSA: Bool { EVP_PKEY_is_a(pointer, "RSA") == 1 }
    var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

    /// Nil when the key cannot sign, or for lack of memory.
    func signature(of message: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, DigestAlgorithm.sha256, nil, pointer) == 1 else { return nil }
        var length = Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, DigestAlgorithm.sha256, nil, pointer) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
