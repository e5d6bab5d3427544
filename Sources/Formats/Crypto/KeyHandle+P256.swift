internal import CCrypto

/// The operations on P-256 keys that libcrypto carries out.
///
/// Private keys go in as the DER that libcrypto reads, because this needs no elliptic-curve call that OpenSSL 3.0 has deprecated. The DER
/// around a P-256 key is always the same bytes.
extension KeyHandle {
    /// libcrypto's name of the curve.
    fileprivate static let curve = "prime256v1"

    /// Returns a new random key. Nil if memory or randomness is missing.
    static func randomP256() -> KeyHandle? {
        unsafe KeyHandle {
            guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_CTX_set_group_name(context, curve) == 1,
                unsafe EVP_PKEY_generate(context, &key) == 1
            else { return nil }
            return unsafe key
        }
    }

    /// Makes the key with this private number of 32 bytes. libcrypto computes the public half. The number is not checked: see
    /// ``isConsistent``.
    convenience init?(privateNumber: [UInt8]) {
        let der = P256Encoding.privateKeyHead + privateNumber + P256Encoding.privateKeyTail
        unsafe self.init {
            unsafe der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &position, bytes.count)
            }
        }
    }

    /// Makes the public key with this uncompressed point. Nil if the point is not on the curve.
    convenience init?(point: [UInt8]) {
        unsafe self.init {
            guard let parameters = unsafe P256Encoding.parameters?.pointer, let key = unsafe EVP_PKEY_new() else { return nil }
            guard unsafe EVP_PKEY_copy_parameters(key, parameters) == 1,
                unsafe EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1
            else {
                unsafe EVP_PKEY_free(key)
                return nil
            }
            return unsafe key
        }
    }

    var isP256: Bool {
        defer { ERR_clear_error() }
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return false }
        return Array(Self.curve.utf8) == name.prefix(length).map { UInt8(bitPattern: $0) }
    }

    /// Whether the private number is in range and the public point belongs to it.
    var isConsistent: Bool {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_check(context) == 1
    }

    /// The private number as 32 bytes. Nil for a public key.
    var privateNumber: [UInt8]? {
        defer { ERR_clear_error() }
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1, let number = unsafe number else { return nil }
        defer { unsafe BN_clear_free(number) }
        return unsafe P256Encoding.bytes(of: number)
    }

    /// The public half as an uncompressed point; nil for a key whose point is kept in another form.
    var point: [UInt8]? {
        defer { ERR_clear_error() }
        var point = [UInt8](repeating: 0, count: P256PublicKey.byteCount)
        var length = 0
        let isRead = unsafe EVP_PKEY_get_octet_string_param(pointer, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1
        return isRead && length == point.count ? point : nil
    }

    /// The private key in PEM form, not encrypted.
    var pkcs8: String? {
        defer { ERR_clear_error() }
        guard let memory = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(memory) }
        guard unsafe PEM_write_bio_PKCS8PrivateKey(memory, pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
        var text = unsafe [UInt8](repeating: 0, count: BIO_ctrl_pending(memory))
        guard unsafe BIO_read(memory, &text, Int32(text.count)) == Int32(text.count) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the x coordinate of the point that both keys lead to, 32 bytes.
    ///
    /// The peer's key must be on the curve, as every key that was read here is. Each point of P-256 has the curve's order, so there is
    /// nothing more to check.
    func sharedSecret(with other: KeyHandle) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var length = P256PrivateKey.byteCount
        var secret = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer_ex(context, other.pointer, 0) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else { return nil }
        return secret
    }
}

/// A signature in two forms: JSON Web Signatures write r and s of 32 bytes each, libcrypto writes a DER sequence of two integers.
enum ECDSASignature {
    static let byteCount = 2 * P256PrivateKey.byteCount

    /// r and then s; nil when the bytes are no DER signature of P-256.
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        return unsafe der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            guard let signature = unsafe d2i_ECDSA_SIG(nil, &position, bytes.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(signature) }
            guard let r = unsafe P256Encoding.bytes(of: ECDSA_SIG_get0_r(signature)),
                let s = unsafe P256Encoding.bytes(of: ECDSA_SIG_get0_s(signature))
            else { return nil }
            return r + s
        }
    }

    /// The DER form; nil unless there are 64 bytes.
    static func der(_ raw: [UInt8]) -> [UInt8]? {
        guard raw.count == byteCount else { return nil }
        defer { ERR_clear_error() }
        guard let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let half = Int32(P256PrivateKey.byteCount)
        let (r, s) = unsafe (BN_bin2bn(Array(raw.prefix(Int(half))), half, nil), BN_bin2bn(Array(raw.suffix(Int(half))), half, nil))
        // On success the signature owns both numbers, so free them only on failure.
        guard let r = unsafe r, let s = unsafe s, unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
            unsafe BN_free(r)
            unsafe BN_free(s)
            return nil
        }
        return unsafe P256Encoding.der { unsafe i2d_ECDSA_SIG(signature, $0) }
    }
}

/// The constant parts of P-256 keys in DER, and helpers that both extensions need.
private enum P256Encoding {
    /// ECPrivateKey (RFC 5915 section 3) without the public half: version 1, then the 32 bytes of the number.
    static let privateKeyHead: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    /// The parameters: the curve 1.2.840.10045.3.1.7.
    static let privateKeyTail: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// A key of libcrypto with only the curve and no halves, from which public keys are made.
    static let parameters = unsafe KeyHandle {
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_paramgen_init(context) == 1, unsafe EVP_PKEY_CTX_set_group_name(context, KeyHandle.curve) == 1,
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return unsafe key
    }

    /// Returns the bytes that one of libcrypto's `i2d` functions writes. Called without a buffer, such a function returns the length.
    static func der(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
        let length = Int(write(nil))
        guard length > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe write(&position)
        }
        return Int(written) == length ? bytes : nil
    }

    /// Returns a number as 32 bytes, leading zeros included. Nil if the number is larger.
    static func bytes(of number: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: P256PrivateKey.byteCount)
        let length = Int32(bytes.count)
        return unsafe BN_bn2binpad(number, &bytes, length) == length ? bytes : nil
    }
}
