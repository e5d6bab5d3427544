// The part of OpenSSL's libcrypto that Tidings calls. Deprecated low-level digests are deliberately not included.
#ifndef TIDINGS_CCRYPTO_H
#define TIDINGS_CCRYPTO_H

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#endif
