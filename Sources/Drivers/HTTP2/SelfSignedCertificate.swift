import CTLS

/// A key pair with a certificate that it signed itself, for a server on this machine: for `localhost`, 127.0.0.1 and ::1, for ten years.
///
/// Who trusts ``pem`` as a certificate authority trusts the server.
public final class SelfSignedCertificate: Sendable {
    // Immutable once made.
    nonisolated(unsafe) private let key: OpaquePointer
    // Immutable once made.
    nonisolated(unsafe) private let certificate: OpaquePointer

    private static let lifeSeconds = 10 * 365 * 86_400

    /// A new one each time; nil only for lack of memory or of randomness.
    public init?() {
        guard let key = tidings_generate_p256() else { return nil }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            return nil
        }
        (self.key, self.certificate) = (key, certificate)
        let name = X509_get_subject_name(certificate)
        X509_set_version(certificate, 2)  // counted from 0: version 3
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), UInt64.random(in: 1...UInt64(Int64.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), Self.lifeSeconds)
        X509_set_pubkey(certificate, key)
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, Array("Tidings on this machine".utf8), -1, -1, 0)
        X509_set_issuer_name(certificate, name)
        let extensions: [(Int32, String)] = [
            (NID_basic_constraints, "critical,CA:TRUE"), (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"),
        ]
        guard extensions.allSatisfy({ tidings_x509_add(certificate, $0.0, $0.1) == 1 }), X509_sign(certificate, key, EVP_sha256()) > 0
        else {
            ERR_clear_error()
            return nil
        }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The certificate without its key, as PEM.
    public var pem: String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        var text: UnsafeMutablePointer<CChar>?
        guard PEM_write_bio_X509(memory, certificate) == 1 else { return "" }
        let length = tidings_bio_text(memory, &text)
        guard let text else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }

    func install(in context: OpaquePointer) -> Bool {
        SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1
    }
}
