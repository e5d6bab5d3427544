import Testing
import TidingsCrypto

/// Signatures that nobody made with the private key. Both sides must refuse each of them.
@Suite(.needsCryptoPeer) struct P256HostileSignatureTests {
    /// Fails unless both sides refuse the signature.
    private func expectRefused(_ signature: [UInt8], by key: P256PublicKey, of message: [UInt8]) async throws {
        #expect(!key.verify(signature, of: message), CryptoVectors.again(key.point, signature))
        let arguments = ["point": key.point, "message": message, "signature": signature]
        let isAccepted = try await CryptoPeer.accepts("p256.verify", arguments)
        #expect(!isAccepted, CryptoVectors.again(key.point, signature))
    }

    @Test(arguments: [0, 55, 64, 300]) func everyChangedBitIsRefused(_ count: Int) async throws {
        var vectors = CryptoVectors(50)
        let (key, message) = (try vectors.key(), vectors.bytes(count))
        let signature = try await CryptoPeer.bytes("p256.sign", ["private": key.rawValue, "message": message])
        #expect(key.publicKey.verify(signature, of: message), CryptoVectors.again(signature))
        for bit in 0..<signature.count * 8 {
            try await expectRefused(signature.flipping(bit: bit), by: key.publicKey, of: message)
        }
        for bit in 0..<count * 8 {
            #expect(!key.publicKey.verify(signature, of: message.flipping(bit: bit)), CryptoVectors.again(signature))
        }
    }

    /// The raw form has 64 bytes, always.
    @Test func everyOtherLengthIsRefused() async throws {
        var vectors = CryptoVectors(51)
        let (key, message) = (try vectors.key(), vectors.bytes(40))
        let signature = key.sign(message)
        for count in 0..<64 {
            try await expectRefused(Array(signature.prefix(count)), by: key.publicKey, of: message)
            try await expectRefused(Array(signature.suffix(count)), by: key.publicKey, of: message)
        }
        for more in 1...65 {
            let zeros = [UInt8](repeating: 0, count: more)
            try await expectRefused(signature + zeros, by: key.publicKey, of: message)
            try await expectRefused(zeros + signature, by: key.publicKey, of: message)
        }
        // Both halves with a zero in front, as DER writes some numbers.
        let widened: [UInt8] = [0] + signature.prefix(32) + [0] + signature.suffix(32)
        try await expectRefused(widened, by: key.publicKey, of: message)
    }

    /// JSON Web Signatures use the raw form only, and a second form would be a second spelling of one token.
    @Test func theDERFormIsRefused() async throws {
        var vectors = CryptoVectors(52)
        for message in vectors.messages(50) {
            let key = try vectors.key()
            let der = try await CryptoPeer.bytes("p256.sign.der", ["private": key.rawValue, "message": message])
            #expect(der.first == 0x30, CryptoVectors.again(der))
            try await expectRefused(der, by: key.publicKey, of: message)
            try await expectRefused(Array((der + [UInt8](repeating: 0, count: 64)).prefix(64)), by: key.publicKey, of: message)
        }
    }

    /// r and s are from 1 to the order less 1. A verifier that skips this check accepts r = s = 0 for every message (CVE-2022-21449).
    @Test func numbersOutOfRangeAreRefused() async throws {
        var vectors = CryptoVectors(53)
        let (key, message) = (try vectors.key(), vectors.bytes(40))
        let signature = key.sign(message)
        let (r, s) = (Array(signature.prefix(32)), Array(signature.suffix(32)))
        let edges = [
            HandmadeKey.small(0), HandmadeKey.small(1), HandmadeKey.small(2), HandmadeKey.nearOrder(-1), HandmadeKey.order,
            HandmadeKey.nearOrder(1), HandmadeKey.prime, HandmadeKey.largest,
        ]
        for edge in edges {
            try await expectRefused(edge + s, by: key.publicKey, of: message)
            try await expectRefused(r + edge, by: key.publicKey, of: message)
            for other in edges { try await expectRefused(edge + other, by: key.publicKey, of: message) }
        }
        try await expectRefused(s + r, by: key.publicKey, of: message)
    }

    /// The number N - s in place of s verifies too. This is how ECDSA is defined (SEC 1 section 4.1.4), and RFC 7518 keeps to it. So a
    /// signature identifies no message: whoever needs that must not compare signatures.
    @Test func theTwinOfASignatureVerifies() async throws {
        var vectors = CryptoVectors(54)
        for message in vectors.messages(50) {
            let key = try vectors.key()
            let signature = key.sign(message)
            let twin = try await CryptoPeer.bytes("p256.twin.integers", ["signature": signature])
            #expect(twin != signature, CryptoVectors.again(signature))
            let arguments = ["point": key.publicKey.point, "message": message, "signature": twin]
            let isAccepted = try await CryptoPeer.accepts("p256.verify", arguments)
            #expect(isAccepted, CryptoVectors.again(twin))
            #expect(key.publicKey.verify(twin, of: message), CryptoVectors.again(twin))
        }
    }

    /// A key is made for a signature with small numbers, so that the order can be added to them without a 33rd byte. A verifier that
    /// calculates modulo the order before it checks the range accepts the sums.
    @Test(arguments: [5, 6, 8, 9] as [UInt8]) func theOrderAddedToANumberIsRefused(_ r: UInt8) async throws {
        var vectors = CryptoVectors(55)
        let message = vectors.bytes(40)
        for s: UInt8 in [1, 2, 7] {
            let (small, large) = (HandmadeKey.small(r), HandmadeKey.nearOrder(Int(r)))
            let point = try await CryptoPeer.bytes(
                "p256.craft.integers", ["x": small, "s": HandmadeKey.small(s), "message": message])
            let key = try P256PublicKey(point: point)
            #expect(key.verify(small + HandmadeKey.small(s), of: message), CryptoVectors.again(point))
            try await expectRefused(large + HandmadeKey.small(s), by: key, of: message)
            try await expectRefused(small + HandmadeKey.nearOrder(Int(s)), by: key, of: message)
            try await expectRefused(large + HandmadeKey.nearOrder(Int(s)), by: key, of: message)
        }
    }

    /// The x coordinate of these points is the order plus 3, 4, 6 and 9. r is x modulo the order, so r is in range and x is not.
    @Test(arguments: [3, 4, 6, 9] as [UInt8]) func aCoordinateAboveTheOrderIsReduced(_ r: UInt8) async throws {
        var vectors = CryptoVectors(56)
        let message = vectors.bytes(40)
        let (x, s) = (HandmadeKey.nearOrder(Int(r)), try vectors.key().rawValue)
        let point = try await CryptoPeer.bytes("p256.craft.integers", ["x": x, "s": s, "message": message])
        let key = try P256PublicKey(point: point)
        #expect(key.verify(HandmadeKey.small(r) + s, of: message), CryptoVectors.again(point))
        try await expectRefused(x + s, by: key, of: message)
    }

    @Test func signaturesWithOtherDigestsAreRefused() async throws {
        var vectors = CryptoVectors(57)
        let (key, message) = (try vectors.key(), vectors.bytes(40))
        for digest in ["sha1", "sha384", "sha512"] {
            let arguments = ["private": key.rawValue, "message": message, "hash": Array(digest.utf8)]
            let signature = try await CryptoPeer.bytes("p256.sign", arguments)
            try await expectRefused(signature, by: key.publicKey, of: message)
        }
    }

    @Test func signaturesOfOtherKeysAreRefused() async throws {
        var vectors = CryptoVectors(58)
        let (key, message) = (try vectors.key(), vectors.bytes(40))
        for _ in 0..<50 {
            let other = try vectors.key()
            try await expectRefused(other.sign(message), by: key.publicKey, of: message)
            try await expectRefused(vectors.bytes(64), by: key.publicKey, of: message)
        }
    }
}
