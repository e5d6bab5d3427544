import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings

@testable import ProviderAPNs

/// The tokens that the team's key signs, and the time for which they are used.
struct ProviderTokenTests {
    private func tokens() throws -> ProviderTokens { ProviderTokens(try APNsFixture.identity()) }

    private func after(_ minutes: Int) -> Timestamp { APNsFixture.now.adding(.seconds(minutes * 60)) }

    private func parts(_ token: String) -> [String] { token.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }

    private func text(_ part: String) -> String? { Base64URL.decode(part).map { String(decoding: $0, as: UTF8.self) } }

    @Test func headerAndClaimsAreApplesAndNothingElse() throws {
        let token = try APNsFixture.identity().token(at: APNsFixture.now.adding(.milliseconds(999)))
        try #require(parts(token).count == 3)
        #expect(text(parts(token)[0]) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(text(parts(token)[1]) == #"{"iss":"TEAM123456","iat":1767225600}"#)
    }

    @Test func onlyTheTeamsKeyVerifiesIt() throws {
        let token = try APNsFixture.identity().token(at: APNsFixture.now)
        let signature = try #require(Base64URL.decode(parts(token)[2]))
        let signed = Array(parts(token).prefix(2).joined(separator: ".").utf8)
        let key = try P256PublicKey(point: try #require(Hexadecimal.decode(APNsKeys.point)))
        #expect(signature.count == 64)
        #expect(key.verify(signature, of: signed))
        #expect(!key.verify(signature, of: signed + [0]))
        #expect(!(try P256PrivateKey(pem: APNsKeys.other)).publicKey.verify(signature, of: signed))
    }

    @Test(arguments: [
        ("ABC123DEFG", true), ("0123456789", true), ("ABC123DEF", false), ("ABC123DEFGH", false), ("abc123defg", false),
        ("ABC123DEF-", false),
        ("", false), ("ÄBC123DEF", false),
    ])
    func idsAreTenCapitalsAndDigits(_ id: String, _ isOne: Bool) {
        #expect(SigningIdentity.isID(id) == isOne)
    }

    // MARK: Reuse

    /// Each signature is different, so equal texts are the same token.
    @Test func oneTokenIsUsedUntilItIsThreeQuartersOfAnHourOld() throws {
        let tokens = try tokens()
        let first = tokens.current(at: APNsFixture.now)
        #expect(tokens.current(at: APNsFixture.now) == first)
        #expect(tokens.current(at: after(45).adding(.microseconds(-1))) == first)
        let second = tokens.current(at: after(45))
        #expect(second != first)
        #expect(text(parts(second)[1]) == #"{"iss":"TEAM123456","iat":1767228300}"#)
        #expect(tokens.current(at: after(46)) == second)
    }

    @Test func manyAtOnceShareOneToken() async throws {
        let tokens = try tokens()
        let all = await withTaskGroup(of: String.self, returning: Set<String>.self) { group in
            for _ in 0..<100 { group.addTask { tokens.current(at: APNsFixture.now) } }
            return await group.reduce(into: []) { $0.insert($1) }
        }
        #expect(all.count == 1)
    }

    /// A clock that is set back by at most 20 minutes keeps the token. After a larger correction the token is replaced, because it was
    /// signed in the future.
    @Test(arguments: [(-1, true), (-20, true), (-21, false), (-600, false)])
    func aTokenOfAClockThatWasAheadIsReplaced(_ minutes: Int, _ isKept: Bool) throws {
        let tokens = try tokens()
        let first = tokens.current(at: APNsFixture.now)
        #expect((tokens.current(at: after(minutes)) == first) == isKept)
    }

    // MARK: Replacement

    @Test func anExpiredTokenIsReplacedOnlyWhenItIsOlderThanTwentyMinutes() throws {
        let tokens = try tokens()
        let first = tokens.current(at: APNsFixture.now)
        #expect(tokens.replacement(of: first, at: APNsFixture.now) == nil)
        #expect(tokens.replacement(of: first, at: after(20)) == nil)
        #expect(tokens.current(at: after(20)) == first)
        let second = try #require(tokens.replacement(of: first, at: after(20).adding(.microseconds(1))))
        #expect(second != first)
        #expect(tokens.current(at: after(21)) == second)
        #expect(tokens.replacement(of: second, at: after(40)) == nil)
    }

    @Test func aLaterCallerWithTheSameRefusalGetsTheTokenThatIsThere() throws {
        let tokens = try tokens()
        let first = tokens.current(at: APNsFixture.now)
        let second = tokens.replacement(of: first, at: after(30))
        #expect(second != nil && second != first)
        #expect(tokens.replacement(of: first, at: after(30)) == second)
        #expect(tokens.current(at: after(30)) == second)
    }
}
