internal import CCrypto

/// SHA-256 (FIPS 180-4) by OpenSSL, which uses the processor's own instructions where it has them: in one step with ``hash(_:)``, or
/// piece by piece.
public struct SHA256: ~Copyable {
    /// The length of a digest.
    public static let byteCount = 32

    /// The digest of `bytes`, 32 bytes.
    public static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    private let context: OpaquePointer

    /// A digest of nothing yet; stops the process when there is no memory for one.
    public init() {
        // Only exhausted memory makes these fail.
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, DigestAlgorithm.sha256, nil) == 1 else {
            preconditionFailure("libcrypto cannot start a SHA-256 digest: out of memory, or a build without it")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds `bytes` to what is digested.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { add($0) }
        if done == nil { Array(bytes).withUnsafeBufferPointer { add($0) } }
    }

    /// The digest of everything added, 32 bytes; the digest is used up.
    public consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
            guard EVP_DigestFinal_ex(context, buffer.baseAddress, nil) == 1 else {
                preconditionFailure("libcrypto cannot finish a SHA-256 digest it started")
            }
            count = SHA256.byteCount
        }
    }

    private func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            preconditionFailure("libcrypto cannot continue a SHA-256 digest it started")
        }
    }
}

/// Algorithms looked up once: OpenSSL 3 searches its providers at every use of an algorithm that was not fetched.
enum DigestAlgorithm {
    // Immutable once fetched; OpenSSL counts references to it atomically and never writes to it.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        if let fetched = EVP_MD_fetch(nil, "SHA256", nil) { return fetched }
        guard let builtIn = EVP_sha256() else { preconditionFailure("libcrypto offers no SHA-256") }
        return builtIn
    }()
}
