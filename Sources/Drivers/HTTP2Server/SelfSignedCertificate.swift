import CTLS

/// A key pair with a self-signed certificate, for a server on this machine. The certificate names `localhost`, 127.0.0.1 and ::1, and is
/// valid for ten years.
///
/// A client that trusts ``pem`` as a certificate authority trusts the server.
@safe public final class SelfSignedCertificate: Sendable {
    // Immutable after `init`: OpenSSL only reads the key, and counts references to it atomically.
    nonisolated(unsafe) private let key: OpaquePointer
    // Immutable after `init`: OpenSSL only reads the certificate, and counts references to it atomically.
    nonisolated(unsafe) private let certificate: OpaquePointer

    private static let lifeSeconds = 10 * 365 * 86_400

    /// Creates a new key and certificate. Nil only for lack of memory or of randomness.
    public init?() {
        guard let key = unsafe tidings_generate_p256() else { return nil }
        guard let certificate = unsafe X509_new() else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        unsafe (self.key, self.certificate) = unsafe (key, certificate)
        let name = unsafe X509_get_subject_name(certificate)
        unsafe X509_set_version(certificate, 2)  // counted from 0: version 3
        unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
        unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400)
        unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), Self.lifeSeconds)
        unsafe X509_set_pubkey(certificate, key)
        unsafe X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, Array("Tidings on this machine".utf8), -1, -1, 0)
        unsafe X509_set_issuer_name(certificate, name)
        let extensions: [(Int32, String)] = [
            (NID_basic_constraints, "critical,CA:TRUE"), (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"),
        ]
        guard extensions.allSatisfy({ unsafe tidings_x509_add(certificate, $0.0, $0.1) == 1 }),
            unsafe X509_sign(certificate, key, EVP_sha256()) > 0
        else {
            ERR_clear_error()
            return nil
        }
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(key)
    }

    /// The certificate without its key, as PEM.
    public var pem: String {
        guard let memory = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(memory) }
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe PEM_write_bio_X509(memory, certificate) == 1 else { return "" }
        let length = unsafe tidings_bio_text(memory, &text)
        guard let text = unsafe text else { return "" }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }

    /// The private key as PEM, for a server that reads its key from a file.
    public var keyPEM: String {
        guard let memory = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(memory) }
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1 else { return "" }
        let length = unsafe tidings_bio_text(memory, &text)
        guard let text = unsafe text else { return "" }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }

    func install(in context: OpaquePointer) -> Bool {
        unsafe SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1
    }
}
