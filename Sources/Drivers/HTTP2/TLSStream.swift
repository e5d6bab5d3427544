import CTLS
import Glibc

/// TLS over one socket that never blocks. It owns the socket, once it is made.
@safe package final class TLSStream {
    /// How far a call came.
    package enum Progress: Equatable, Sendable {
        case done
        /// Nothing to do before the socket can be read or written.
        case mustWait
        /// The connection is no longer usable. Empty words mean that the peer closed it.
        case ended(String)
    }

    /// The largest number of bytes of one read.
    private static let chunkBytes = 16 << 10
    /// The largest number of chunks that one call of ``read(_:)`` takes, 256 KiB in all. A fast peer therefore cannot block the other
    /// connections of its thread.
    static let chunksPerRead = 16

    package let socket: Int32
    private let ssl: OpaquePointer
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    /// Whether OpenSSL must be called again only when the socket can be written.
    package private(set) var wantsToWrite = false

    /// Starts TLS on `socket`. Returns nil when OpenSSL has no memory. In this case, the caller still owns the socket.
    ///
    /// - Parameter serverName: the name or address that the server's certificate must contain. Nil on the server's side.
    package init?(_ context: TLSContext, socket: Int32, serverName: String?) {
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

    package func handshake() -> Progress {
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

    /// Reads available bytes, piece by piece, until `take` returns false. `done` means that OpenSSL may hold more bytes that `poll(2)` does
    /// not report. Read again in the next turn.
    package func read(_ take: (UnsafeRawBufferPointer) -> Bool) -> Progress {
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

    /// Writes as many bytes as the socket takes, and removes them from `bytes`.
    package func write(_ bytes: inout OutputBuffer) -> Progress {
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

    /// Tells the peer that no more bytes will come. It does not matter whether this message arrives.
    package func sayGoodbye() {
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
        default: return .ended(TLSError.dequeue())
        }
    }
}

/// Bytes to send, added at the end and removed at the front. Memory stays in proportion to the largest number of bytes held at once, even
/// if the buffer never becomes empty.
package struct OutputBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }
    var capacity: Int { bytes.capacity }

    mutating func append(_ more: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: more) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func remove(_ count: Int) {
        start += count
        // Move the rest only when more bytes were removed than remain. The move then costs less than the append of the removed bytes did.
        guard start > self.count || isEmpty else { return }
        bytes.removeSubrange(..<start)
        start = 0
    }
}
