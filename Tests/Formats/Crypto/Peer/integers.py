"""P-256 and RSA by Python's integers, which share no code with OpenSSL, and forgeries that no library makes.

Only the digest comes from hashlib.
"""

import hashlib

# P-256, from FIPS 186-4 section D.1.2.3: y² = x³ - 3x + B modulo P, with the base point G of order N.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)

# The start of a DigestInfo with SHA-256, RFC 8017 section 9.2.
SHA256_INFO = bytes.fromhex("3031300d060960864801650304020105000420")


class Refused(Exception):
    """The operation does not accept its arguments."""


def number(bytes_):
    return int.from_bytes(bytes_, "big")


def padded(value, count=32):
    return value.to_bytes(count, "big")


# P-256 by integers. A point is (x, y); None is the point at infinity.


def add(left, right):
    if left is None or right is None:
        return left or right
    (x1, y1), (x2, y2) = left, right
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    if left == right:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def multiply(factor, point):
    product = None
    for bit in bin(factor % N)[2:]:
        product = add(product, product)
        if bit == "1":
            product = add(product, point)
    return product


def lifted(x):
    """Returns a point with this x. P is 3 modulo 4, so that a square root is a power."""
    square = (x**3 - 3 * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    if x >= P or y * y % P != square:
        raise Refused("no point has this x")
    return x, y


def encoded(point):
    return b"\x04" + padded(point[0]) + padded(point[1])


def decoded(point):
    return number(point[1:33]), number(point[33:])


def p256_verify(point, message, signature):
    r, s = number(signature[:32]), number(signature[32:])
    if len(signature) != 64 or not 0 < r < N or not 0 < s < N:
        raise Refused("r or s is out of range")
    digest = number(hashlib.sha256(message).digest())
    inverse = pow(s, -1, N)
    found = add(multiply(digest * inverse, G), multiply(r * inverse, decoded(point)))
    if found is None or found[0] % N != r:
        raise Refused("not a signature")


def p256_craft(x, s, message):
    """Returns the public key under which (x modulo N, s) is a signature of the message. Nobody needs its private key for that."""
    r, digest = number(x) % N, number(hashlib.sha256(message).digest())
    difference = add(multiply(number(s), lifted(number(x))), multiply(-digest, G))
    return encoded(multiply(pow(r, -1, N), difference))


def p256_ecdh(private, point):
    return padded(multiply(number(private), decoded(point))[0])


def p256_twin(signature):
    """Returns the signature with N - s in place of s."""
    return signature[:32] + padded(N - number(signature[32:]))


# RSA. The numbers of a key are n, e, d, and the length of n in bytes.


def rsa_verify(numbers, message, signature):
    n, e, _, count = numbers
    tail = b"\x00" + SHA256_INFO + hashlib.sha256(message).digest()
    block = b"\x00\x01" + b"\xff" * (count - 2 - len(tail)) + tail
    if len(signature) != count or number(signature) >= n or padded(pow(number(signature), e, n), count) != block:
        raise Refused("not a signature")


def rsa_sign_block(numbers, block):
    """Returns the signature whose power is exactly this block, whatever the block holds."""
    n, _, d, count = numbers
    return padded(pow(number(block), d, n), count)


def rsa_cube_root(numbers, message):
    """Returns a forgery for a key with the exponent 3, made without the private key.

    Its cube begins as a signed block does, with eight bytes of padding. Behind the digest follow bytes of no meaning, which a careless
    verifier passes over (Bleichenbacher 2006, CVE-2006-4339).
    """
    n, e, _, count = numbers
    if e != 3:
        raise Refused("the exponent is not 3")
    head = b"\x00\x01" + b"\xff" * 8 + b"\x00" + SHA256_INFO + hashlib.sha256(message).digest()
    target = number(head + b"\xff" * (count - len(head)))
    low, high = 0, 1 << (target.bit_length() // 3 + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= target else (low, middle - 1)
    if not padded(low**3, count).startswith(head):
        raise Refused("the key is too short for this forgery")
    return padded(low, count)


def rsa_twin(numbers, signature):
    """Returns the signature plus n. It has the same power. It has a byte more where it does not fit."""
    n, _, _, count = numbers
    twin = number(signature) + n
    return padded(twin, max(count, (twin.bit_length() + 7) // 8))


def der(tag, content):
    count = len(content)
    length = bytes([count]) if count < 128 else b"\x82" + padded(count, 2)
    return bytes([tag]) + length + content


def rsa_pkcs1(p, q, exponent):
    """Returns the key of these primes and this exponent as DER of PKCS #1. The private exponent is 1 if the exponent has no inverse."""
    e, order = number(exponent), (p - 1) * (q - 1)
    try:
        d = pow(e, -1, order)
    except ValueError:
        d = 1
    values = [0, p * q, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
    return der(0x30, b"".join(der(0x02, padded(value, value.bit_length() // 8 + 1)) for value in values))
