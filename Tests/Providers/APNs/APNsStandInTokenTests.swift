import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

@testable import ProviderAPNs
@testable import TidingsCapture

/// Checks that the stand-in applies Apple's rules to provider tokens.
struct APNsStandInTokenTests {
    private static let good = (header: #"{"alg":"ES256","kid":"ABC123DEFG"}"#, claims: #"{"iss":"TEAM123456","iat":1767225600}"#)

    private func after(_ seconds: Int) -> Timestamp { APNsFixture.now.adding(.seconds(seconds)) }

    /// Signs any header and any claims with the team's key.
    private func token(_ header: String = good.header, _ claims: String = good.claims) throws -> String {
        let signed = [header, claims].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
        return "\(signed).\(Base64URL.encode(try P256PrivateKey(pem: APNsKeys.main).sign(Array(signed.utf8))))"
    }

    private func reason(
        _ authorization: String?, _ standIn: APNsStandIn = APNsStandIn(), connection: Int = 1, at time: Timestamp = APNsFixture.now
    ) -> String? {
        var headers = ["apns-topic": APNsFixture.topic, "apns-push-type": "alert"]
        headers["authorization"] = authorization
        let request = StandInRequest(
            method: "POST", path: "/0a1b", headers: headers, body: Array(#"{"aps":{"alert":"a"}}"#.utf8), now: time, connection: connection)
        let answer = standIn.answer(request)
        guard answer.response.status != 200 else { return nil }
        let reason = (try? JSON.parse(answer.response.body ?? []))?["reason"]?.stringValue ?? ""
        return "\(answer.response.status) \(reason)"
    }

    private func keys(_ pem: String, id: String = "ABC123DEFG") throws -> [String: P256PublicKey] {
        [id: try P256PrivateKey(pem: pem).publicKey]
    }

    // MARK: Form

    @Test func aTokenThatTheProviderSignsIsTaken() throws {
        let standIn = APNsStandIn(keys: try keys(APNsKeys.main))
        #expect(reason("bearer \(try APNsFixture.identity().token(at: APNsFixture.now))", standIn) == nil)
        #expect(reason("Bearer \(try token())") == nil)
    }

    @Test(arguments: [nil, "", "bearer", "bearer ", "Basic abc"] as [String?])
    func aTokenIsNeeded(_ authorization: String?) {
        #expect(reason(authorization) == "403 MissingProviderToken")
    }

    @Test(arguments: [
        (#"{"alg":"HS256","kid":"ABC123DEFG"}"#, good.claims), (#"{"kid":"ABC123DEFG"}"#, good.claims), (#"{"alg":"ES256"}"#, good.claims),
        (#"{"alg":"ES256","kid":"abc"}"#, good.claims), ("[]", good.claims), ("nope", good.claims), (good.header, "{}"),
        (good.header, #"{"iss":"TEAM123456"}"#), (good.header, #"{"iat":1767225600}"#), (good.header, #"{"iss":"team","iat":1767225600}"#),
        (good.header, #"{"iss":"TEAM123456","iat":"1767225600"}"#), (good.header, #"{"iss":"TEAM123456","iat":1767225600.5}"#),
        (good.header, #"{"iss":"TEAM123456","iat":1767225600.0}"#), (good.header, #"{"iss":"TEAM123456","iat":1.7672256e9}"#),
        (good.header, #"{"iss":"TEAM123456","iat":1767225600000}"#), (good.header, #"{"iss":"TEAM123456","iat":-1}"#),
    ])
    func headerAndClaimsAreChecked(_ header: String, _ claims: String) throws {
        #expect(reason("bearer \(try token(header, claims))") == "403 InvalidProviderToken")
    }

    @Test func aTokenHasThreePartsAndARawSignature() throws {
        let token = try token()
        let parts = token.split(separator: ".").map(String.init)
        for broken in ["a", "a.b.c", "\(parts[0]).\(parts[1])", token + ".", token + "A", "\(parts[0]).\(parts[1]).MEYC"] {
            #expect(reason("bearer \(broken)") == "403 InvalidProviderToken")
        }
    }

    @Test func theSignatureIsCheckedWhereKeysAreKnown() throws {
        let token = "bearer \(try token())"
        #expect(reason(token, APNsStandIn(keys: try keys(APNsKeys.main))) == nil)
        #expect(reason(token, APNsStandIn(keys: try keys(APNsKeys.other))) == "403 InvalidProviderToken")
        #expect(reason(token, APNsStandIn(keys: try keys(APNsKeys.main, id: "XYZ123DEFG"))) == "403 InvalidProviderToken")
        #expect(reason(token, APNsStandIn()) == nil)
    }

    @Test(
        arguments: [
            (-301, "403 InvalidProviderToken"), (-300, nil), (0, nil), (3_600, nil), (3_601, "403 ExpiredProviderToken"),
        ] as [(Int, String?)])
    func aTokenIsGoodForAnHour(_ age: Int, _ expected: String?) throws {
        #expect(reason("bearer \(try token())", at: after(age)) == expected)
    }

    // MARK: Connections

    @Test func aConnectionIsBoundToATeamAndAKey() throws {
        let standIn = APNsStandIn()
        #expect(reason("bearer \(try token())", standIn) == nil)
        let otherKey = "bearer \(try token(#"{"alg":"ES256","kid":"XYZ123DEFG"}"#))"
        let otherTeam = "bearer \(try token(Self.good.header, #"{"iss":"TEAM999999","iat":1767225600}"#))"
        #expect(reason(otherKey, standIn) == "403 UnrelatedKeyIdInToken")
        #expect(reason(otherTeam, standIn) == "403 InvalidProviderToken")
        #expect(reason(otherKey, standIn, connection: 2) == nil && reason(otherTeam, standIn, connection: 3) == nil)
    }

    @Test func aTokenThatChangesTooSoonIsRefused() throws {
        let standIn = APNsStandIn()
        // Each signature is different, so these are three tokens with the same claims.
        let (first, second, third) = ("bearer \(try token())", "bearer \(try token())", "bearer \(try token())")
        #expect(reason(first, standIn) == nil && reason(first, standIn, at: after(1)) == nil)
        #expect(reason(second, standIn, at: after(1_199)) == "429 TooManyProviderTokenUpdates")
        #expect(reason(first, standIn, at: after(1_199)) == nil)
        #expect(reason(second, standIn, connection: 2, at: after(1_199)) == nil)
        #expect(reason(second, standIn, at: after(1_200)) == nil)
        #expect(reason(third, standIn, at: after(2_399)) == "429 TooManyProviderTokenUpdates")
        #expect(reason(third, standIn, at: after(2_400)) == nil)
    }

    @Test func theOldestConnectionIsForgottenFirst() throws {
        let standIn = APNsStandIn()
        let (first, second) = ("bearer \(try token())", "bearer \(try token())")
        for connection in 1...APNsConnections.limit + 1 { #expect(reason(first, standIn, connection: connection) == nil) }
        #expect(reason(second, standIn, connection: 2) == "429 TooManyProviderTokenUpdates")
        #expect(reason(second, standIn, connection: 1) == nil)
    }
}
