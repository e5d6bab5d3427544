import CTLS
import TidingsHTTPServer

/// The server's side of a TLS connection, by OpenSSL. The bytes of both directions wait in memory.
@safe final class OpenSSLSession: TLSSession {
    private let ssl: OpaquePointer
    /// Bytes of the client, and bytes for the client. Both belong to ``ssl``.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// OpenSSL must not be asked to say goodbye after a failure.
    private var hasFailed = false

    /// Nil for lack of memory.
    init?(_ certificate: ServerCertificate) {
        guard let ssl = unsafe SSL_new(certificate.context) else { return nil }
        guard let incoming = unsafe BIO_new(BIO_s_mem()) else {
            unsafe SSL_free(ssl)
            return nil
        }
        guard let outgoing = unsafe BIO_new(BIO_s_mem()) else {
            unsafe BIO_free(incoming)
            unsafe SSL_free(ssl)
            return nil
        }
        unsafe SSL_set_bio(ssl, incoming, outgoing)
        unsafe SSL_set_accept_state(ssl)
        unsafe self.ssl = unsafe ssl
        unsafe self.incoming = unsafe incoming
        unsafe self.outgoing = unsafe outgoing
    }

    deinit { unsafe SSL_free(ssl) }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        var count = 0
        // Memory takes everything.
        _ = unsafe BIO_write_ex(incoming, bytes.baseAddress, bytes.count, &count)
    }

    func handshake() -> TLSProgress { call { unsafe SSL_do_handshake(ssl) } }

    var mayHaveMore: Bool { unsafe BIO_ctrl_pending(incoming) > 0 || SSL_has_pending(ssl) == 1 }

    func read(into memory: UnsafeMutableRawBufferPointer) -> (progress: TLSProgress, count: Int) {
        var count = 0
        let progress = call { unsafe SSL_read_ex(ssl, memory.baseAddress, memory.count, &count) }
        return (progress, progress == .done ? count : 0)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TLSProgress {
        var count = 0
        return call { unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) }
    }

    var outputBytes: Int { unsafe BIO_ctrl_pending(outgoing) }

    func takeOutput(into memory: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        let isRead = unsafe BIO_read_ex(outgoing, memory.baseAddress, memory.count, &count) == 1
        return isRead ? count : 0
    }

    func sayGoodbye() {
        guard !hasFailed else { return }
        ERR_clear_error()
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func call(_ body: () -> Int32) -> TLSProgress {
        ERR_clear_error()
        let result = body()
        if result == 1 { return .done }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .needsBytes
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            hasFailed = true
            return .failed(TLSReason.dequeue())
        }
    }
}
