import TidingsCrypto

/// The browser's part of a subscription. Its keys decrypt the messages (RFC 8291 section 3.4, RFC 8188 section 2).
struct WebPushBrowser: Sendable {
    /// Bytes of the body before its ciphertext: the salt, the record size, the length of the sender's key, and the key.
    private static let headerBytes = 86
    /// Bytes of the record that are not plaintext: the delimiter and the tag.
    private static let overhead = 17

    let key: P256PrivateKey
    /// The subscription's `auth`, 16 bytes.
    let secret: [UInt8]

    /// Makes a browser with new keys.
    init() {
        key = P256PrivateKey()
        secret = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    init(key: P256PrivateKey, secret: [UInt8]) {
        self.key = key
        self.secret = secret
    }

    /// Returns the plaintext of a body in the content encoding `aes128gcm`, in one record.
    ///
    /// - Parameter senderKey: the key of the VAPID token. The body must be encrypted with another key.
    func plaintext(of body: [UInt8], senderKey: [UInt8]) throws(WebPushFault) -> [UInt8] {
        guard body.count >= Self.headerBytes + Self.overhead else { throw .badRequest("The body is too short for a record") }
        let salt = Array(body[0..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        guard body[20] == 65, body[21] == 0x04 else { throw .badRequest("The key id is not an uncompressed point of 65 bytes") }
        let point = Array(body[21..<Self.headerBytes])
        guard point != senderKey else { throw .badRequest("The VAPID key must not be the key of the encryption") }
        let record = Array(body[Self.headerBytes...])
        guard recordSize > Self.overhead, record.count <= recordSize else { throw .badRequest("The message is more than one record") }
        guard let theirs = try? P256PublicKey(point: point) else { throw .badRequest("The key id is not a point on the curve") }
        let (contentKey, nonce) = keys(with: theirs, salt: salt)
        guard let padded = AES128GCM.open(record, key: contentKey, nonce: nonce) else {
            throw .badRequest("The message cannot be decrypted")
        }
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 0x02 else {
            throw .badRequest("The last record does not end with the delimiter 2 and zeros")
        }
        return Array(padded[..<end])
    }

    private func keys(with sender: P256PublicKey, salt: [UInt8]) -> (contentKey: [UInt8], nonce: [UInt8]) {
        // HKDF of RFC 5869 for at most 32 bytes: extract, then one block of expand.
        func derived(_ material: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8] {
            hmacSHA256(key: hmacSHA256(key: salt, message: material), message: info + [1])
        }
        let info = Array("WebPush: info".utf8) + [0] + key.publicKey.point + sender.point
        let material = derived(key.sharedSecret(with: sender), salt: secret, info: info)
        let contentKey = derived(material, salt: salt, info: Array("Content-Encoding: aes128gcm".utf8) + [0])
        let nonce = derived(material, salt: salt, info: Array("Content-Encoding: nonce".utf8) + [0])
        return (Array(contentKey.prefix(AES128GCM.keyByteCount)), Array(nonce.prefix(AES128GCM.nonceByteCount)))
    }
}
