import Testing
import TidingsCore
import TidingsEncodings
import TidingsJSON
import TidingsJWT

/// Tokens that other implementations made: the examples of the standards, and tokens by the Python library `cryptography`.
@Suite struct JWTVectorTests {
    /// The examples of RFC 7515 have no `kid` and expired in 2011.
    private let example = JWTVerifier(issuer: "joe", audience: nil)
    private let beforeItExpired = Timestamp(seconds: 1_300_819_379)

    @Test(arguments: [
        // Appendix A.3
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        // Appendix A.2
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
    ])
    func theExamplesOfRFC7515AreAccepted(_ token: String) throws {
        let keys = try JSONWebKeySet(Array(SampleKeys.set.utf8))
        let claims = try example.verify(token, keys: keys, now: beforeItExpired)
        #expect(claims.issuer == "joe")
        #expect(claims.subject == nil)
        #expect(claims.audience == [])
        #expect(claims.expiresAt == Timestamp(seconds: 1_300_819_380))
        #expect(claims.notBefore == nil)
        #expect(claims.issuedAt == nil)
        #expect(JSON.object(claims.otherClaims) == ["http://example.com/is_root": true])
        #expect(throws: JWTError.expired) { try example.verify(token, keys: keys, now: TokenIssuer.now) }
    }

    /// The example of RFC 8037 appendix A.4 signs plain text: the signature is right, the payload is not.
    @Test func theExampleOfRFC8037HasTheRightSignature() throws {
        let token =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let keys = try JSONWebKeySet(Array(SampleKeys.set.utf8))
        #expect(throws: JWTError.notJSON(.payload, .notJSON)) { try example.verify(token, keys: keys, now: beforeItExpired) }
        let changed = token.replacing("RXhh", with: "RXhi")
        #expect(throws: JWTError.wrongSignature) { try example.verify(changed, keys: keys, now: beforeItExpired) }
    }

    @Test(arguments: [
        (
            "ec",
            "eyJhbGciOiAiRVMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWMifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiBbInRpZGluZ3MiLCAib3RoZXIiXSwgInN1YiI6ICJwLTciLCAiZXhwIjogMTgwMDAwMDAwMC41LCAibmJmIjogMTc5OTk5MDAwMCwgImlhdCI6IDE3OTk5OTAwMDAsICJ0ZW5hbnQiOiAiYWNtZSIsICLDvG7DryI6ICLml6XmnKwifQ.gY8SuG37_QCnLlPaOV2IsLk8cGu_sHEdZqgsKHxVpdojhrPG-gyCS9fPcfEVZPMB_qgS_V0KvfrOaxAm06CSYA"
        ),
        (
            "rsa",
            "eyJhbGciOiAiUlMyNTYiLCAidHlwIjogIkpXVCIsICJraWQiOiAicnNhIn0.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiBbInRpZGluZ3MiLCAib3RoZXIiXSwgInN1YiI6ICJwLTciLCAiZXhwIjogMTgwMDAwMDAwMC41LCAibmJmIjogMTc5OTk5MDAwMCwgImlhdCI6IDE3OTk5OTAwMDAsICJ0ZW5hbnQiOiAiYWNtZSIsICLDvG7DryI6ICLml6XmnKwifQ.h6A-CDFy1wbZIoHpfL26Ztebc3kTC0W6MDJcRf71sUsZnkwG0CFseF4PUAYmZimpDEhXKgVQ-qr6i2SPhziD7X0GZ6Ez9aHN4PDy3tWzGaOp8f-_rV1XKR15d2QL9fn1gPhKM51nzqIvIPXjxLK5bX6FrVWKCILWNYcjkndk7bJejqYVpXgQV6SopDVi2frVgJVRlaAEK6LHr2EZX7Y8Zyu1qtD1mLqRQHU_EpCLwVJ6I6OIMTa8_3cGK0SDx_4mhHYjlm3qm6Eh2za08NsbuwIU8BWq2kKAaHrSy8zDokZ2rgviDqtmx_HZIlJFJJVg2rn_bKpTTlsZOenX88UmZg"
        ),
        (
            "ed",
            "eyJhbGciOiAiRWREU0EiLCAidHlwIjogIkpXVCIsICJraWQiOiAiZWQifQ.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBsZSIsICJhdWQiOiBbInRpZGluZ3MiLCAib3RoZXIiXSwgInN1YiI6ICJwLTciLCAiZXhwIjogMTgwMDAwMDAwMC41LCAibmJmIjogMTc5OTk5MDAwMCwgImlhdCI6IDE3OTk5OTAwMDAsICJ0ZW5hbnQiOiAiYWNtZSIsICLDvG7DryI6ICLml6XmnKwifQ.pxpyuDvxSO-rvI0fcM9804d1tGSerUN71WsOW_xl3KaqlPG9cMevYm4UHb_FOz6XfsS_tT8RIwZjOGDheY_oCw"
        ),
    ])
    func tokensOfPythonAreAccepted(_ id: String, _ token: String) throws {
        let issuer = try TokenIssuer()
        let claims = try issuer.verifier.verify(token, keys: issuer.keys, now: TokenIssuer.now)
        #expect(claims.keyID == id)
        #expect(claims.subject == "p-7")
        #expect(claims.issuer == "https://issuer.example")
        #expect(claims.audience == ["tidings", "other"])
        #expect(claims.expiresAt == Timestamp(microseconds: 1_800_000_000_500_000))
        #expect(claims.notBefore == Timestamp(seconds: 1_799_990_000))
        #expect(claims.issuedAt == Timestamp(seconds: 1_799_990_000))
        #expect(JSON.object(claims.otherClaims) == ["tenant": "acme", "ünï": "日本"])
    }
}
