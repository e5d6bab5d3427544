import CTLS
package import TidingsHTTP

/// The part that all TLS connections of one kind share: versions, certificates, and HTTP/2 as the only protocol (`h2`, RFC 9113 section
/// 3.2).
@safe package final class TLSContext: Sendable {
    // Immutable once made; OpenSSL counts its references atomically.
    nonisolated(unsafe) package let pointer: OpaquePointer

    /// Creates a context for connections to servers. A server's certificate must come from a trusted authority of the PEM file, or of the
    /// system.
    init(trusting certificateAuthorityFile: String?) throws(HTTPFailure) {
        unsafe pointer = try unsafe Self.make(TLS_client_method())
        let loaded =
            unsafe certificateAuthorityFile.map { unsafe SSL_CTX_load_verify_locations(pointer, $0, nil) }
            ?? SSL_CTX_set_default_verify_paths(pointer)
        guard loaded == 1 else {
            let file = certificateAuthorityFile ?? "the system's store"
            throw HTTPFailure(
                kind: .tls, requestMayHaveArrived: false, message: "no certificate authority in \(file): \(TLSError.dequeue())")
        }
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        // Lengths before each name, as TLS has it; zero is success here, unlike everywhere else.
        unsafe SSL_CTX_set_alpn_protos(pointer, [2] + Array("h2".utf8), 3)
    }

    /// Creates a context with this method of OpenSSL, without a certificate.
    package init(_ method: OpaquePointer?) throws(HTTPFailure) {
        unsafe pointer = try unsafe Self.make(method)
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    private static func make(_ method: OpaquePointer?) throws(HTTPFailure) -> OpaquePointer {
        let context = unsafe SSL_CTX_new(method)
        guard let context = unsafe context, unsafe tidings_ssl_require_tls12(context) == 1 else {
            unsafe SSL_CTX_free(context)
            throw HTTPFailure(kind: .tls, requestMayHaveArrived: false, message: "OpenSSL gives no context: \(TLSError.dequeue())")
        }
        unsafe tidings_ssl_write_in_parts(context)
        return unsafe context
    }
}

/// OpenSSL's own message for a failure on this thread.
package enum TLSError {
    /// Returns the first error of the queue and empties the queue. An error left there would be taken for the next failure.
    package static func dequeue() -> String {
        defer { ERR_clear_error() }
        let code = ERR_get_error()
        guard code != 0 else { return "no reason given" }
        var text = [CChar](repeating: 0, count: 256)
        unsafe ERR_error_string_n(code, &text, text.count)
        let words = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // In `error:0A000086:SSL routines::certificate verify failed`, the last part is the reason.
        return String(decoding: words, as: UTF8.self).split(separator: ":").last.map(String.init) ?? "no reason given"
    }
}
