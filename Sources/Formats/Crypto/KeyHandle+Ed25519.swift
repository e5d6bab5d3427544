internal import CCrypto

/// The operations on Ed25519 keys that libcrypto carries out.
extension KeyHandle {
    /// Returns a new random key. Nil if memory or randomness is missing.
    static func randomEd25519() -> KeyHandle? {
        unsafe KeyHandle {
            guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil) else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_generate(context, &key) == 1 else { return nil }
            return unsafe key
        }
    }

    /// Makes the private key with this secret. Nil unless there are 32 bytes.
    convenience init?(ed25519Secret secret: [UInt8]) {
        unsafe self.init { unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count) }
    }

    /// Makes the public key with this encoded point. Nil unless there are 32 bytes. The point is not checked.
    convenience init?(ed25519Point point: [UInt8]) {
        unsafe self.init { unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, point, point.count) }
    }

    var isEd25519: Bool { unsafe EVP_PKEY_is_a(pointer, "ED25519") == 1 }

    /// The public half as an encoded point. Nil for a key of another kind.
    var ed25519Point: [UInt8]? {
        defer { ERR_clear_error() }
        var point = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
        var length = point.count
        let isRead = unsafe EVP_PKEY_get_raw_public_key(pointer, &point, &length) == 1
        return isRead && length == point.count ? point : nil
    }
}
