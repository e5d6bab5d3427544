import Testing
import TidingsCrypto

/// Private keys that are out of range, damaged, contradictory or of another kind.
@Suite(.needsCryptoPeer) struct P256HostileNumberTests {
    private static let outOfRange = [
        HandmadeKey.small(0), HandmadeKey.order, HandmadeKey.nearOrder(1), HandmadeKey.nearOrder(2), HandmadeKey.largest,
    ]

    /// Fails if the text is read as a key, and also if libcrypto knows only the public half.
    private func expectRefused(_ pem: String, _ comment: Comment) {
        #expect(throws: P256KeyError.self, comment) { try P256PrivateKey(pem: pem) }
        #expect(throws: P256KeyError.self, comment) { try P256PublicKey(pem: pem) }
    }

    // MARK: Numbers

    @Test(arguments: outOfRange) func numbersOutOfRangeAreRefused(_ number: [UInt8]) async throws {
        #expect(throws: P256KeyError.outOfRange) { try P256PrivateKey(rawValue: number) }
        let point = try await CryptoPeer.ask("p256.point", ["private": number])
        #expect(point == nil)
        for (label, der) in [("PRIVATE KEY", HandmadeKey.pkcs8(number)), ("EC PRIVATE KEY", HandmadeKey.sec1(number))] {
            let pem = HandmadeKey.pem(label, der)
            #expect(throws: P256KeyError.inconsistent) { try P256PrivateKey(pem: pem) }
            #expect(throws: P256KeyError.inconsistent) { try P256PublicKey(pem: pem) }
        }
    }

    @Test func everyOtherLengthIsRefused() throws {
        var vectors = CryptoVectors(40)
        let number = try vectors.key().rawValue
        for count in 0..<32 {
            let error = P256KeyError.wrongLength(count, of: 32)
            #expect(throws: error, CryptoVectors.again()) { try P256PrivateKey(rawValue: Array(number.prefix(count))) }
        }
        for more in 1...34 {
            let zeros = [UInt8](repeating: 0, count: more)
            let error = P256KeyError.wrongLength(32 + more, of: 32)
            #expect(throws: error, CryptoVectors.again()) { try P256PrivateKey(rawValue: number + zeros) }
            #expect(throws: error, CryptoVectors.again()) { try P256PrivateKey(rawValue: zeros + number) }
        }
    }

    /// libcrypto reads a number of another length in PEM, if its value is in range. No key may come of it but the one with that value.
    @Test func lengthsInPEMDoNotChangeTheNumber() throws {
        var vectors = CryptoVectors(41)
        var number = try vectors.key().rawValue
        // One key in 256 begins with a zero. With one more byte at its end, its number may still be in range.
        while number[0] == 0 { number = try vectors.key().rawValue }
        for zeros in 1...4 {
            let pem = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8([UInt8](repeating: 0, count: zeros) + number))
            if let read = try? P256PrivateKey(pem: pem) { #expect(read.rawValue == number, CryptoVectors.again()) }
        }
        for count in 1..<32 {
            let short = Array(number.prefix(count))
            let pem = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(short))
            guard let read = try? P256PrivateKey(pem: pem) else { continue }
            #expect(read.rawValue == [UInt8](repeating: 0, count: 32 - count) + short, CryptoVectors.again())
        }
        let wrong: [[UInt8]] = [[], [1] + number, number + [1], number + number]
        for other in wrong {
            expectRefused(HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(other)), CryptoVectors.again(other))
        }
    }

    // MARK: Halves

    @Test func halvesMustBelongTogether() throws {
        var vectors = CryptoVectors(42)
        let (key, other) = (try vectors.key(), try vectors.key())
        let number = key.rawValue
        let right = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(number, point: key.publicKey.point))
        #expect(try P256PrivateKey(pem: right).rawValue == number, CryptoVectors.again())
        // The point of another key, the base point, the point at infinity, and a point beside the curve.
        let wrong: [[UInt8]] = [other.publicKey.point, HandmadeKey.generator, [0], key.publicKey.point.flipping(bit: 300)]
        for point in wrong {
            expectRefused(HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(number, point: point)), CryptoVectors.again(point))
        }
    }

    // MARK: PEM

    /// Every changed bit is refused, or changes nothing in the key.
    @Test func changedPEMGivesNoOtherKey() async throws {
        var vectors = CryptoVectors(43)
        let number = try vectors.key().rawValue
        for (form, label) in [("pkcs8", "PRIVATE KEY"), ("traditional", "EC PRIVATE KEY")] {
            let der = HandmadeKey.der(ofPEM: try await CryptoPeer.text("p256.pem", ["private": number, "form": Array(form.utf8)]))
            try #require(der.count > 100)
            var accepted = 0
            for bit in 0..<der.count * 8 {
                guard let read = try? P256PrivateKey(pem: HandmadeKey.pem(label, der.flipping(bit: bit))) else { continue }
                accepted += 1
                #expect(read.rawValue == number, CryptoVectors.again())
            }
            #expect(accepted < 60, CryptoVectors.again())
            for count in 0..<der.count {
                expectRefused(HandmadeKey.pem(label, Array(der.prefix(count))), CryptoVectors.again())
            }
        }
    }

    @Test func everyTruncatedTextIsRefused() async throws {
        var vectors = CryptoVectors(44)
        let number = try vectors.key().rawValue
        for form in ["pkcs8", "traditional"] {
            let pem = try await CryptoPeer.text("p256.pem", ["private": number, "form": Array(form.utf8)])
            // The newline at the end may be missing.
            #expect(try P256PrivateKey(pem: String(pem.dropLast())).rawValue == number, CryptoVectors.again())
            for count in 0..<pem.count - 1 { expectRefused(String(pem.prefix(count)), CryptoVectors.again()) }
        }
    }

    /// RFC 7468 lets a parser ignore text around the key. The first key of a text counts.
    @Test func bytesBehindAKeyDoNotChangeIt() throws {
        var vectors = CryptoVectors(45)
        let (key, other) = (try vectors.key(), try vectors.key())
        let pem = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(key.rawValue))
        let otherPEM = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(other.rawValue))
        for text in [pem + otherPEM, pem + "hunter2\n", "hunter2\n" + pem, pem.replacing("\n", with: "\r\n")] {
            #expect(try P256PrivateKey(pem: text).rawValue == key.rawValue, CryptoVectors.again())
        }
        for count in 1...40 {
            let long = HandmadeKey.pem("PRIVATE KEY", HandmadeKey.pkcs8(key.rawValue) + vectors.bytes(count))
            if let read = try? P256PrivateKey(pem: long) { #expect(read.rawValue == key.rawValue, CryptoVectors.again()) }
        }
    }

    @Test func garbageIsRefused() throws {
        var vectors = CryptoVectors(46)
        let der = HandmadeKey.pkcs8(try vectors.key().rawValue)
        for _ in 0..<200 {
            expectRefused(HandmadeKey.pem("PRIVATE KEY", vectors.bytes(vectors.below(200))), CryptoVectors.again())
            expectRefused(HandmadeKey.pem("PUBLIC KEY", vectors.bytes(vectors.below(200))), CryptoVectors.again())
            expectRefused(String(decoding: vectors.bytes(vectors.below(200)), as: UTF8.self), CryptoVectors.again())
        }
        let pem = HandmadeKey.pem("PRIVATE KEY", der)
        let texts = [
            "", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", HandmadeKey.pem("CERTIFICATE", der),
            HandmadeKey.pem("PUBLIC KEY", der), pem.replacing("END PRIVATE", with: "END PUBLIC"), pem.replacing("-----", with: "----"),
        ]
        for text in texts {
            expectRefused(text, CryptoVectors.again())
        }
    }

    @Test(arguments: ["pkcs8-encrypted", "traditional-encrypted"])
    func encryptedKeysAreRefused(_ form: String) async throws {
        var vectors = CryptoVectors(47)
        let pem = try await CryptoPeer.text("p256.pem", ["private": try vectors.key().rawValue, "form": Array(form.utf8)])
        #expect(pem.contains("ENCRYPTED"))
        #expect(throws: P256KeyError.notAPrivateKey, CryptoVectors.again()) { try P256PrivateKey(pem: pem) }
        #expect(throws: P256KeyError.notAKey, CryptoVectors.again()) { try P256PublicKey(pem: pem) }
    }

    @Test(arguments: ["secp224r1", "secp384r1", "secp521r1", "secp256k1", "brainpoolP256r1", "ed25519", "x25519", "dsa"])
    func privateKeysOfOtherKindsAreRefused(_ kind: String) async throws {
        let pem = try await CryptoPeer.text("foreign.private.pem", ["kind": Array(kind.utf8)])
        #expect(throws: P256KeyError.notP256) { try P256PrivateKey(pem: pem) }
        #expect(throws: P256KeyError.notP256) { try P256PublicKey(pem: pem) }
    }

    @Test func rsaKeysAreRefused() async throws {
        let pem = try await CryptoPeer.text("rsa.generate", ["bits": .number(2_048), "exponent": .number(65_537)])
        let publicPEM = try await CryptoPeer.text("rsa.public.pem", ["pem": Array(pem.utf8)])
        #expect(throws: P256KeyError.notP256) { try P256PrivateKey(pem: pem) }
        #expect(throws: P256KeyError.notP256) { try P256PublicKey(pem: pem) }
        #expect(throws: P256KeyError.notP256) { try P256PublicKey(pem: publicPEM) }
        #expect(throws: P256KeyError.notAPrivateKey) { try P256PrivateKey(pem: publicPEM) }
    }
}
