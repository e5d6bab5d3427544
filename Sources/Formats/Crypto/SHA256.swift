internal import CCrypto

/// SHA-256 (FIPS 180-4) by OpenSSL, which uses the processor's own instructions if there are any. Use ``hash(_:)`` for one step, or add the
/// bytes piece by piece.
@safe public struct SHA256: ~Copyable {
    /// The length of a digest.
    public static let byteCount = 32

    /// Returns the digest of `bytes`, 32 bytes.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    private let context: OpaquePointer

    /// A digest of nothing yet. Stops the process when there is no memory for one.
    public init() {
        // Stop the process, because only exhausted memory makes these calls fail.
        guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, DigestAlgorithm.sha256, nil) == 1 else {
            preconditionFailure("libcrypto cannot start a SHA-256 digest: out of memory, or a build without it")
        }
        unsafe self.context = unsafe context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds `bytes` to the digest.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { unsafe add($0) }
        if done == nil { unsafe Array(bytes).withUnsafeBufferPointer { unsafe add($0) } }
    }

    /// Returns the digest of everything added, 32 bytes. The digest cannot be used afterwards.
    public consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
            guard unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1 else {
                preconditionFailure("libcrypto cannot finish a SHA-256 digest it started")
            }
            count = SHA256.byteCount
        }
    }

    private func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            preconditionFailure("libcrypto cannot continue a SHA-256 digest it started")
        }
    }
}

/// Algorithms that are looked up only once. OpenSSL 3 searches its providers at every use of an algorithm that was not fetched.
enum DigestAlgorithm {
    // Safe to share: it is immutable once fetched. OpenSSL counts references to it atomically and never writes to it.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        if let fetched = unsafe EVP_MD_fetch(nil, "SHA256", nil) { return unsafe fetched }
        guard let builtIn = unsafe EVP_sha256() else { preconditionFailure("libcrypto offers no SHA-256") }
        return unsafe builtIn
    }()
}
