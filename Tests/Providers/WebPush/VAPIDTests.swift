import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings

@testable import ProviderWebPush
@testable import TidingsCapture

/// The signature that names the sender, and how often it is made.
struct VAPIDTests {
    /// The example of RFC 8292, section 2.4.
    private static let sampleKey = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    private static let sampleSigned = """
        eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.\
        eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1w\
        bGUuY29tIn0
        """
    private static let sampleSignature = "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
    /// One second before the sample expires.
    private static let sampleTime = Timestamp(seconds: 1_453_523_767)

    private func senderKey(_ authorization: String?, at now: Timestamp, origin: String = "https://push.example.net") throws -> [UInt8] {
        var headers = ["ttl": "0"]
        headers["authorization"] = authorization
        let request = StandInRequest(method: "POST", path: "/push/x", headers: headers, body: [], now: now)
        return try WebPushRequestCheck(request, origin: origin, boundKey: nil).senderKey
    }

    @Test func thePublishedSampleVerifies() throws {
        let authorization = "vapid t=\(Self.sampleSigned).\(Self.sampleSignature), k=\(Self.sampleKey)"
        #expect(try Base64URL.encode(senderKey(authorization, at: Self.sampleTime)) == Self.sampleKey)
    }

    @Test func aChangedTextOrSignatureDoesNotVerify() throws {
        let key = try P256PublicKey(point: try #require(Base64URL.decode(Self.sampleKey)))
        let (signed, signature) = (Array(Self.sampleSigned.utf8), try #require(Base64URL.decode(Self.sampleSignature)))
        #expect(key.verify(signature, of: signed))
        for index in signed.indices {
            var changed = signed
            changed[index] ^= 1
            #expect(!key.verify(signature, of: changed))
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verify(changed, of: signed))
        }
    }

    /// The header and the claims equal those of the sample, byte for byte.
    @Test func headerAndClaimsAreThoseOfTheSample() throws {
        let identity = VAPIDIdentity(key: try P256PrivateKey(pem: P256Keys.pkcs8), subject: "mailto:push@example.com")
        let token = identity.token(for: "https://push.example.net", at: Timestamp(seconds: 1_453_523_768 - VAPIDIdentity.tokenLife))
        #expect(token.hasPrefix("\(Self.sampleSigned)."))
        let signature = try #require(Base64URL.decode(String(token.dropFirst(Self.sampleSigned.utf8.count + 1))))
        #expect(identity.key.publicKey.verify(signature, of: Array(Self.sampleSigned.utf8)))
    }

    @Test func thePushServiceTakesTheHeader() throws {
        let authorization = try WebPushFixture.identity().authorization(for: "https://push.example.net", at: WebPushFixture.now)
        #expect(authorization.hasPrefix("vapid t=eyJ0") && authorization.hasSuffix(", k=\(P256Keys.point)"))
        let key = try senderKey(authorization, at: WebPushFixture.now)
        #expect(Base64URL.encode(key) == P256Keys.point)
        // The token is valid for 12 hours, and for this origin only.
        _ = try senderKey(authorization, at: WebPushFixture.now.adding(.seconds(43_199)))
        #expect(throws: WebPushFault.unauthorized("Expired VAPID token")) {
            try senderKey(authorization, at: WebPushFixture.now.adding(.seconds(43_200)))
        }
        #expect(throws: WebPushFault.unauthorized("The VAPID token expiration is too long")) {
            try senderKey(authorization, at: WebPushFixture.now.adding(.seconds(43_200 - 86_401)))
        }
        #expect(throws: WebPushFault.self) { try senderKey(authorization, at: WebPushFixture.now, origin: "https://push.example.net:8443") }
    }

    @Test(
        arguments: [
            (nil, 401), ("", 403), ("Bearer x", 403), ("vapid", 403), ("vapid t=a.b.c", 403), ("vapid k=\(sampleKey)", 403),
            ("WebPush \(sampleSigned).\(sampleSignature)", 403), ("vapid t=\(sampleSigned), k=\(sampleKey)", 403),
            ("vapid t=\(sampleSigned).AAAA, k=\(sampleKey)", 403), ("vapid t=\(sampleSigned).\(sampleSignature), k=AAAA", 403),
            ("vapid t=\(sampleSigned).\(sampleSignature), k=\(P256Keys.point)", 403),
        ] as [(String?, Int)])
    func otherHeadersAreRefused(_ authorization: String?, _ status: Int) {
        let fault = #expect(throws: WebPushFault.self) { try senderKey(authorization, at: Self.sampleTime) }
        #expect(fault?.status == status && fault?.errno == 109)
    }

    /// Tokens that the right key signs, with claims or a header that no push service accepts.
    @Test(arguments: [
        (#"{"alg":"none"}"#, #"{"aud":"https://a.test","exp":1767225700,"sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"exp":1767225700,"sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test/","exp":1767225700,"sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test","sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test","exp":1767225700}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test","exp":1767225700,"sub":"ops@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test","exp":-9223372036854775808,"sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, #"{"aud":"https://a.test","exp":9223372036854775807,"sub":"mailto:a@b.test"}"#),
        (#"{"alg":"ES256"}"#, "[]"),
    ])
    func otherClaimsAreRefused(_ header: String, _ claims: String) throws {
        let key = try P256PrivateKey(pem: P256Keys.pkcs8)
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let token = "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
        let fault = #expect(throws: WebPushFault.self) {
            try senderKey("vapid t=\(token), k=\(P256Keys.point)", at: WebPushFixture.now, origin: "https://a.test")
        }
        #expect(fault?.status == 403)
    }

    // MARK: The cache

    @Test func oneSignatureServesManyMessagesOfAnOrigin() throws {
        let tokens = VAPIDTokens(try WebPushFixture.identity())
        let first = tokens.authorization(for: "https://a.test", now: WebPushFixture.now)
        #expect(tokens.authorization(for: "https://a.test", now: WebPushFixture.now.adding(.seconds(21_599))) == first)
        #expect(tokens.authorization(for: "https://b.test", now: WebPushFixture.now) != first)
        // A token is replaced at half of its life, and after the clock was set back.
        #expect(tokens.authorization(for: "https://a.test", now: WebPushFixture.now.adding(.seconds(21_600))) != first)
        let again = tokens.authorization(for: "https://b.test", now: WebPushFixture.now)
        #expect(tokens.authorization(for: "https://b.test", now: WebPushFixture.now.adding(.seconds(-1))) != again)
        #expect(tokens.count == 2)
    }

    @Test func theOriginWithTheOldestTokenIsForgottenFirst() throws {
        let tokens = VAPIDTokens(try WebPushFixture.identity())
        func authorization(_ number: Int, after seconds: Int64 = 0) -> String {
            tokens.authorization(for: "https://\(number).test", now: WebPushFixture.now.adding(.seconds(seconds)))
        }
        let signed = (0..<VAPIDTokens.rememberedOrigins).map { authorization($0) }
        // The first origin gets a new token, so the second origin now has the oldest one.
        let renewed = authorization(0, after: 21_600)
        #expect(renewed != signed[0])
        _ = authorization(5_000)
        #expect(tokens.count == VAPIDTokens.rememberedOrigins)
        #expect(authorization(0, after: 21_600) == renewed && authorization(2) == signed[2])
        #expect(authorization(1) != signed[1])
    }
}
