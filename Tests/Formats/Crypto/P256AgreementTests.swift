import Testing
import TidingsCrypto

/// Keys, signatures and secrets of P-256 are the same for another implementation.
@Suite(.needsCryptoPeer) struct P256AgreementTests {
    @Test func signaturesVerifyBothWays() async throws {
        var vectors = CryptoVectors(20)
        var key = try vectors.key()
        for (number, message) in vectors.messages().enumerated() {
            if number.isMultiple(of: 10) { key = try vectors.key() }
            let point = key.publicKey.point
            let own = key.sign(message)
            let isOwnAccepted = try await CryptoPeer.accepts("p256.verify", ["point": point, "message": message, "signature": own])
            #expect(isOwnAccepted, CryptoVectors.again(own))
            let theirs = try await CryptoPeer.bytes("p256.sign", ["private": key.rawValue, "message": message])
            #expect(key.publicKey.verify(theirs, of: message), CryptoVectors.again(theirs))
            let other = try await CryptoPeer.accepts("p256.verify", ["point": point, "message": message + [0], "signature": own])
            #expect(!other && !key.publicKey.verify(theirs, of: message + [0]), CryptoVectors.again(own, theirs))
        }
    }

    /// cryptography brings an OpenSSL too. Plain integers have no code in common with either.
    @Test func signaturesAndSecretsAgreeWithPlainIntegers() async throws {
        var vectors = CryptoVectors(21)
        for message in vectors.messages(20) {
            let (key, other) = (try vectors.key(), try vectors.key())
            let own = key.sign(message)
            let arguments = ["point": key.publicKey.point, "message": message, "signature": own]
            let isAccepted = try await CryptoPeer.accepts("p256.verify.integers", arguments)
            #expect(isAccepted, CryptoVectors.again(own))
            let secret = try await CryptoPeer.bytes("p256.ecdh.integers", ["private": key.rawValue, "point": other.publicKey.point])
            #expect(key.sharedSecret(with: other.publicKey) == secret, CryptoVectors.again())
        }
    }

    @Test func secretsAgree() async throws {
        var vectors = CryptoVectors(22)
        for _ in 0..<200 {
            let own = try vectors.key()
            let theirs = try await CryptoPeer.bytes("p256.generate")
            let theirPoint = try await CryptoPeer.bytes("p256.point", ["private": theirs])
            let secret = try await CryptoPeer.bytes("p256.ecdh", ["private": theirs, "point": own.publicKey.point])
            let theirPublicKey = try P256PublicKey(point: theirPoint)
            #expect(own.sharedSecret(with: theirPublicKey) == secret, CryptoVectors.again(theirs))
            let theirKey = try P256PrivateKey(rawValue: theirs)
            #expect(theirKey.sharedSecret(with: own.publicKey) == secret, CryptoVectors.again(theirs))
        }
    }

    @Test func keysAreReadBothWays() async throws {
        var vectors = CryptoVectors(23)
        // The first numbers are at the ends of the range, or begin with zeros.
        var numbers = [HandmadeKey.small(1), HandmadeKey.small(2), HandmadeKey.nearOrder(-1), HandmadeKey.nearOrder(-2)]
        for zeros in 1...8 { numbers.append([UInt8](repeating: 0, count: zeros) + vectors.bytes(32 - zeros)) }
        for _ in 0..<40 { numbers.append(try vectors.key().rawValue) }
        for number in numbers {
            let key = try P256PrivateKey(rawValue: number)
            #expect(key.rawValue == number, CryptoVectors.again(number))
            let point = try await CryptoPeer.bytes("p256.point", ["private": number])
            #expect(key.publicKey.point == point, CryptoVectors.again(number))
            let read = try await CryptoPeer.ask("p256.read", ["pem": Array(key.pem.utf8)])
            #expect(read == number, CryptoVectors.again(number))
            for form in ["pkcs8", "traditional"] {
                let pem = try await CryptoPeer.text("p256.pem", ["private": number, "form": Array(form.utf8)])
                #expect(try P256PrivateKey(pem: pem).rawValue == number, CryptoVectors.again(number))
                #expect(try P256PublicKey(pem: pem).point == point, CryptoVectors.again(number))
            }
            let publicPEM = try await CryptoPeer.text("p256.public.pem", ["private": number])
            #expect(try P256PublicKey(pem: publicPEM).point == point, CryptoVectors.again(number))
        }
    }

    @Test func newKeysAreKeysForTheOtherSide() async throws {
        for _ in 0..<50 {
            let key = P256PrivateKey()
            let point = try await CryptoPeer.ask("p256.point", ["private": key.rawValue])
            #expect(point == key.publicKey.point, CryptoVectors.again(key.rawValue))
        }
    }
}
