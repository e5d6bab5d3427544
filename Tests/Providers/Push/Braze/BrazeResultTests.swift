import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderBraze

/// The way from Braze's answer to the outcome.
struct BrazeResultTests {
    private static let now = Timestamp(seconds: 1_767_225_600)

    private func result(_ status: Int, _ body: String, _ headers: [(String, String)] = []) -> SendResult {
        brazeResult(
            of: .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false)), now: Self.now)
    }

    private static let success = #"{"dispatch_id":"d-1","message":"success"}"#
    private static let accepted = Outcome.accepted(providerMessageID: "d-1", delivered: false)

    @Test(arguments: [200, 201, 202])
    func successIsAcceptedByItsDispatch(_ status: Int) {
        #expect(result(status, Self.success) == SendResult(Self.accepted, status: status))
    }

    /// A text that is cut in half costs neither the success nor the words beside it.
    @Test func aTextThatIsCutDoesNotMatter() {
        #expect(result(201, #"{"dispatch_id":"d-1","message":"success","echo":"\ud83d"}"#) == SendResult(Self.accepted, status: 201))
        let campaign = result(400, #"{"message":"Invalid Campaign ID \ud83d"}"#)
        #expect(campaign.outcome == .misconfigured(.misconfigured) && campaign.detail == "Invalid Campaign ID \u{FFFD}")
    }

    @Test func successWithoutADispatchHasNoID() {
        #expect(result(201, #"{"message":"success"}"#).outcome == .accepted(providerMessageID: nil, delivered: false))
    }

    @Test func errorsBesideSuccessAreTold() {
        let body = #"{"dispatch_id":"d-1","message":"success","errors":["no such alias",{"code":7}]}"#
        #expect(result(201, body) == SendResult(Self.accepted, status: 201, detail: #"no such alias; {"code":7}"#))
        #expect(result(201, #"{"dispatch_id":"d-1","message":"success","errors":[]}"#).detail == nil)
    }

    @Test(arguments: ["<html>It works</html>", "", "[]", "{}", #"{"message":"queued"}"#, #"{"dispatch_id":"d-1","message":"succ"#])
    func anythingElseWithASuccessfulStatusIsUnknown(_ body: String) {
        #expect(result(200, body) == SendResult(.unknown(.outcomeUnknown), status: 200, detail: body.contains("queued") ? "queued" : body))
    }

    static let refusals: [(String, Outcome)] = [
        ("Bad Request", .rejected(.providerRejected)), ("No Recipients", .rejected(.providerRejected)),
        ("Invalid Campaign ID", .misconfigured(.misconfigured)), ("Message Variant Unspecified", .misconfigured(.misconfigured)),
        ("Invalid Message Variant", .misconfigured(.misconfigured)), ("Mismatched Message Type", .misconfigured(.misconfigured)),
        ("Invalid Extra Push Payload", .rejected(.providerRejected)),
        ("The max number of external_ids and aliases per request was exceeded", .rejected(.providerRejected)),
        ("The max number of ids per request was exceeded", .rejected(.providerRejected)),
        ("Max Input Length Exceeded", .rejected(.providerRejected)), ("No message to send", .rejected(.providerRejected)),
        ("Apple Push Length Exceeded", .rejected(.payloadTooLarge)), ("Android Push Length Exceeded", .rejected(.payloadTooLarge)),
        ("invalid campaign id for this workspace", .misconfigured(.misconfigured)),
    ]

    @Test(arguments: refusals)
    func refusalIsReadFromItsWords(_ message: String, _ expected: Outcome) {
        #expect(result(400, "{\"message\":\"\(message)\"}") == SendResult(expected, status: 400, detail: message))
        let among = result(400, "{\"message\":\"fatal\",\"errors\":[\"\(message)\"]}")
        #expect(among == SendResult(expected, status: 400, detail: "fatal; \(message)"))
    }

    @Test func aRefusalWithoutJSONIsStillOne() {
        #expect(result(400, "bad") == SendResult(.rejected(.providerRejected), status: 400, detail: "bad"))
    }

    static let statuses: [(Int, Outcome)] = [
        (301, .misconfigured(.redirectRefused)), (401, .misconfigured(.misconfigured)), (403, .misconfigured(.misconfigured)),
        (404, .misconfigured(.misconfigured)), (405, .rejected(.providerRejected)), (408, .retry(after: nil, .httpStatus)),
        (409, .rejected(.providerRejected)), (413, .rejected(.payloadTooLarge)), (422, .rejected(.providerRejected)),
        (425, .retry(after: nil, .httpStatus)), (429, .retry(after: nil, .providerThrottled)),
        (500, .retry(after: nil, .providerUnavailable)), (502, .retry(after: nil, .providerUnavailable)),
        (503, .retry(after: nil, .providerUnavailable)), (504, .retry(after: nil, .providerUnavailable)),
    ]

    @Test(arguments: statuses)
    func statusDecides(_ status: Int, _ expected: Outcome) {
        #expect(result(status, #"{"message":"why"}"#) == SendResult(expected, status: status, detail: "why"))
        #expect(result(status, "<html>").outcome == expected)
    }

    static let waits: [([(String, String)], Duration?)] = [
        ([("x-ratelimit-reset", "1767225610")], .seconds(10)), ([("x-ratelimit-reset", "1767225500")], .zero),
        ([("x-ratelimit-reset", "1767999999")], .seconds(3_600)), ([("x-ratelimit-reset", "soon")], nil),
        ([("retry-after", "7")], .seconds(7)),
        ([("x-ratelimit-reset", "soon"), ("retry-after", "7")], .seconds(7)),
        ([("x-ratelimit-reset", "1767225610"), ("retry-after", "7")], .seconds(10)),
    ]

    @Test(arguments: waits)
    func throttlingLastsUntilTheReset(_ headers: [(String, String)], _ expected: Duration?) {
        #expect(result(429, #"{"message":"Rate Limited"}"#, headers).outcome == .retry(after: expected, .providerThrottled))
    }

    @Test func retryAfterCountsForServerErrorsAndTheResetDoesNot() {
        let headers = [("retry-after", "9"), ("x-ratelimit-reset", "1767225610")]
        #expect(result(503, "", headers).outcome == .retry(after: .seconds(9), .providerUnavailable))
    }

    @Test(arguments: HTTPFailure.Kind.allCases)
    func aFailedCallIsWhatItIsForEveryProvider(_ kind: HTTPFailure.Kind) {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: true, message: "why")
        #expect(brazeResult(of: .failed(failure), now: Self.now) == SendResult(failure.outcome, detail: "why"))
    }
}
