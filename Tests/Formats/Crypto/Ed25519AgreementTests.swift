import Testing
import TidingsCrypto

/// Ed25519 gives the bytes that another implementation gives.
@Suite(.needsCryptoPeer) struct Ed25519AgreementTests {
    @Test func signaturesAgree() async throws {
        var vectors = CryptoVectors(80)
        for message in vectors.messages(100) {
            let secret = vectors.bytes(Ed25519PrivateKey.byteCount)
            let key = try Ed25519PrivateKey(rawValue: secret)
            let point = try await CryptoPeer.bytes("ed25519.point", ["private": secret])
            #expect(key.publicKey.rawValue == point, CryptoVectors.again())
            // One key signs one message in one way, so equal bytes are the strongest check.
            let theirs = try await CryptoPeer.bytes("ed25519.sign", ["private": secret, "message": message])
            #expect(key.sign(message) == theirs, CryptoVectors.again())
            let publicKey = try Ed25519PublicKey(rawValue: point)
            #expect(publicKey.verify(theirs, of: message), CryptoVectors.again())
            #expect(!publicKey.verify(theirs, of: message + [0]), CryptoVectors.again())
        }
    }

    @Test func thePeerAcceptsOurSignatures() async throws {
        let (key, message) = (Ed25519PrivateKey(), [UInt8]("tidings".utf8))
        let arguments = ["point": key.publicKey.rawValue, "message": message, "signature": key.sign(message)]
        #expect(try await CryptoPeer.accepts("ed25519.verify", arguments))
    }

    @Test func bothReadTheSamePEM() async throws {
        var vectors = CryptoVectors(81)
        let secret = vectors.bytes(Ed25519PrivateKey.byteCount)
        let key = try Ed25519PrivateKey(pem: try await CryptoPeer.text("ed25519.pem", ["private": secret]))
        let point = try await CryptoPeer.bytes("ed25519.point", ["private": secret])
        #expect(key.publicKey.rawValue == point, CryptoVectors.again())
    }

    @Test(arguments: ["x25519", "secp384r1", "dsa"]) func keysOfOtherKindsAreRefused(_ kind: String) async throws {
        let pem = try await CryptoPeer.text("foreign.private.pem", ["kind": Array(kind.utf8)])
        #expect(throws: Ed25519KeyError.notEd25519) { try Ed25519PrivateKey(pem: pem) }
    }
}
