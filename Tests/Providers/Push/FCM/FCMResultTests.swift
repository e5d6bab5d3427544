import Testing
import TidingsCore
import TidingsHTTP

@testable import ProviderFCM

/// Every row of FCM's table of errors.
struct FCMResultTests {
    /// An answer and what it means.
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var retryAfter: String?
        var outcome: Outcome

        init(_ status: Int, _ body: String, retryAfter: String? = nil, _ outcome: Outcome) {
            (self.status, self.body, self.retryAfter, self.outcome) = (status, body, retryAfter, outcome)
        }

        var testDescription: String { "\(status) \(body) \(retryAfter ?? "")" }
        var result: HTTPResult { FCMFixture.response(status, body, headers: retryAfter.map { [("retry-after", $0)] } ?? []) }
    }

    /// A body of FCM with FCM's own error code.
    private static func fcm(_ code: String, _ status: String, _ message: String = "words", isBadRequest: Bool = false) -> String {
        let badRequest =
            #",{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.token","description":"odd"}]}"#
        return """
            {"error":{"code":1,"message":"\(message)","status":"\(status)","details":[\
            {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}\(isBadRequest ? badRequest : "")]}}
            """
    }

    /// A body of Google without FCM's own error code.
    private static func google(_ status: String, details: String? = nil) -> String {
        "{\"error\":{\"code\":1,\"message\":\"words\",\"status\":\"\(status)\"\(details.map { ",\"details\":[\($0)]" } ?? "")}}"
    }

    private static let invalidToken = "The registration token is not a valid FCM registration token"
    private static let badRequest =
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.data","description":"odd"}]}"#
    private static let quota = #"{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]}"#
    private static let misconfigured = Outcome.misconfigured(.misconfigured)
    private static let unanswered = Outcome.unknown(after: .seconds(10), .outcomeUnknown)

    static let rows = [
        Row(400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", invalidToken), .endpointGone),
        Row(400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", invalidToken, isBadRequest: true), .rejected(.providerRejected)),
        Row(400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT"), .rejected(.providerRejected)),
        Row(400, google("INVALID_ARGUMENT", details: badRequest), .rejected(.providerRejected)),
        Row(400, google("INVALID_ARGUMENT"), .rejected(.providerRejected)),
        Row(400, google("FAILED_PRECONDITION"), .rejected(.providerRejected)),
        Row(401, fcm("THIRD_PARTY_AUTH_ERROR", "UNAUTHENTICATED"), misconfigured),
        Row(401, fcm("APNS_AUTH_ERROR", "UNAUTHENTICATED"), misconfigured),
        Row(401, google("UNAUTHENTICATED"), misconfigured),
        Row(401, "", misconfigured),
        Row(403, fcm("SENDER_ID_MISMATCH", "PERMISSION_DENIED"), .rejected(.tokenMalformed)),
        Row(403, google("PERMISSION_DENIED"), misconfigured),
        Row(403, "<html>", misconfigured),
        Row(404, fcm("UNREGISTERED", "NOT_FOUND"), .endpointGone),
        Row(404, fcm("UNREGISTERED", "UNREGISTERED"), .endpointGone),
        Row(404, google("UNREGISTERED"), .endpointGone),
        // A text that is cut in half costs none of the others.
        Row(404, fcm("UNREGISTERED", "NOT_FOUND", #"gone \ud83d"#), .endpointGone),
        Row(400, fcm("INVALID_ARGUMENT", "INVALID_ARGUMENT", invalidToken + #" \ud83d"#), .endpointGone),
        Row(404, google("NOT_FOUND"), misconfigured),
        Row(404, "<html>not found</html>", misconfigured),
        Row(413, "too large", .rejected(.payloadTooLarge)),
        Row(429, fcm("QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED"), .retry(after: .seconds(60), .providerThrottled)),
        Row(429, fcm("QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED"), retryAfter: "7", .retry(after: .seconds(7), .providerThrottled)),
        Row(
            429, google("RESOURCE_EXHAUSTED", details: quota), retryAfter: "Thu, 01 Jan 2026 00:02:00 GMT",
            .retry(after: .seconds(120), .providerThrottled)),
        Row(429, "", .retry(after: .seconds(60), .providerThrottled)),
        Row(500, fcm("INTERNAL", "INTERNAL"), .retry(after: .seconds(10), .providerUnavailable)),
        Row(500, "", retryAfter: "30", .retry(after: .seconds(30), .providerUnavailable)),
        Row(503, fcm("UNAVAILABLE", "UNAVAILABLE"), retryAfter: "3", .retry(after: .seconds(10), .providerUnavailable)),
        Row(503, google("UNAVAILABLE"), retryAfter: "45", .retry(after: .seconds(45), .providerUnavailable)),
        Row(502, "<html>", .retry(after: .seconds(10), .providerUnavailable)),
        Row(408, "", .retry(after: .seconds(10), .httpStatus)),
        Row(400, fcm("UNSPECIFIED_ERROR", "INVALID_ARGUMENT"), .retry(after: .seconds(10), .providerUnavailable)),
        Row(404, fcm("UNSPECIFIED_ERROR", "NOT_FOUND"), .retry(after: .seconds(10), .providerUnavailable)),
        Row(404, fcm("NEW_CODE", "NOT_FOUND"), misconfigured),
        Row(400, fcm("NEW_CODE", "NEW_STATUS"), .rejected(.providerRejected)),
        Row(302, "", .misconfigured(.redirectRefused)),
        Row(405, "", .rejected(.providerRejected)),
        Row(200, "<html>", unanswered),
        Row(200, "{}", unanswered),
        Row(204, "", unanswered),
        Row(
            200, #"{"name":"projects/shop-7/messages/0:1%a"}"#,
            .accepted(providerMessageID: "projects/shop-7/messages/0:1%a", delivered: false)),
        Row(200, #"{"name":"messages/1","echo":"\ud83d"}"#, .accepted(providerMessageID: "messages/1", delivered: false)),
    ]

    @Test(arguments: rows)
    func everyAnswerHasItsMeaning(_ row: Row) {
        let result = fcmResult(of: row.result, now: FCMFixture.now)
        #expect(result.outcome == row.outcome)
        #expect(result.status == row.status)
    }

    @Test(arguments: [
        (HTTPFailure.Kind.connect, false, Outcome.retry(after: .seconds(10), .connectionFailed)),
        (.timeoutAfterSend, true, .unknown(after: .seconds(10), .timeout)), (.resetAfterSend, true, unanswered),
        (.timeoutBeforeSend, false, .retry(after: .seconds(10), .timeout)),
        (.invalidURL, false, misconfigured),
    ])
    func onlyAFailureAfterWhichTheMessageMayHaveArrivedIsUnknown(_ kind: HTTPFailure.Kind, _ arrived: Bool, _ expected: Outcome) {
        let result = fcmResult(of: FCMFixture.failure(kind, arrived: arrived), now: FCMFixture.now)
        #expect(result.outcome == expected)
        #expect(result.detail == "broke off" && result.status == nil)
    }

    @Test func detailsAreFCMsWords() {
        func detail(_ status: Int, _ body: String) -> String? {
            fcmResult(of: FCMFixture.response(status, body), now: FCMFixture.now).detail
        }
        #expect(detail(404, Self.fcm("UNREGISTERED", "NOT_FOUND")) == "UNREGISTERED; words")
        #expect(detail(403, Self.google("PERMISSION_DENIED")) == "PERMISSION_DENIED; words")
        #expect(detail(400, Self.google("INVALID_ARGUMENT", details: Self.badRequest)) == "INVALID_ARGUMENT; words; message.data: odd")
        #expect(detail(502, "<html>") == "<html>")
        #expect(detail(200, #"{"name":"n"}"#) == nil)
    }

    @Test func onlyARefusedAccessTokenIsFetchedAgain() {
        #expect(refusesAccessToken(FCMFixture.response(401, Self.google("UNAUTHENTICATED"))))
        #expect(refusesAccessToken(FCMFixture.response(401, "")))
        #expect(!refusesAccessToken(FCMFixture.response(401, Self.fcm("THIRD_PARTY_AUTH_ERROR", "UNAUTHENTICATED"))))
        #expect(!refusesAccessToken(FCMFixture.response(403, Self.google("PERMISSION_DENIED"))))
        #expect(!refusesAccessToken(FCMFixture.failure(.connect)))
    }
}
