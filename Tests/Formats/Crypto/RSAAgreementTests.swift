import Testing
import TidingsCrypto

/// RSASSA-PKCS1-v1_5 with SHA-256 gives the bytes that another implementation gives.
@Suite(.needsCryptoPeer) struct RSAAgreementTests {
    /// 2056 bits are 257 bytes. The exponent 3 is rare, but allowed.
    @Test(arguments: [(2_048, 65_537), (2_048, 3), (2_056, 65_537), (3_072, 65_537)])
    func signaturesAgree(_ bits: Int, _ exponent: Int) async throws {
        var vectors = CryptoVectors(60)
        let pem = try await CryptoPeer.bytes("rsa.generate", ["bits": .number(bits), "exponent": .number(exponent)])
        let key = try RSAPrivateKey(pem: String(decoding: pem, as: UTF8.self))
        for (number, message) in vectors.messages(bits == 2_048 ? 200 : 50).enumerated() {
            let own = key.sign(message)
            #expect(own.count == bits / 8, CryptoVectors.again(pem))
            // One key signs one message in one way, so equal bytes are the strongest check.
            let theirs = try await CryptoPeer.bytes("rsa.sign", ["pem": pem, "message": message])
            #expect(own == theirs, CryptoVectors.again(pem))
            #expect(key.publicKey.verify(theirs, of: message), CryptoVectors.again(pem))
            #expect(!key.publicKey.verify(theirs, of: message + [0]), CryptoVectors.again(pem))
            // Plain integers have no code in common with OpenSSL, on which cryptography is built too.
            let operation = number.isMultiple(of: 4) ? "rsa.verify.integers" : "rsa.verify"
            let isAccepted = try await CryptoPeer.accepts(operation, ["pem": pem, "message": message, "signature": own])
            #expect(isAccepted, CryptoVectors.again(pem))
        }
    }

    /// `-----BEGIN RSA PRIVATE KEY-----` is the form of PKCS #1. It holds the same numbers.
    @Test func bothFormsOfAKeySignAlike() async throws {
        var vectors = CryptoVectors(61)
        let pem = try await CryptoPeer.bytes("rsa.generate", ["bits": .number(2_048), "exponent": .number(65_537)])
        let older = try await CryptoPeer.text("rsa.pem", ["pem": pem, "form": Array("traditional".utf8)])
        #expect(older.hasPrefix("-----BEGIN RSA PRIVATE KEY-----\n"))
        let key = try RSAPrivateKey(pem: String(decoding: pem, as: UTF8.self))
        let olderKey = try RSAPrivateKey(pem: older)
        for message in vectors.messages(40) {
            #expect(key.sign(message) == olderKey.sign(message), CryptoVectors.again(pem))
            #expect(key.publicKey.verify(olderKey.sign(message), of: message), CryptoVectors.again(pem))
        }
    }

    /// A JSON Web Key has the two numbers of a public key in place of PEM.
    @Test(arguments: [(2_048, 65_537), (2_048, 3), (2_056, 65_537), (4_096, 65_537)])
    func aKeyOfTwoNumbersVerifies(_ bits: Int, _ exponent: Int) async throws {
        var vectors = CryptoVectors(62)
        let pem = try await CryptoPeer.bytes("rsa.generate", ["bits": .number(bits), "exponent": .number(exponent)])
        let modulus = try await CryptoPeer.bytes("rsa.modulus", ["pem": pem])
        let key = try RSAPublicKey(modulus: modulus, exponent: .number(exponent))
        for message in vectors.messages(20) {
            let signature = try await CryptoPeer.bytes("rsa.sign", ["pem": pem, "message": message])
            #expect(key.verify(signature, of: message), CryptoVectors.again(pem))
            #expect(!key.verify(signature, of: message + [0]), CryptoVectors.again(pem))
            #expect(!key.verify(signature.flipping(bit: vectors.below(bits)), of: message), CryptoVectors.again(pem))
        }
    }
}
