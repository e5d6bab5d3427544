// The part of OpenSSL's libssl that Tidings calls, and the part of libcrypto that makes a self-signed certificate.
#ifndef TIDINGS_CTLS_H
#define TIDINGS_CTLS_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Wrappers for macros and for a variadic function behind a macro. Swift can call neither.

static inline int tidings_ssl_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// A repeated write may use another buffer address, and a write may send only a part of its bytes.
static inline void tidings_ssl_write_in_parts(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline int tidings_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// A key with a passphrase is an error. OpenSSL would ask for the passphrase on the terminal.
static inline int tidings_ssl_no_passphrase(char *buffer, int size, int writing, void *data) {
    (void)buffer, (void)size, (void)writing, (void)data;
    return -1;
}

// Chooses HTTP/1.1 among the protocols that a client offers (RFC 7301). A client that offers others alone is refused.
static inline int tidings_ssl_choose_http1(SSL *ssl, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                                           unsigned int offered_length, void *data) {
    static const unsigned char http1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    (void)ssl, (void)data;
    int found = SSL_select_next_proto((unsigned char **)chosen, length, http1, sizeof http1, offered, offered_length);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// A server of HTTP/1.1. A client cannot start further handshakes on its connection. A session is resumed only by a ticket that the client
// keeps, so that strangers fill no cache. An idle connection keeps no buffers.
static inline int tidings_ssl_serve_http1(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(context, tidings_ssl_choose_http1, NULL);
    SSL_CTX_set_default_passwd_cb(context, tidings_ssl_no_passphrase);
    return tidings_ssl_require_tls12(context);
}

static inline EVP_PKEY *tidings_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

static inline int tidings_x509_add(X509 *certificate, int nid, const char *value) {
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

static inline long tidings_bio_text(BIO *memory, char **text) {
    return BIO_get_mem_data(memory, text);
}

#endif
