import CTLS
public import TidingsHTTPServer

/// The certificate of a server of HTTPS with its private key, and the rules of its connections: TLS 1.2 or 1.3, HTTP/1.1.
///
/// It is read once. A changed file makes another certificate.
@safe public final class ServerCertificate: Sendable {
    // Immutable once made; OpenSSL counts its references atomically.
    nonisolated(unsafe) let context: OpaquePointer

    /// Reads the two files. Throws if one of them cannot be read, if the key has a passphrase, or if the key does not belong to the
    /// certificate.
    ///
    /// - Parameters:
    ///   - chainFile: the certificate in PEM, and after it those of its issuers.
    ///   - keyFile: the private key in PEM.
    public init(chainFile: String, keyFile: String) throws(CertificateError) {
        guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw CertificateError(message: "OpenSSL gives no context: \(TLSReason.dequeue())")
        }
        // Before anything can throw: from then on deinit frees the context.
        unsafe self.context = unsafe context
        guard unsafe tidings_ssl_serve_http1(context) == 1 else {
            throw CertificateError(message: "OpenSSL does not take the settings: \(TLSReason.dequeue())")
        }
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate_chain_file(context, chainFile) == 1 else {
            throw CertificateError(message: "\(chainFile) has no certificate that can be used: \(TLSReason.dequeue())")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw CertificateError(
                message: "\(keyFile) has no key without a passphrase that belongs to the certificate: \(TLSReason.dequeue())")
        }
        guard unsafe SSL_CTX_check_private_key(context) == 1 else {
            throw CertificateError(message: "the key of \(keyFile) does not belong to the certificate: \(TLSReason.dequeue())")
        }
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// A session for a new connection. Nil for lack of memory.
    public func session() -> (any TLSSession)? { OpenSSLSession(self) }
}

/// The reason why a certificate cannot be used.
public struct CertificateError: Error, Sendable, Hashable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}

/// OpenSSL's own message for a failure on this thread.
enum TLSReason {
    /// Returns the first error of the queue and empties the queue. An error left there would be taken for the next failure.
    static func dequeue() -> String {
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
