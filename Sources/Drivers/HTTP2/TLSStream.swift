import CTLS
import Glibc

/// TLS over one socket that never blocks. It owns the socket, once it is made.
@safe final class TLSStream {
    /// How far a call came.
    enum Progress: Equatable {
        case done
        /// Nothing to do until the socket can be read or written.
        case mustWait
        /// The connection is of no more use; empty words for a peer that closed it.
        case ended(String)
    }

    /// Bytes read at once.
    private static let chunkBytes = 16 << 10
    /// Chunks that one call of ``read(_:)`` takes, 256 KiB: a peer that sends fast leaves time for the others of its thread.
    static let chunksPerRead = 16

    let socket: Int32
    private let ssl: OpaquePointer
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    /// OpenSSL asked to be called again only when the socket can be written.
    private(set) var wantsToWrite = false

    /// Nil when OpenSSL has no memory; the socket is the caller's then, as before.
    ///
    /// - Parameter serverName: who the server must prove to be; an address in a certificate counts as well. Nil on the server's side.
    init?(_ context: TLSContext, socket: Int32, serverName: String?) {
        guard let ssl = unsafe SSL_new(context.pointer) else { return nil }
        // Before `self` is whole: from then on a failure runs deinit, which frees and closes as well.
        guard unsafe SSL_set_fd(ssl, socket) == 1 else {
            unsafe SSL_free(ssl)
            return nil
        }
        unsafe self.ssl = unsafe ssl
        self.socket = socket
        guard let serverName else {
            unsafe SSL_set_accept_state(ssl)
            return
        }
        unsafe SSL_set_connect_state(ssl)
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) == 1 { return }
        ERR_clear_error()
        unsafe SSL_set1_host(ssl, serverName)
        unsafe tidings_ssl_set_server_name(ssl, serverName)
    }

    deinit {
        unsafe SSL_free(ssl)
        close(socket)
    }

    func handshake() -> Progress {
        let code = call { unsafe SSL_do_handshake(ssl) }
        guard case .done = code else {
            let verification = unsafe SSL_get_verify_result(ssl)
            guard case .ended = code, verification != Int(X509_V_OK) else { return code }
            return .ended(unsafe "the certificate is not trusted: \(String(cString: X509_verify_cert_error_string(verification)))")
        }
        var protocolName: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &protocolName, &length)
        return length == 2 ? .done : .ended("the server does not speak HTTP/2")
    }

    /// Reads what is there, piece by piece, until `take` says false. `done` means that there may be more, of which poll(2) need not know: read
    /// again in the next turn.
    func read(_ take: (UnsafeRawBufferPointer) -> Bool) -> Progress {
        for _ in 0..<Self.chunksPerRead {
            var count = 0
            let progress = unsafe chunk.withUnsafeMutableBytes { buffer in
                call { unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count) }
            }
            guard progress == .done else { return progress }
            guard unsafe chunk.withUnsafeBytes({ unsafe take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) else { break }
        }
        return .done
    }

    /// Writes what the socket takes, and removes it from `bytes`.
    func write(_ bytes: inout OutputBuffer) -> Progress {
        while !bytes.isEmpty {
            var count = 0
            let progress = unsafe bytes.withUnsafeBytes { buffer in
                call { unsafe SSL_write_ex(ssl, buffer.baseAddress, buffer.count, &count) }
            }
            guard progress == .done else { return progress }
            bytes.remove(count)
        }
        return .done
    }

    /// Tells the peer that nothing more comes; whether it hears it does not matter.
    func sayGoodbye() {
        ERR_clear_error()
        unsafe SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func call(_ body: () -> Int32) -> Progress {
        ERR_clear_error()
        errno = 0
        let result = body()
        wantsToWrite = false
        if result == 1 { return .done }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .mustWait
        case SSL_ERROR_WANT_WRITE:
            wantsToWrite = true
            return .mustWait
        case SSL_ERROR_ZERO_RETURN: return .ended("")
        case SSL_ERROR_SYSCALL where errno != 0: return unsafe .ended(String(cString: strerror(errno)))
        case SSL_ERROR_SYSCALL: return .ended("")
        default: return .ended(TLSError.take())
        }
    }
}

/// Bytes on their way out: added at the end, removed at the front. Its memory is in proportion to the most bytes that were in it at once, also
/// when it never becomes empty.
struct OutputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }
    var capacity: Int { bytes.capacity }

    mutating func append(_ more: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: more) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func remove(_ count: Int) {
        start += count
        // More is gone than is left: moving the rest costs less than adding what is gone did.
        guard start > self.count || isEmpty else { return }
        bytes.removeSubrange(..<start)
        start = 0
    }
}
