import TidingsCrypto

/// Encrypts a message for one browser with the content encoding `aes128gcm` (RFC 8188). The body has one record. The keys are agreed on as
/// in RFC 8291, so only the browser can read the message.
enum MessageEncryption {
    /// The most bytes of a body: every push service must take this size (RFC 8030 section 7.2). Also the size of the only record.
    static let longestBody = 4_096
    /// Bytes before the ciphertext: the salt, the record size, the length of the key, and the key.
    static let headerBytes = saltBytes + 4 + 1 + P256PublicKey.byteCount
    /// The most bytes of a plaintext: the body without header, delimiter and tag.
    static let longestPlaintext = longestBody - headerBytes - 1 - AES128GCM.tagByteCount
    static let saltBytes = 16

    /// The delimiter after the plaintext of the last record (RFC 8188 section 2).
    private static let lastRecord: UInt8 = 0x02

    /// Returns the body of a request.
    ///
    /// - Parameters:
    ///   - plaintext: at most ``longestPlaintext`` bytes.
    ///   - ephemeral: a key made for this message alone.
    ///   - salt: 16 random bytes, made for this message alone.
    static func encrypt(
        _ plaintext: [UInt8], for subscription: PushSubscription, ephemeral: P256PrivateKey, salt: [UInt8]
    ) -> [UInt8] {
        precondition(plaintext.count <= longestPlaintext, "a message of Web Push has at most \(longestPlaintext) bytes")
        precondition(salt.count == saltBytes, "a salt of Web Push has \(saltBytes) bytes")
        let keys = MessageKeys(for: subscription, ephemeral: ephemeral, salt: salt)
        let ours = ephemeral.publicKey.point
        let recordSize = withUnsafeBytes(of: UInt32(longestBody).bigEndian) { Array($0) }
        let header = salt + recordSize + [UInt8(ours.count)] + ours
        return header + AES128GCM.seal(plaintext + [lastRecord], key: keys.contentKey, nonce: keys.nonce)
    }
}

/// The content key and the nonce of one message: RFC 8291 section 3.4, where each step of HKDF is one HMAC.
struct MessageKeys: Sendable, Hashable {
    let contentKey: [UInt8]
    /// The nonce of the first record, which is the only one.
    let nonce: [UInt8]

    init(for subscription: PushSubscription, ephemeral: P256PrivateKey, salt: [UInt8]) {
        let agreed = hmacSHA256(key: subscription.secret, message: ephemeral.sharedSecret(with: subscription.key))
        // The browser's key goes first.
        let info = Array("WebPush: info\0".utf8) + subscription.key.point + ephemeral.publicKey.point
        let material = hmacSHA256(key: agreed, message: [info, [1]])
        let pseudorandom = hmacSHA256(key: salt, message: material)
        func expanded(_ label: String, to count: Int) -> [UInt8] {
            Array(hmacSHA256(key: pseudorandom, message: [Array("Content-Encoding: \(label)\0".utf8), [1]]).prefix(count))
        }
        contentKey = expanded("aes128gcm", to: AES128GCM.keyByteCount)
        nonce = expanded("nonce", to: AES128GCM.nonceByteCount)
    }
}
