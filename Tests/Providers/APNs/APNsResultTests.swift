import Testing
import TidingsCore
import TidingsHTTP

@testable import ProviderAPNs

/// Every row of Apple's table of errors.
struct APNsResultTests {
    private static let rejected = Outcome.rejected(.providerRejected)
    private static let misconfigured = Outcome.misconfigured(.misconfigured)
    private static let throttled = Outcome.retry(after: nil, .providerThrottled)
    private static let unavailable = Outcome.retry(after: nil, .providerUnavailable)
    private static let disconnected = Outcome.retry(after: nil, .connectionFailed)

    static let table: [(Int, String, Outcome)] = [
        (400, "BadCollapseId", rejected), (400, "BadDeviceToken", .rejected(.tokenMalformed)), (400, "BadExpirationDate", rejected),
        (400, "BadMessageId", rejected), (400, "BadPriority", rejected), (400, "BadTopic", misconfigured),
        (400, "DeviceTokenNotForTopic", .rejected(.tokenMalformed)), (400, "DuplicateHeaders", rejected),
        (400, "IdleTimeout", disconnected),
        (400, "InvalidPushType", rejected), (400, "MissingDeviceToken", rejected), (400, "MissingTopic", misconfigured),
        (400, "PayloadEmpty", rejected), (400, "TopicDisallowed", misconfigured), (403, "BadCertificate", misconfigured),
        (403, "BadCertificateEnvironment", misconfigured), (403, "BadEnvironmentKeyIdInToken", misconfigured),
        (403, "BadEnvironmentKeyInToken", misconfigured), (403, "ExpiredProviderToken", misconfigured), (403, "Forbidden", misconfigured),
        (403, "InvalidProviderToken", misconfigured), (403, "MissingProviderToken", misconfigured),
        (403, "UnrelatedKeyIdInToken", disconnected), (404, "BadPath", misconfigured), (405, "MethodNotAllowed", misconfigured),
        (410, "ExpiredToken", .endpointGone), (410, "Unregistered", .endpointGone), (413, "PayloadTooLarge", .rejected(.payloadTooLarge)),
        (429, "TooManyProviderTokenUpdates", throttled), (429, "TooManyRequests", throttled), (500, "InternalServerError", unavailable),
        (503, "ServiceUnavailable", unavailable), (503, "Shutdown", unavailable),
    ]

    @Test(arguments: table)
    func everyReasonHasItsMeaning(_ status: Int, _ reason: String, _ outcome: Outcome) {
        let result = apnsResult(of: APNsFixture.refusal(status, reason), now: APNsFixture.now)
        #expect(result.outcome == outcome && result.status == status)
        #expect(result.detail?.hasPrefix(reason) == true && result.goneSince == nil)
        #expect(result.evidence == (status == 429 ? .reachable : status < 500 ? .healthy : .failing), "of \(reason) about APNs")
    }

    /// A text that nobody reads does not hide that the token is gone.
    @Test func aTextThatIsNotReadDoesNotMatter() {
        let body = #"{"reason":"Unregistered","timestamp":1767225500000,"echo":"\ud83d","echo":NaN}"#
        let response = HTTPResponse(status: 410, headers: [], body: Array(body.utf8), bodyTruncated: false)
        let result = apnsResult(of: .response(response), now: APNsFixture.now)
        #expect(result.outcome == .endpointGone && result.goneSince != nil, "\(result)")
    }

    @Test func theTableIsWhole() {
        #expect(Set(Self.table.map(\.1)) == Set(APNsReason.allCases.map(\.rawValue)))
    }

    /// Reasons that are newer than this table, and answers of a proxy or another server in front of APNs.
    @Test(
        arguments: [
            (400, #"{"reason":"NewReason"}"#, rejected), (400, "<html>", rejected), (403, #"{"reason":"NewReason"}"#, misconfigured),
            (401, "", misconfigured), (403, "", misconfigured), (404, "<html>", misconfigured), (405, "", misconfigured),
            (410, #"{"reason":"NewReason"}"#, .endpointGone), (410, "<html>", rejected), (410, #"{"reason":""}"#, rejected),
            (413, "", .rejected(.payloadTooLarge)), (421, "", rejected), (429, "", throttled), (408, "", .retry(after: nil, .httpStatus)),
            (500, "", unavailable), (502, "<html>", unavailable), (503, #"{"reason":7}"#, unavailable),
            (505, #"{"reason":"HTTP/2 is needed"}"#, unavailable), (302, "", .misconfigured(.redirectRefused)),
            (200, "<html>", .unknown(.outcomeUnknown)), (204, "", .unknown(.outcomeUnknown)),
        ] as [(Int, String, Outcome)])
    func theStatusCountsIfTheReasonIsNotKnown(_ status: Int, _ body: String, _ outcome: Outcome) {
        let result = apnsResult(of: APNsFixture.response(status, body), now: APNsFixture.now)
        #expect(result.outcome == outcome && result.status == status && result.goneSince == nil)
    }

    @Test func successIsNamedByItsID() {
        let named = apnsResult(of: APNsFixture.response(200, headers: [("apns-id", "id-1")]), now: APNsFixture.now)
        #expect(named.outcome == .accepted(providerMessageID: "id-1", delivered: false))
        #expect(named.status == 200 && named.detail == nil)
        let unnamed = apnsResult(of: APNsFixture.response(200), now: APNsFixture.now)
        #expect(unnamed.outcome == .accepted(providerMessageID: nil, delivered: false) && unnamed.detail == nil)
    }

    /// The time is in milliseconds, and never later than now. A device that has registered since then must stay.
    @Test(
        arguments: [
            ("1767225599123", Timestamp(microseconds: 1_767_225_599_123_000)), ("1767225600000", APNsFixture.now),
            ("1767225600001", APNsFixture.now), ("9223372036854775", APNsFixture.now), ("9223372036854776", nil),
            ("9223372036854775807", nil), ("0", nil),
            ("-1", nil),
            (#""1767225599123""#, nil), ("null", nil), ("1.5", nil),
        ] as [(String, Timestamp?)])
    func aGoneDeviceTellsSinceWhen(_ written: String, _ expected: Timestamp?) {
        for reason in ["Unregistered", "ExpiredToken", "NewReason"] {
            let answer = APNsFixture.response(410, "{\"reason\":\"\(reason)\",\"timestamp\":\(written)}")
            let result = apnsResult(of: answer, now: APNsFixture.now)
            #expect(result.outcome == .endpointGone && result.goneSince == expected)
        }
    }

    @Test func onlyAGoneDeviceTellsSinceWhen() {
        let answer = APNsFixture.response(400, #"{"reason":"BadDeviceToken","timestamp":1767225599123}"#)
        #expect(apnsResult(of: answer, now: APNsFixture.now).goneSince == nil)
    }

    /// Apple does not document the header, but a proxy in between may send it.
    @Test(arguments: [(429, "TooManyRequests"), (500, "InternalServerError"), (503, "Shutdown"), (502, "")])
    func retryAfterIsHonoured(_ status: Int, _ reason: String) {
        for (header, expected) in [("7", Duration.seconds(7)), ("Thu, 01 Jan 2026 00:02:00 GMT", .seconds(120))] {
            let answer = APNsFixture.response(status, "{\"reason\":\"\(reason)\"}", headers: [("retry-after", header)])
            guard case .retry(let after, _) = apnsResult(of: answer, now: APNsFixture.now).outcome else {
                Issue.record("\(status) is not retried")
                continue
            }
            #expect(after == expected)
        }
    }

    @Test(arguments: [
        (HTTPFailure.Kind.connect, false, disconnected), (.timeoutAfterSend, true, Outcome.unknown(.timeout)),
        (.resetAfterSend, true, .unknown(.outcomeUnknown)), (.timeoutBeforeSend, false, .retry(after: nil, .timeout)),
        (.tls, false, .retry(after: nil, .tlsFailed)), (.cancelled, false, disconnected), (.cancelled, true, .unknown(.outcomeUnknown)),
        (.invalidHeader, false, misconfigured),
    ])
    func onlyAFailureAfterWhichThePushMayHaveArrivedIsUnknown(_ kind: HTTPFailure.Kind, _ arrived: Bool, _ expected: Outcome) {
        let result = apnsResult(of: APNsFixture.failure(kind, arrived: arrived), now: APNsFixture.now)
        #expect(result.outcome == expected)
        #expect(result.detail == "broke off" && result.status == nil)
    }

    @Test func detailsAreApplesWordsAndWhatTheyMean() {
        func detail(_ status: Int, _ body: String) -> String? {
            apnsResult(of: APNsFixture.response(status, body), now: APNsFixture.now).detail
        }
        #expect(detail(429, #"{"reason":"TooManyRequests"}"#) == "TooManyRequests")
        #expect(detail(400, #"{"reason":"NewReason"}"#) == "NewReason")
        #expect(detail(403, #"{"reason":"ExpiredProviderToken"}"#)?.contains("set the clock of this machine") == true)
        #expect(detail(400, #"{"reason":"BadDeviceToken"}"#)?.contains("production or sandbox") == true)
        #expect(detail(502, "<html>") == "<html>")
        #expect(detail(500, "") == nil)
        #expect(detail(200, "<html>") == "the answer is not APNs': <html>")
    }
}
