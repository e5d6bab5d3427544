// The part of OpenSSL's libcrypto that Tidings calls. The deprecated low-level digests are left out on purpose.
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
