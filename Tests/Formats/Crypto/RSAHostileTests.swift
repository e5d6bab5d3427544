import Testing
import TidingsCrypto

/// RSA keys that must not sign, and signatures that nobody made with the private key.
@Suite(.needsCryptoPeer) struct RSAHostileTests {
    /// A key of the peer, as PEM and as read here.
    private struct Pair {
        let pem: [UInt8]
        let key: RSAPrivateKey

        init(exponent: Int = 65_537) async throws {
            pem = try await CryptoPeer.bytes("rsa.generate", ["bits": .number(2_048), "exponent": .number(exponent)])
            key = try RSAPrivateKey(pem: String(decoding: pem, as: UTF8.self))
        }

        /// Fails unless both sides refuse the signature.
        func expectRefused(_ signature: [UInt8], of message: [UInt8], _ reason: String = "") async throws {
            #expect(!key.publicKey.verify(signature, of: message), "\(reason) \(CryptoVectors.again(pem, signature))")
            let isAccepted = try await CryptoPeer.accepts("rsa.verify", ["pem": pem, "message": message, "signature": signature])
            #expect(!isAccepted, "\(reason) \(CryptoVectors.again(pem, signature))")
        }
    }

    // MARK: Keys

    @Test(arguments: [1_024, 1_536, 2_047]) func shortKeysAreRefused(_ bits: Int) async throws {
        let pem = try await CryptoPeer.text("rsa.generate", ["bits": .number(bits), "exponent": .number(65_537)])
        #expect(throws: RSAKeyError.tooShort(bits)) { try RSAPrivateKey(pem: pem) }
    }

    /// The peer makes no key this short, so it was made for this test by `openssl genrsa 512`. No service accepts it.
    @Test func aKeyOf512BitsIsRefused() {
        let pem = """
            -----BEGIN PRIVATE KEY-----
            MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAzkoufu3cZu6AJwut
            qn+bsY5r0fJHcP9K4PcJU5vCkf1KPYA+9u7LKbKTX1tx6OCUO1Ds4gTMr9aqGPMq
            mf5H2QIDAQABAkBHf+irr8/TkVizr9WKod4Z5Y4zX3EpliKi5JzD8Nm4dVzltOlc
            nbgwwnHQSLiVQVP8tRzpA5ziIa9M8uUl7IDxAiEA/01cu4fGZw6TtJzJmz/gVe4Z
            wGOpRKeaYa09qgolSU0CIQDO2oZc0SOUtVsXThwfvFSEsbWyM1C/P0iP+ohXhK7S
            vQIhAJn1q3CkBq/riIOo8aOgN8daWUk+ULvIXz98W+2JRMcZAiB2FHJs24oHIruc
            Ax+00gohMVy6G+b1NUfTwL1B0GEHtQIgDNTAvdKcTvaEYtxmgTZCQ+jFnfzrUDwc
            UNn5F/TSsJ4=
            -----END PRIVATE KEY-----
            """
        #expect(throws: RSAKeyError.tooShort(512)) { try RSAPrivateKey(pem: pem) }
    }

    /// The peer makes no such key, so it is put together from good primes. With the exponent 1 every power is the number itself: the key
    /// signs, and its signatures verify.
    @Test(arguments: [0, 1, 2, 4, 65_536]) func badPublicExponentsAreRefused(_ exponent: Int) async throws {
        let pair = try await Pair()
        for pem in try await Self.bothForms(of: pair.pem, exponent: exponent) {
            #expect(throws: RSAKeyError.badExponent, CryptoVectors.again(pair.pem)) { try RSAPrivateKey(pem: pem) }
        }
        // The same parts with the key's own exponent are a good key, so that nothing but the exponent is refused above.
        for pem in try await Self.bothForms(of: pair.pem, exponent: 65_537) {
            let key = try RSAPrivateKey(pem: pem)
            #expect(key.sign([1]) == pair.key.sign([1]), CryptoVectors.again(pair.pem))
        }
    }

    /// Returns the key with another public exponent, as PKCS #1 and as PKCS #8.
    private static func bothForms(of pem: [UInt8], exponent: Int) async throws -> [String] {
        let der = try await CryptoPeer.bytes("rsa.exponent.integers", ["pem": pem, "exponent": .number(exponent)])
        return [HandmadeKey.pem("RSA PRIVATE KEY", der), HandmadeKey.pem("PRIVATE KEY", HandmadeKey.rsaPKCS8(der))]
    }

    @Test(arguments: ["secp256k1", "secp384r1", "ed25519", "x25519", "dsa"])
    func keysOfOtherKindsAreRefused(_ kind: String) async throws {
        let pem = try await CryptoPeer.text("foreign.private.pem", ["kind": Array(kind.utf8)])
        #expect(throws: RSAKeyError.notRSA) { try RSAPrivateKey(pem: pem) }
        #expect(throws: RSAKeyError.notRSA) { try RSAPrivateKey(pem: P256PrivateKey().pem) }
    }

    @Test func publicAndEncryptedKeysAreRefused() async throws {
        let pair = try await Pair()
        let publicPEM = try await CryptoPeer.text("rsa.public.pem", ["pem": pair.pem])
        #expect(throws: RSAKeyError.notAPrivateKey) { try RSAPrivateKey(pem: publicPEM) }
        for form in ["pkcs8-encrypted", "traditional-encrypted"] {
            let pem = try await CryptoPeer.text("rsa.pem", ["pem": pair.pem, "form": Array(form.utf8)])
            #expect(pem.contains("ENCRYPTED"))
            #expect(throws: RSAKeyError.notAPrivateKey) { try RSAPrivateKey(pem: pem) }
        }
    }

    /// Every changed byte is refused, or the key still signs as before: libcrypto checks what it signs, and then calculates a second time
    /// without the numbers that only make it faster.
    @Test func changedKeysSignNothingElse() async throws {
        var vectors = CryptoVectors(70)
        let pair = try await Pair()
        let der = HandmadeKey.der(ofPEM: String(decoding: pair.pem, as: UTF8.self))
        try #require(der.count > 1_000)
        let message = vectors.bytes(40)
        let signature = pair.key.sign(message)
        var refused = 0
        for place in stride(from: 0, to: der.count, by: 2) {
            let changed = der.flipping(bit: place * 8 + vectors.below(8))
            if let key = try? RSAPrivateKey(pem: HandmadeKey.pem("PRIVATE KEY", changed)) {
                #expect(key.sign(message) == signature, CryptoVectors.again(pair.pem, changed))
            } else {
                refused += 1
            }
        }
        // The modulus and the exponent are a fifth of the bytes.
        #expect(refused > 100, CryptoVectors.again(pair.pem))
    }

    @Test func truncatedKeysAndGarbageAreRefused() async throws {
        var vectors = CryptoVectors(71)
        let pair = try await Pair()
        let der = HandmadeKey.der(ofPEM: String(decoding: pair.pem, as: UTF8.self))
        for count in stride(from: 0, to: der.count, by: 7) {
            let pem = HandmadeKey.pem("PRIVATE KEY", Array(der.prefix(count)))
            #expect(throws: RSAKeyError.self, CryptoVectors.again(pair.pem)) { try RSAPrivateKey(pem: pem) }
        }
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY"] {
            for _ in 0..<100 {
                let pem = HandmadeKey.pem(label, vectors.bytes(vectors.below(300)))
                #expect(throws: RSAKeyError.notAPrivateKey, CryptoVectors.again()) { try RSAPrivateKey(pem: pem) }
            }
        }
        for text in ["", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", HandmadeKey.pem("CERTIFICATE", der)] {
            #expect(throws: RSAKeyError.notAPrivateKey) { try RSAPrivateKey(pem: text) }
        }
    }

    // MARK: Signatures

    @Test func everyChangedByteIsRefused() async throws {
        var vectors = CryptoVectors(72)
        let (pair, message) = (try await Pair(), vectors.bytes(40))
        let signature = try await CryptoPeer.bytes("rsa.sign", ["pem": pair.pem, "message": message])
        for bit in 0..<signature.count * 8 where bit % 8 == bit / 8 % 8 {
            try await pair.expectRefused(signature.flipping(bit: bit), of: message)
        }
        for bit in 0..<message.count * 8 {
            #expect(!pair.key.publicKey.verify(signature, of: message.flipping(bit: bit)), CryptoVectors.again(pair.pem))
        }
    }

    /// A signature is as long as the modulus, so a zero in front is not the same signature.
    @Test func everyOtherLengthIsRefused() async throws {
        var vectors = CryptoVectors(73)
        let (pair, message) = (try await Pair(), vectors.bytes(40))
        let signature = pair.key.sign(message)
        for count in 0..<signature.count {
            #expect(!pair.key.publicKey.verify(Array(signature.prefix(count)), of: message), CryptoVectors.again(pair.pem))
            #expect(!pair.key.publicKey.verify(Array(signature.suffix(count)), of: message), CryptoVectors.again(pair.pem))
        }
        for more in [1, 2, 256] {
            let zeros = [UInt8](repeating: 0, count: more)
            try await pair.expectRefused(zeros + signature, of: message)
            try await pair.expectRefused(signature + zeros, of: message)
        }
        let edge = [UInt8](repeating: 0, count: 255)
        let wrong: [[UInt8]] = [edge + [0], edge + [1], [UInt8](repeating: 0xFF, count: 256)]
        for other in wrong { try await pair.expectRefused(other, of: message) }
    }

    /// The signature plus the modulus has the same power. It fits into 256 bytes for some messages only, and has 257 bytes else.
    @Test func theModulusAddedToASignatureIsRefused() async throws {
        var vectors = CryptoVectors(74)
        let pair = try await Pair()
        for message in vectors.messages(60) {
            let twin = try await CryptoPeer.bytes("rsa.twin.integers", ["pem": pair.pem, "signature": pair.key.sign(message)])
            try await pair.expectRefused(twin, of: message)
        }
    }

    /// Blocks that are almost right, each with its true power: only the check of the block can refuse them.
    @Test(arguments: [65_537, 3]) func otherBlocksAreRefused(_ exponent: Int) async throws {
        var vectors = CryptoVectors(75)
        let (pair, message) = (try await Pair(exponent: exponent), vectors.bytes(40))
        let right = Block(info: Block.sha256, digest: SHA256.hash(message))
        let signature = try await CryptoPeer.bytes("rsa.sign.block.integers", ["pem": pair.pem, "block": right.bytes])
        #expect(pair.key.publicKey.verify(signature, of: message), CryptoVectors.again(pair.pem))
        for (reason, block) in Block.wrong(for: message) {
            let forged = try await CryptoPeer.bytes("rsa.sign.block.integers", ["pem": pair.pem, "block": block.bytes])
            try await pair.expectRefused(forged, of: message, reason)
        }
    }

    /// Anybody can make this signature for a key with the exponent 3. A verifier that passes over the bytes behind the digest accepts it
    /// (CVE-2006-4339).
    @Test func theCubeRootForgeryIsRefused() async throws {
        var vectors = CryptoVectors(76)
        let pair = try await Pair(exponent: 3)
        for message in vectors.messages(20) {
            let forged = try await CryptoPeer.bytes("rsa.cube.root.integers", ["pem": pair.pem, "message": message])
            try await pair.expectRefused(forged, of: message)
        }
    }

    @Test func otherSchemesDigestsAndKeysAreRefused() async throws {
        var vectors = CryptoVectors(77)
        let (pair, other, message) = (try await Pair(), try await Pair(), vectors.bytes(40))
        for digest in ["sha1", "sha384", "sha512"] {
            let arguments = ["pem": pair.pem, "message": message, "hash": Array(digest.utf8)]
            let signature = try await CryptoPeer.bytes("rsa.sign", arguments)
            try await pair.expectRefused(signature, of: message, digest)
        }
        let pss = try await CryptoPeer.bytes("rsa.sign.pss", ["pem": pair.pem, "message": message])
        try await pair.expectRefused(pss, of: message, "PSS")
        try await pair.expectRefused(other.key.sign(message), of: message, "another key")
        for _ in 0..<50 { try await pair.expectRefused(vectors.bytes(256), of: message, "random bytes") }
    }
}

/// The block that a signature of 256 bytes encrypts (RFC 8017, section 9.2): 0, the type 1, padding of 0xFF, 0, and a DigestInfo.
private struct Block {
    static let sha256 = HandmadeKey.hexadecimal("3031300d060960864801650304020105000420")

    var start: [UInt8] = [0, 1]
    var padding: UInt8 = 0xFF
    var separator: [UInt8] = [0]
    var info: [UInt8]
    var digest: [UInt8]
    var rest: [UInt8] = []

    var bytes: [UInt8] {
        let tail = separator + info + digest + rest
        return start + [UInt8](repeating: padding, count: 256 - start.count - tail.count) + tail
    }

    static func wrong(for message: [UInt8]) -> [(String, Block)] {
        let digest = SHA256.hash(message)
        let withoutNull = HandmadeKey.hexadecimal("302f300b06096086480165030402010420")
        let longLength = HandmadeKey.hexadecimal("308131300d060960864801650304020105000420")
        let longSequence = HandmadeKey.hexadecimal("3033300d060960864801650304020105000420")
        let sha512 = HandmadeKey.hexadecimal("3051300d060960864801650304020305000440")
        // The shortest padding that PKCS #1 allows.
        let shortStart: [UInt8] = [0, 1] + [UInt8](repeating: 0xFF, count: 8)
        let zeros = [UInt8](repeating: 0, count: 256 - shortStart.count - 1 - sha256.count - digest.count)
        return [
            ("type 2", Block(start: [0, 2], info: sha256, digest: digest)),
            ("type 0", Block(start: [0, 0], padding: 0, info: sha256, digest: digest)),
            ("no leading zero", Block(start: [1, 1], info: sha256, digest: digest)),
            ("another byte in the padding", Block(start: [0, 1, 0xFE], info: sha256, digest: digest)),
            ("padding of 0", Block(padding: 0, info: sha256, digest: digest)),
            ("no separator", Block(separator: [], info: sha256, digest: digest)),
            ("no algorithm", Block(info: [], digest: digest)),
            ("no parameters", Block(info: withoutNull, digest: digest)),
            ("a length in two bytes", Block(info: longLength, digest: digest)),
            ("an element behind the digest", Block(info: longSequence, digest: digest, rest: [5, 0])),
            ("short padding, zeros in front", Block(start: shortStart, padding: 0, info: sha256, digest: digest)),
            ("short padding, zeros behind", Block(start: shortStart, info: sha256, digest: digest, rest: zeros)),
            ("the name of SHA-512", Block(info: sha512, digest: digest + digest)),
            ("the digest of another message", Block(info: sha256, digest: SHA256.hash(message + [0]))),
        ]
    }
}
