internal import CCrypto

/// OpenSSL's libcrypto as a whole.
public enum CryptoLibrary {
    /// Keeps libcrypto as it is until the process is gone. By default it frees what it holds when `exit` runs, under the hands of threads that
    /// are still at work: a command that had done everything then died of a segmentation fault, once in some thousand runs. To be called before
    /// anything else uses libcrypto, libpq and libcurl included (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
    public static func keepUntilTheEnd() {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
