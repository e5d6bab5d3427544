"""The login service of an app: RSA keys that sign JSON Web Tokens with RS256 (RFC 7518, section 3.3), with the standard library."""

import base64
import hashlib
import json
import math
import os
import secrets
import time

ISSUER, AUDIENCE = "load", "tidings"
BITS = 2048  # the shortest modulus that Tidings takes
EXPONENT = 65537
SMALL_PRIMES = [number for number in range(3, 2000, 2) if all(number % divisor for divisor in range(3, int(number**0.5) + 1, 2))]
# The DER form of "a digest by SHA-256" (RFC 8017, section 9.2).
SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


class SigningKey:
    """A private key. A signature takes about 10 ms."""

    def __init__(self, name, primes=None):
        """Makes a key. With the two primes of another key it is that key."""
        self.name = name
        self.p, self.q = primes or (prime(BITS // 2), prime(BITS // 2))
        self.modulus = self.p * self.q
        exponent = pow(EXPONENT, -1, math.lcm(self.p - 1, self.q - 1))
        self.exponents = exponent % (self.p - 1), exponent % (self.q - 1)
        self.inverse = pow(self.q, -1, self.p)

    @classmethod
    def read(cls, path):
        """The key that another process has written."""
        kept = json.loads(path.read_text())
        return cls(kept["name"], (int(kept["p"]), int(kept["q"])))

    def write(self, path):
        """Keeps the key for other processes. Only the owner of the file can read it."""
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump({"name": self.name, "p": str(self.p), "q": str(self.q)}, file)

    @property
    def public(self):
        """The public half as a member of a JWK Set."""
        numbers = {"n": encoded(number(self.modulus)), "e": encoded(number(EXPONENT))}
        return {"kty": "RSA", "kid": self.name, "alg": "RS256", "use": "sig"} | numbers

    def token(self, recipient, tenant="default", seconds=86_400, **claims):
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": recipient, "tenant": tenant, "iat": now, "exp": now + seconds} | claims
        header = {"alg": "RS256", "typ": "JWT", "kid": self.name}
        text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{text}.{encoded(self.signature(text.encode()))}"

    def signature(self, text):
        length = BITS // 8
        digest = SHA256 + hashlib.sha256(text).digest()
        message = int.from_bytes(b"\x00\x01" + b"\xff" * (length - len(digest) - 3) + b"\x00" + digest, "big")
        # The two halves of the key are four times as fast as the whole key.
        first, second = pow(message, self.exponents[0], self.p), pow(message, self.exponents[1], self.q)
        return (second + (self.inverse * (first - second)) % self.p * self.q).to_bytes(length, "big")


def key_set(*keys):
    """The text of the JWK Set."""
    return json.dumps({"keys": [key.public for key in keys]})


def prime(bits):
    while True:
        # The two highest bits are set, so that the product of two primes has twice as many bits.
        candidate = secrets.randbits(bits) | 3 << (bits - 2) | 1
        if all(candidate % small for small in SMALL_PRIMES) and (candidate - 1) % EXPONENT and is_prime(candidate):
            return candidate


def is_prime(candidate, rounds=20):
    """The test of Miller and Rabin. A wrong yes has a chance below 2^-40."""
    odd, twos = candidate - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    return all(passes(candidate, secrets.randbelow(candidate - 3) + 2, odd, twos) for _ in range(rounds))


def passes(candidate, base, odd, twos):
    power = pow(base, odd, candidate)
    if power in (1, candidate - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % candidate
        if power == candidate - 1:
            return True
    return False


def number(value):
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def encoded(octets):
    """base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()
