internal import CCrypto

/// AES-128 in Galois/Counter Mode (NIST SP 800-38D, as AEAD_AES_128_GCM of RFC 5116 section 5.1), without additional data.
public enum AES128GCM {
    public static let keyByteCount = 16
    public static let nonceByteCount = 12
    /// The number of bytes that sealing adds.
    public static let tagByteCount = 16

    /// Returns the ciphertext, as long as the plaintext, and its tag of 16 bytes.
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes. Never use the same nonce twice under one key: a second plaintext would reveal both.
    public static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        guard let sealed = encrypted(plaintext, key: key, nonce: nonce) else {
            preconditionFailure("libcrypto cannot encrypt by AES-128-GCM: out of memory, or a build without it")
        }
        return sealed
    }

    /// Returns the plaintext of a result of ``seal(_:key:nonce:)``. Nil when the key or nonce differs, or any bit was changed.
    public static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        checkLengths(key: key, nonce: nonce)
        guard sealed.count >= tagByteCount, let length = Int32(exactly: sealed.count - tagByteCount) else { return nil }
        let ciphertext = Array(sealed.dropLast(tagByteCount))
        var tag = Array(sealed.suffix(tagByteCount))
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        // Reserve one byte more, so that there is an address to write to even if the plaintext is empty.
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count + 1)
        var rest = [UInt8](repeating: 0, count: keyByteCount)
        var (written, finished): (Int32, Int32) = (0, 0)
        guard unsafe EVP_DecryptInit_ex(context, CipherAlgorithm.aes128GCM, nil, key, nonce) == 1,
            unsafe EVP_DecryptUpdate(context, &plaintext, &written, ciphertext, length) == 1, written == length,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(context, &rest, &finished) == 1
        else { return nil }
        return Array(plaintext.dropLast())
    }

    private static func encrypted(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        checkLengths(key: key, nonce: nonce)
        defer { ERR_clear_error() }
        guard let length = Int32(exactly: plaintext.count), let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + 1)
        var tag = [UInt8](repeating: 0, count: tagByteCount)
        var rest = [UInt8](repeating: 0, count: keyByteCount)
        var (written, finished): (Int32, Int32) = (0, 0)
        guard unsafe EVP_EncryptInit_ex(context, CipherAlgorithm.aes128GCM, nil, key, nonce) == 1,
            unsafe EVP_EncryptUpdate(context, &ciphertext, &written, plaintext, length) == 1, written == length,
            unsafe EVP_EncryptFinal_ex(context, &rest, &finished) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), &tag) == 1
        else { return nil }
        return ciphertext.dropLast() + tag
    }

    private static func checkLengths(key: [UInt8], nonce: [UInt8]) {
        precondition(key.count == keyByteCount, "a key of AES-128 has 16 bytes")
        precondition(nonce.count == nonceByteCount, "a nonce of AES-GCM has 12 bytes")
    }
}

/// See ``DigestAlgorithm``.
private enum CipherAlgorithm {
    // Safe to share: it is immutable once fetched. OpenSSL counts references to it atomically and never writes to it.
    nonisolated(unsafe) static let aes128GCM: OpaquePointer = {
        if let fetched = unsafe EVP_CIPHER_fetch(nil, "AES-128-GCM", nil) { return unsafe fetched }
        guard let builtIn = unsafe EVP_aes_128_gcm() else { preconditionFailure("libcrypto offers no AES-128-GCM") }
        return unsafe builtIn
    }()
}
