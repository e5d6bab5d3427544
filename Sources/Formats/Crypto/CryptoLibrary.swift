internal import CCrypto

/// OpenSSL's libcrypto as a whole.
public enum CryptoLibrary {
    /// Keeps libcrypto as it is until the process has ended. Call this before anything else uses libcrypto, including libpq and libcurl.
    ///
    /// By default libcrypto frees its memory when `exit` runs, while other threads may still use it. A command that had finished its work
    /// then died of a segmentation fault, once in some thousand runs. See OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT.
    public static func keepUntilTheEnd() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
