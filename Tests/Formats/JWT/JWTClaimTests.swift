import Testing
import TidingsCore
import TidingsJSON
import TidingsJWT

/// Claims and the conditions on them. All tokens here have a right signature.
@Suite struct JWTClaimTests {
    private let issuer: TokenIssuer

    init() throws { issuer = try TokenIssuer() }

    private func refusal(_ changes: KeyValuePairs<String, String?>, now: Timestamp = TokenIssuer.now) -> JWTError? {
        issuer.refusal(of: issuer.token(payload: TokenIssuer.payload(changes)), now: now)
    }

    // MARK: Texts

    /// A login service that cuts the name of a person in the middle of a character must not lock the person out.
    @Test(arguments: [
        #""Anna \ud83d""#, #"["\udc32"]"#, #"{"\ud800":"\ud83d"}"#, #""A\u0000""#, #"{"\u0000":1}"#, "NaN", "\"a\nb\"", #""\x""#,
        String(repeating: "9", count: 65), "0." + String(repeating: "3", count: 2_000),
    ])
    func aValueThatCannotBeKeptDoesNoHarmInAClaimThatNobodyReads(_ value: String) throws {
        #expect(refusal(["name": value]) == nil)
        let token = issuer.token(payload: TokenIssuer.payload(["name": #""Anna \ud83d""#, "tenant": #""t\ud83d""#]))
        let claims = try issuer.verifier.verify(token, keys: issuer.keys, now: TokenIssuer.now)
        #expect(claims.subject == "p-7")
        // A text, and neither null nor absent: a tenant that cannot be read is not the default tenant.
        #expect(claims.otherClaims["name"] == "Anna \u{FFFD}" && claims.otherClaims["tenant"] == "t\u{FFFD}")
    }

    /// Two people whose ids are cut at the same place are not one person.
    @Test func aTextThatCannotBeKeptIsRefusedInAClaimThatIsRead() {
        #expect(refusal(["sub": #""p\u0000""#]) == .unusableClaim(.subject))
        #expect(refusal(["iss": #""https://issuer.example\u0000""#]) == .unusableClaim(.issuer))
        #expect(refusal(["aud": #""tidings\u0000""#]) == .unusableClaim(.audience))
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","note":"\u0000"}"#)) == nil)
        #expect(refusal(["sub": #""p\ud83d""#]) == .unusableClaim(.subject))
        #expect(refusal(["iss": #""\ud83d""#]) == .unusableClaim(.issuer))
        #expect(refusal(["aud": #"["tidings","\ud83d"]"#]) == .unusableClaim(.audience))
        #expect(refusal(["exp": #""\ud83d""#]) == .unusableClaim(.expiresAt))
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec\ud83d"}"#)) == .unusableKeyID)
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","note":"\ud83d"}"#)) == nil)
    }

    // MARK: Dates

    @Test func theEndIsExactToTheMicrosecond() {
        let end = Timestamp(seconds: 1_800_000_060)
        #expect(refusal([:], now: end.adding(.microseconds(-1))) == nil)
        #expect(refusal([:], now: end) == .expired)
        #expect(refusal([:], now: .distantFuture) == .expired)
        var strict = issuer
        strict.verifier.leeway = .zero
        let token = strict.token(payload: TokenIssuer.payload(["exp": "1800000000.25"]))
        #expect(strict.refusal(of: token, now: Timestamp(microseconds: 1_800_000_000_249_999)) == nil)
        #expect(strict.refusal(of: token, now: Timestamp(microseconds: 1_800_000_000_250_000)) == .expired)
    }

    @Test func theBeginningIsExactToTheMicrosecond() {
        let beginning = Timestamp(seconds: 1_799_989_940)
        #expect(refusal([:], now: beginning) == nil)
        #expect(refusal(["iat": nil], now: beginning.adding(.microseconds(-1))) == .notYetValid)
        #expect(refusal(["nbf": nil], now: beginning.adding(.microseconds(-1))) == .issuedInTheFuture)
        #expect(refusal(["nbf": nil, "iat": nil], now: .distantPast) == nil)
    }

    @Test func datesFarAheadAreRefused() {
        #expect(refusal(["iat": "4000000000"]) == .issuedInTheFuture)
        #expect(refusal(["nbf": "4000000000"]) == .notYetValid)
        #expect(refusal(["exp": "4000000000"]) == nil)
        #expect(refusal(["exp": "0"]) == .expired)
        #expect(refusal(["exp": "-0"]) == .expired)
    }

    /// A stolen token is of use for as long as it lives. Without `iat`, its life counts from now.
    @Test func aLongLifeIsRefused() {
        var strict = issuer
        strict.verifier.longestLifetime = .seconds(10_000)
        let lives: [(KeyValuePairs<String, String?>, JWTError?)] = [
            ([:], nil), (["exp": "1800000001"], .livesTooLong), (["iat": "1799989999"], .livesTooLong),
            (["iat": nil, "exp": "1800005060"], nil), (["iat": nil, "exp": "1800005061"], .livesTooLong),
            (["exp": "4000000000", "aud": #""other""#], .livesTooLong),
        ]
        for (changes, refusal) in lives {
            #expect(strict.refusal(of: strict.token(payload: TokenIssuer.payload(changes))) == refusal, "\(changes)")
        }
    }

    /// A token must end.
    @Test func anEndIsRequired() {
        #expect(refusal(["exp": nil]) == .noExpiry)
        #expect(refusal(["exp": nil, "Exp": "1800000000"]) == .noExpiry)
    }

    /// Issuers write null for a value that they do not have. An end is required all the same.
    @Test func nullIsAbsentForOptionalDates() throws {
        #expect(refusal(["nbf": "null", "iat": "null"]) == nil)
        #expect(refusal(["exp": "null"]) == .unusableClaim(.expiresAt))
        let token = issuer.token(payload: TokenIssuer.payload(["nbf": "null", "iat": "null"]))
        let claims = try issuer.verifier.verify(token, keys: issuer.keys, now: TokenIssuer.now)
        #expect(claims.notBefore == nil && claims.issuedAt == nil)
    }

    @Test(arguments: [
        #""1800000000""#, "true", "[]", "[1800000000]", "{}", "-1", "-0.5", "-1e300", "253402300800", "1800000000000", "1e300",
        "1e400", "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999999999999999999999",
        "253402300799.5", #""NaN""#, #""2030-01-01T00:00:00Z""#,
    ])
    func unusableDatesAreRefused(_ text: String) {
        #expect(refusal(["exp": text]) == .unusableClaim(.expiresAt))
        #expect(refusal(["nbf": text]) == .unusableClaim(.notBefore))
        #expect(refusal(["iat": text]) == .unusableClaim(.issuedAt))
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity"])
    func aDateThatIsNoNumberIsRefused(_ text: String) {
        #expect(refusal(["exp": text]) == .unusableClaim(.expiresAt))
    }

    @Test(arguments: ["+1800000000", "01800000000", "0x6B49D200", "1800000000.", ".5", "1_800_000_000"])
    func numbersThatAreNotJSONAreRefused(_ text: String) {
        #expect(refusal(["exp": text]) == .notJSON(.payload, .notJSON))
    }

    @Test func aNumberMayHaveOtherSpellings() throws {
        for text in ["1800000000", "1800000000.0", "1.8e9", "18E+8", "180000000000e-2"] {
            let token = issuer.token(payload: TokenIssuer.payload(["exp": text]))
            let claims = try issuer.verifier.verify(token, keys: issuer.keys, now: TokenIssuer.now)
            #expect(claims.expiresAt == Timestamp(seconds: 1_800_000_000))
        }
        #expect(refusal(["exp": "1800000000." + String(repeating: "0", count: 100)]) == .unusableClaim(.expiresAt))
        #expect(refusal(["exp": "253402300799"]) == nil)
    }

    // MARK: Issuer and audience

    @Test(arguments: [
        nil, #""""#, #""https://issuer.example/""#, #""https://issuer.example ""#, #""HTTPS://issuer.example""#, #""https://issuer""#,
        #""https://issuer.example.attacker.example""#,
    ])
    func otherIssuersAreRefused(_ name: String?) {
        #expect(refusal(["iss": name]) == .wrongIssuer)
    }

    @Test(arguments: ["1", "null", "[]", #"["https://issuer.example"]"#, "{}", "true"]) func unusableTextsAreRefused(_ text: String) {
        #expect(refusal(["iss": text]) == .unusableClaim(.issuer))
        #expect(refusal(["sub": text]) == .unusableClaim(.subject))
    }

    @Test(arguments: [
        nil, #""""#, #""Tidings""#, #""tidings ""#, #""tidings,other""#, "[]", #"["other"]"#, #"["tidings2","tiding"]"#,
    ])
    func otherAudiencesAreRefused(_ audience: String?) {
        #expect(refusal(["aud": audience]) == .wrongAudience)
    }

    @Test(arguments: ["1", "null", "{}", "true", "[1]", #"["tidings",1]"#, #"["tidings",null]"#, #"[["tidings"]]"#, #"{"tidings":true}"#])
    func unusableAudiencesAreRefused(_ audience: String) {
        #expect(refusal(["aud": audience]) == .unusableClaim(.audience))
    }

    @Test func anAudienceMayBeAList() {
        #expect(refusal(["aud": #"["tidings"]"#]) == nil)
        #expect(refusal(["aud": #"["other","tidings"]"#]) == nil)
    }

    /// Swift's own comparison calls both spellings of é equal. They are two issuers.
    @Test func textsCompareByCodePoint() {
        var accented = issuer
        accented.verifier.issuer = "caf\u{E9}"
        accented.verifier.audience = "th\u{E9}"
        func refusal(_ issuer: String, _ audience: String) -> JWTError? {
            accented.refusal(of: accented.token(payload: TokenIssuer.payload(["iss": "\"\(issuer)\"", "aud": "\"\(audience)\""])))
        }
        #expect(refusal("caf\u{E9}", "th\u{E9}") == nil)
        #expect(refusal("cafe\u{301}", "th\u{E9}") == .wrongIssuer)
        #expect(refusal("caf\u{E9}", "the\u{301}") == .wrongAudience)
    }

    @Test func issuerAndAudienceAreFreeIfNoConditionNamesThem() throws {
        var open = issuer
        open.verifier.issuer = nil
        open.verifier.audience = nil
        #expect(open.refusal(of: open.token(payload: TokenIssuer.payload(["iss": nil, "aud": nil]))) == nil)
        #expect(open.refusal(of: open.token(payload: TokenIssuer.payload(["iss": #""a""#, "aud": #"["b"]"#]))) == nil)
        // The types are checked all the same.
        #expect(open.refusal(of: open.token(payload: TokenIssuer.payload(["iss": "1"]))) == .unusableClaim(.issuer))
    }

    // MARK: Other claims

    @Test func theCallerDecidesAboutTheSubject() throws {
        for (text, subject) in [(nil, nil), (#""""#, ""), (#""p 7""#, "p 7")] as [(String?, String?)] {
            let token = issuer.token(payload: TokenIssuer.payload(["sub": text]))
            #expect(try issuer.verifier.verify(token, keys: issuer.keys, now: TokenIssuer.now).subject == subject)
        }
    }

    @Test func otherMembersStayAsTheyAre() throws {
        let payload = TokenIssuer.payload(["tenant": #""acme""#, "roles": #"["a",{"b":1.50}]"#, "ISS": "1", "jti": "null"])
        let claims = try issuer.verifier.verify(issuer.token(payload: payload), keys: issuer.keys, now: TokenIssuer.now)
        #expect(JSON.object(claims.otherClaims).serialized == #"{"tenant":"acme","roles":["a",{"b":1.50}],"ISS":1,"jti":null}"#)
    }
}
