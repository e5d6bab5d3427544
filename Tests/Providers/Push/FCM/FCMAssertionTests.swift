import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings

@testable import ProviderFCM

/// The assertion that a service account signs, and the key for it.
struct FCMAssertionTests {
    private func account(_ json: String = FCMFixture.account()) throws -> ServiceAccount { try ServiceAccount(json: json) }

    @Test func headerAndClaimsAreGooglesOwn() throws {
        let account = try account()
        #expect(String(decoding: account.assertionHeader, as: UTF8.self) == #"{"alg":"RS256","typ":"JWT","kid":"key-1"}"#)
        #expect(
            String(decoding: account.assertionClaims(at: FCMFixture.now), as: UTF8.self) == """
                {"iss":"sender@shop-7.iam.gserviceaccount.com","scope":"https://www.googleapis.com/auth/firebase.messaging",\
                "aud":"https://oauth2.googleapis.com/token","iat":1767225600,"exp":1767229200}
                """)
    }

    @Test func theKeysNameIsOptional() throws {
        var account = try account()
        account.privateKeyID = nil
        #expect(String(decoding: account.assertionHeader, as: UTF8.self) == #"{"alg":"RS256","typ":"JWT"}"#)
    }

    /// The provider signs the same bytes as the openssl command.
    @Test func theAssertionIsAsOpenSSLSignsIt() throws {
        let account = try account()
        #expect(account.assertion(at: FCMFixture.now) == FCMFixture.assertion)
        #expect(
            String(decoding: account.exchangeBody(at: FCMFixture.now), as: UTF8.self)
                == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(FCMFixture.assertion)")
    }

    @Test func onlyTheOwnKeyVerifiesIt() throws {
        let account = try account()
        let parts = account.assertion(at: FCMFixture.now).split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(account.privateKey.publicKey.verify(signature, of: signed))
        #expect(!account.privateKey.publicKey.verify(signature, of: signed + [0]))
        #expect(!account.privateKey.publicKey.verify(Array(signature.dropLast()), of: signed))
        #expect(!(try RSAPrivateKey(pem: FCMKeys.other)).publicKey.verify(signature, of: signed))
    }

    /// The signature comes from `printf abc | openssl dgst -sha256 -sign key.pem`.
    @Test func signaturesAreThoseOfPKCS1() throws {
        let signature = """
            71b2a960bff905012768305d873adaf2fd15ca5cbc3e0838b28af98d8f7823cb185ff4481c3910e896f1db93a4476090b7ab\
            41d795a123036b9a0315df8d249a3f2e8abf1af75bc4fd0a6f0bfca4583277877a9687b9db35267ef5515e586a725c21bc7e\
            bdf864640653e2e486b8ab48bc11e36622158d1cdcadb77a8bd9c5d0549edd1ac8113d80a53c27347bf020547afc0ddae4a5\
            d9ead89a2ca012a2cc58e54698d1ddf9a1ce86c43fe81b03e8b1fafbfbbf248819ef93e0a8583aaa6e9df25ce12f917d0abd\
            5901423cf3c8533bec91c8b61bd09e789c88e6627a36ce9ddc24a0a837f6b30f163d6fee540df20816af94970a3973fb163e\
            ffe7007f49d7
            """
        #expect(Hexadecimal.encode(try RSAPrivateKey(pem: FCMKeys.main).sign(Array("abc".utf8))) == signature)
    }

    @Test(arguments: [
        ("", RSAKeyError.notAPrivateKey), ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .notAPrivateKey),
        (FCMKeys.encrypted, .notAPrivateKey), (FCMKeys.elliptic, .notRSA), (FCMKeys.short, .tooShort(1024)),
    ])
    func aKeyThatCannotSignIsRefused(_ pem: String, _ expected: RSAKeyError) {
        let error = #expect(throws: RSAKeyError.self) { try RSAPrivateKey(pem: pem) }
        #expect(error == expected)
    }

    /// One bit of the modulus is changed.
    @Test func aKeyWhoseNumbersDoNotBelongTogetherIsRefused() throws {
        let lines = FCMKeys.main.split(separator: "\n")
        var bytes = try #require(Base64.decode(lines[1..<lines.count - 1].joined()))
        bytes[100] ^= 1
        var text = Base64.encode(bytes)[...]
        var damaged = [String(lines[0])]
        while !text.isEmpty {
            damaged.append(String(text.prefix(64)))
            text = text.dropFirst(64)
        }
        damaged.append(String(lines[lines.count - 1]))
        #expect(throws: RSAKeyError.inconsistent) { try RSAPrivateKey(pem: damaged.joined(separator: "\n")) }
    }

    @Test(
        arguments: [
            ([], ""), ([0], "AA"), ([0xFB, 0xFF], "-_8"), ([0xFB, 0xEF, 0xBE], "----"), ([0xFF, 0xFF, 0xFF, 0xFE], "_____g"),
        ] as [([UInt8], String)])
    func base64URLHasItsOwnAlphabetAndNoPadding(_ bytes: [UInt8], _ text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(arguments: ["A", "AA==", "AB", "+/8", "A A", "AAAAA", "\u{e9}AA"])
    func otherSpellingsOfBase64URLAreRefused(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
