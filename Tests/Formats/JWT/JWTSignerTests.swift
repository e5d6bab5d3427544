import Testing
import TidingsCrypto
import TidingsJSON
import TidingsJWT

/// The signer for development and the verifier understand each other.
@Suite struct JWTSignerTests {
    private let verifier = JWTVerifier(issuer: "tidings-dev", audience: "tidings")
    private let claims: JSON = [
        "iss": "tidings-dev", "aud": "tidings", "sub": "p-7", "tenant": "acme", "exp": 1_800_000_000, "iat": 1_799_990_000,
    ]

    @Test func aSignedTokenIsAccepted() throws {
        let signer = JWTSigner()
        let keys = try JSONWebKeySet(Array(signer.publicKeySet.utf8))
        #expect(keys.keys.map(\.id) == [signer.keyID])
        let token = signer.sign(try #require(claims.objectValue))
        let read = try verifier.verify(token, keys: keys, now: TokenIssuer.now)
        #expect(read.subject == "p-7")
        #expect(read.keyID == signer.keyID)
        #expect(JSON.object(read.otherClaims) == ["tenant": "acme"])
        let other = try JSONWebKeySet(Array(JWTSigner().publicKeySet.utf8))
        #expect(throws: JWTError.unknownKey) { try verifier.verify(token, keys: other, now: TokenIssuer.now) }
    }

    /// The key of a file stays the same key after a restart.
    @Test func aKeyIsReadAgain() throws {
        let signer = JWTSigner()
        let again = try JWTSigner(pem: signer.pem)
        #expect(again.publicKeySet == signer.publicKeySet)
        let keys = try JSONWebKeySet(Array(signer.publicKeySet.utf8))
        let token = again.sign(try #require(claims.objectValue))
        #expect(try verifier.verify(token, keys: keys, now: TokenIssuer.now).subject == "p-7")
        #expect(JWTSigner().keyID != signer.keyID)
    }

    /// The id is the thumbprint of RFC 7638, here as Python's `hashlib` computes it.
    @Test func theIDIsTheThumbprint() throws {
        let signer = try JWTSigner(pem: SampleKeys.ecPrivatePEM)
        #expect(signer.keyID == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
        let expected: JSON = [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "x": .string(SampleKeys.ecX), "y": .string(SampleKeys.ecY), "kid": .string(signer.keyID),
                    "use": "sig", "alg": "ES256",
                ]
            ]
        ]
        #expect(try JSON.parse(signer.publicKeySet) == expected)
    }

    @Test func thePublicSetHoldsNoSecret() throws {
        let signer = JWTSigner()
        let members = try #require(try JSON.parse(signer.publicKeySet)["keys"]?.arrayValue?.first?.objectValue)
        #expect(Set(members.keys) == ["kty", "crv", "x", "y", "kid", "use", "alg"])
    }

    @Test func otherTextsAreNoKey() {
        #expect(throws: P256KeyError.notAPrivateKey) { try JWTSigner(pem: "") }
        #expect(throws: P256KeyError.notAPrivateKey) { try JWTSigner(pem: SampleKeys.ecPublicPEM) }
        #expect(throws: P256KeyError.notP256) { try JWTSigner(pem: SampleKeys.rsaPrivatePEM) }
    }
}
