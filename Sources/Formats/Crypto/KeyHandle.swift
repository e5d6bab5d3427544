internal import CCrypto

/// A key of libcrypto of any kind. It is freed with the last reference.
@safe final class KeyHandle: Sendable {
    // Immutable after `init`: libcrypto lets threads share a key if each thread has a context of its own.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over the key that `make` returns: this object frees it, and the caller must not. Nil if `make` returns none.
    init?(make: () -> OpaquePointer?) {
        // Empty the thread's error queue, because the next TLS connection on this thread would take a leftover error for its own failure.
        defer { ERR_clear_error() }
        guard let made = unsafe make() else { return nil }
        unsafe pointer = unsafe made
    }

    /// Reads a private key in PEM form without a passphrase, as PKCS #8 or in the form of its kind.
    convenience init?(pem: String) {
        unsafe self.init {
            unsafe Array(pem.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
                guard let length = Int32(exactly: bytes.count), let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, length) else {
                    return nil
                }
                defer { unsafe BIO_free(memory) }
                // Pass a callback that fails, because without one libcrypto asks for the passphrase on the terminal.
                return unsafe PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
            }
        }
    }

    /// Reads a public key in PEM form.
    convenience init?(publicPEM: String) {
        unsafe self.init {
            unsafe Array(publicPEM.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
                guard let length = Int32(exactly: bytes.count), let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, length) else {
                    return nil
                }
                defer { unsafe BIO_free(memory) }
                return unsafe PEM_read_bio_PUBKEY(memory, nil, { _, _, _, _ in -1 }, nil)
            }
        }
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    var isRSA: Bool { unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 }
    var bits: Int { unsafe Int(EVP_PKEY_get_bits(pointer)) }

    /// Whether the public exponent of this RSA key is odd and at least 3 (RFC 8017 section 3.1). Reading a key does not check that.
    var hasRSAExponent: Bool {
        defer { ERR_clear_error() }
        var exponent: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1, let exponent = unsafe exponent else {
            return false
        }
        defer { unsafe BN_free(exponent) }
        return unsafe BN_is_odd(exponent) == 1 && BN_num_bits(exponent) > 1
    }

    /// Returns a signature over the message, in the form of the key's kind. Nil if the key cannot sign or memory is missing.
    func signature(of message: [UInt8], digest: SignatureDigest = .sha256) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, digest.algorithm, nil, pointer) == 1 else { return nil }
        var length = unsafe Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }

    /// Whether the signature could come from ``signature(of:digest:)`` of this key.
    func isSignature(_ signature: [UInt8], of message: [UInt8], digest: SignatureDigest = .sha256) -> Bool {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, digest.algorithm, nil, pointer) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// The digest that is computed before a signature.
enum SignatureDigest {
    /// The signature is over the SHA-256 of the message.
    case sha256
    /// The kind of key has its digest built in, as Ed25519 does.
    case builtIn

    var algorithm: OpaquePointer? {
        switch self {
        case .sha256: unsafe DigestAlgorithm.sha256
        case .builtIn: nil
        }
    }
}
