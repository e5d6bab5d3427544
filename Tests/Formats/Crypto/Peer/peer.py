"""Answers the tests of TidingsCrypto and TidingsEncodings by an implementation that Tidings does not use.

usage: peer.py     (started by CryptoPeer.swift with a Python that has the library cryptography)

Each line of the input is a JSON object: the name of an operation, and its arguments as hexadecimal text. Each line of the output is an
answer:

- {"bytes": "…"} in hexadecimal; a verification that succeeds has no bytes
- {"refused": "…"} if the operation does not accept its arguments
- {"error": "…"} for a wrong request or a fault of this program

cryptography brings an OpenSSL of its own. Operations whose names end in "integers" therefore calculate by integers.py instead.
"""

import base64
import binascii
import functools
import json
import sys

import integers
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, padding, rsa, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PrivateFormat, PublicFormat
from integers import Refused, number, padded

HASHES = {"sha1": hashes.SHA1, "sha256": hashes.SHA256, "sha384": hashes.SHA384, "sha512": hashes.SHA512}
CURVES = [ec.SECP224R1, ec.SECP384R1, ec.SECP521R1, ec.SECP256K1, ec.BrainpoolP256R1]


def algorithm(name):
    return HASHES[name.decode()]()


# P-256 by cryptography


def p256_private(private):
    return ec.derive_private_key(number(private), ec.SECP256R1())


def p256_public(point):
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def p256_point(private, form=b"uncompressed"):
    forms = {b"uncompressed": PublicFormat.UncompressedPoint, b"compressed": PublicFormat.CompressedPoint}
    return p256_private(private).public_key().public_bytes(Encoding.X962, forms[form])


def p256_generate():
    return padded(ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value)


def p256_accepts(point):
    p256_public(point)


def p256_sign(private, message, hash=b"sha256"):
    r, s = decode_dss_signature(p256_private(private).sign(message, ec.ECDSA(algorithm(hash))))
    return padded(r) + padded(s)


def p256_sign_der(private, message):
    return p256_private(private).sign(message, ec.ECDSA(hashes.SHA256()))


def p256_verify(point, message, signature):
    if len(signature) != 64:
        raise Refused("not 64 bytes")
    der = encode_dss_signature(number(signature[:32]), number(signature[32:]))
    p256_public(point).verify(der, message, ec.ECDSA(hashes.SHA256()))


def p256_ecdh(private, point):
    return p256_private(private).exchange(ec.ECDH(), p256_public(point))


def p256_pem(private, form):
    return private_pem(p256_private(private), form)


def p256_public_pem(private):
    return p256_private(private).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def p256_read(pem):
    key = serialization.load_pem_private_key(pem, None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise Refused("not a key on P-256")
    return padded(key.private_numbers().private_value)


# Keys in PEM form


def private_pem(key, form):
    """Returns the key as "pkcs8", as "traditional" (SEC 1 or PKCS #1), or as one of them with "-encrypted" behind it."""
    name, _, encrypted = form.decode().partition("-")
    format_ = {"pkcs8": PrivateFormat.PKCS8, "traditional": PrivateFormat.TraditionalOpenSSL}[name]
    encryption = serialization.BestAvailableEncryption(b"passphrase") if encrypted else serialization.NoEncryption()
    return key.private_bytes(Encoding.PEM, format_, encryption)


def foreign_key(kind):
    """Returns a new key of another kind than P-256 or RSA."""
    kinds = {curve.name: lambda curve=curve: ec.generate_private_key(curve()) for curve in CURVES}
    kinds["ed25519"] = ed25519.Ed25519PrivateKey.generate
    kinds["x25519"] = x25519.X25519PrivateKey.generate
    kinds["dsa"] = lambda: dsa.generate_private_key(2048)
    return kinds[kind.decode()]()


def foreign_private_pem(kind):
    return private_pem(foreign_key(kind), b"pkcs8")


def foreign_public_pem(kind):
    return foreign_key(kind).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


# RSA. The argument "pem" is always a private key, whose public half verifies.


@functools.cache  # reading an RSA key checks its numbers, which takes longer than a signature
def rsa_private(pem):
    key = serialization.load_pem_private_key(pem, None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise Refused("not an RSA key")
    return key


def rsa_numbers(pem):
    """Returns n, e, d and the length of n in bytes."""
    numbers = rsa_private(pem).private_numbers()
    n = numbers.public_numbers.n
    return n, numbers.public_numbers.e, numbers.d, (n.bit_length() + 7) // 8


def by_integers(calculate):
    """Returns the operation that takes the key as PEM in place of its numbers."""
    return lambda pem, **arguments: calculate(rsa_numbers(pem), **arguments)


def rsa_exponent(pem, exponent):
    numbers = rsa_private(pem).private_numbers()
    return integers.rsa_pkcs1(numbers.p, numbers.q, exponent)


def rsa_generate(bits, exponent):
    return private_pem(rsa.generate_private_key(number(exponent), number(bits)), b"pkcs8")


def rsa_pem(pem, form):
    return private_pem(rsa_private(pem), form)


def rsa_public_pem(pem):
    return rsa_private(pem).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def rsa_sign(pem, message, hash=b"sha256"):
    return rsa_private(pem).sign(message, padding.PKCS1v15(), algorithm(hash))


def rsa_sign_pss(pem, message):
    return rsa_private(pem).sign(message, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())


def rsa_verify(pem, message, signature):
    rsa_private(pem).public_key().verify(signature, message, padding.PKCS1v15(), hashes.SHA256())


def rsa_modulus(pem):
    n, _, _, length = rsa_numbers(pem)
    return n.to_bytes(length, "big")


# Ed25519


def ed25519_private(private):
    return ed25519.Ed25519PrivateKey.from_private_bytes(private)


def ed25519_point(private):
    return ed25519_private(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def ed25519_sign(private, message):
    return ed25519_private(private).sign(message)


def ed25519_verify(point, message, signature):
    ed25519.Ed25519PublicKey.from_public_bytes(point).verify(signature, message)


def ed25519_pem(private):
    return private_pem(ed25519_private(private), b"pkcs8")


# Digests and AES


def sha256(message):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message)
    return digest.finalize()


def hmac_sha256(key, message):
    code = hmac.HMAC(key, hashes.SHA256())
    code.update(message)
    return code.finalize()


def aes128gcm_seal(key, nonce, plaintext, additional=b""):
    return AESGCM(key).encrypt(nonce, plaintext, additional)


def aes128gcm_open(key, nonce, sealed, additional=b""):
    return AESGCM(key).decrypt(nonce, sealed, additional)


# Encodings. Texts are bytes too. Python's decoders pass over stray bits, so each text is compared with its own spelling.


def base64_encode(content):
    return base64.b64encode(content)


def base64_decode(text):
    decoded_ = base64.b64decode(text, validate=True)
    if base64.b64encode(decoded_) != text:
        raise Refused("another spelling")
    return decoded_


def base64url_encode(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def base64url_decode(text):
    decoded_ = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    if base64url_encode(decoded_) != text:
        raise Refused("another spelling")
    return decoded_


def hex_encode(content):
    return binascii.hexlify(content)


def hex_decode(text):
    return binascii.unhexlify(text)


OPERATIONS = {
    "sha256": sha256,
    "hmac": hmac_sha256,
    "aes128gcm.seal": aes128gcm_seal,
    "aes128gcm.open": aes128gcm_open,
    "p256.generate": p256_generate,
    "p256.point": p256_point,
    "p256.accepts": p256_accepts,
    "p256.sign": p256_sign,
    "p256.sign.der": p256_sign_der,
    "p256.verify": p256_verify,
    "p256.verify.integers": integers.p256_verify,
    "p256.craft.integers": integers.p256_craft,
    "p256.twin.integers": integers.p256_twin,
    "p256.ecdh": p256_ecdh,
    "p256.ecdh.integers": integers.p256_ecdh,
    "p256.pem": p256_pem,
    "p256.public.pem": p256_public_pem,
    "p256.read": p256_read,
    "foreign.private.pem": foreign_private_pem,
    "foreign.public.pem": foreign_public_pem,
    "rsa.generate": rsa_generate,
    "rsa.exponent.integers": rsa_exponent,
    "rsa.pem": rsa_pem,
    "rsa.public.pem": rsa_public_pem,
    "rsa.sign": rsa_sign,
    "rsa.sign.pss": rsa_sign_pss,
    "rsa.verify": rsa_verify,
    "rsa.verify.integers": by_integers(integers.rsa_verify),
    "rsa.sign.block.integers": by_integers(integers.rsa_sign_block),
    "rsa.cube.root.integers": by_integers(integers.rsa_cube_root),
    "rsa.twin.integers": by_integers(integers.rsa_twin),
    "rsa.modulus": rsa_modulus,
    "ed25519.point": ed25519_point,
    "ed25519.sign": ed25519_sign,
    "ed25519.verify": ed25519_verify,
    "ed25519.pem": ed25519_pem,
    "base64.encode": base64_encode,
    "base64.decode": base64_decode,
    "base64url.encode": base64url_encode,
    "base64url.decode": base64url_decode,
    "hex.encode": hex_encode,
    "hex.decode": hex_decode,
}


def answer(line):
    try:
        request = json.loads(line)
        operation = OPERATIONS[request.pop("operation")]
        arguments = {name: bytes.fromhex(value) for name, value in request.items()}
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        return {"error": f"not a request: {error!r}"}
    try:
        return {"bytes": (operation(**arguments) or b"").hex()}
    except (Refused, InvalidSignature, InvalidTag, ValueError) as error:
        return {"refused": repr(error)}
    except Exception as error:  # a wrong argument, or a fault of this program: the test must fail and show it
        return {"error": repr(error)}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)


main()
