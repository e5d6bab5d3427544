internal import CCrypto

/// HMAC-SHA256 (RFC 2104) of the concatenated `message` parts, 32 bytes.
///
/// - Parameter key: any length. The algorithm allows an empty key. The code that reads configuration refuses it.
public func hmacSHA256(key: some Collection<UInt8>, message: [[UInt8]]) -> [UInt8] {
    let key = Array(key)
    let joined = message.count == 1 ? message[0] : Array(message.joined())
    return unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
        // Give the empty key an address, because OpenSSL takes a null key as "the same key as last time".
        let result = unsafe (key.isEmpty ? [0] : key).withUnsafeBytes { keyBytes in
            unsafe HMAC(DigestAlgorithm.sha256, keyBytes.baseAddress, Int32(key.count), joined, joined.count, buffer.baseAddress, nil)
        }
        guard unsafe result != nil else { preconditionFailure("libcrypto cannot compute an HMAC: out of memory") }
        count = SHA256.byteCount
    }
}

/// See ``hmacSHA256(key:message:)-(_,[[UInt8]])``, for one part.
public func hmacSHA256(key: some Collection<UInt8>, message: some Collection<UInt8>) -> [UInt8] {
    hmacSHA256(key: key, message: [Array(message)])
}

/// Whether two byte strings are equal, in a time that depends only on their length. A signature can therefore not be guessed byte by byte.
/// Different lengths are unequal at once, because the length of a digest is no secret.
public func constantTimeEquals(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    let (left, right) = (Array(left), Array(right))
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}
