// The part of OpenSSL's libcrypto that Tidings calls. Deprecated low-level digests are deliberately not included.
#ifndef TIDINGS_CCRYPTO_H
#define TIDINGS_CCRYPTO_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#endif
