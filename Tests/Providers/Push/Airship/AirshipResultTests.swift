import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderAirship

/// The way from Airship's answer to the outcomes.
struct AirshipResultTests {
    private static let now = Timestamp(seconds: 1_767_225_600)

    private func results(_ status: Int, _ body: String, _ headers: [(String, String)] = [], count: Int = 1) -> [SendResult] {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false)
        return airshipResults(of: .response(response), count: count, now: Self.now)
    }

    private func accepted(_ id: String?) -> SendResult {
        SendResult(.accepted(providerMessageID: id, delivered: false), status: 202)
    }

    @Test func eachObjectHasItsPushID() {
        let body = #"{"ok":true,"operation_id":"op","push_ids":["p-1","p-2","p-3"],"message_ids":[]}"#
        #expect(results(202, body, count: 3) == [accepted("p-1"), accepted("p-2"), accepted("p-3")])
    }

    /// A text that is cut in half costs neither the success nor the words beside it.
    @Test func aTextThatIsCutDoesNotMatter() {
        #expect(results(202, #"{"ok":true,"operation_id":"\ud83d","push_ids":["p-1"]}"#) == [accepted("p-1")])
        let refused = results(400, #"{"ok":false,"error":"Could not parse \ud83d","error_code":40000}"#)
        #expect(refused.first?.detail == "40000 Could not parse \u{FFFD}")
    }

    @Test(arguments: [#"{"ok":true}"#, #"{"ok":true,"push_ids":["p-1"]}"#, #"{"ok":true,"push_ids":["p-1","p-2","p-3"]}"#])
    func idsThatCannotBeToldApartAreLeftOut(_ body: String) {
        #expect(results(202, body, count: 2) == [accepted(nil), accepted(nil)])
    }

    @Test(arguments: ["<html>It works</html>", "", "{}", #"{"ok":false}"#, #"{"ok":"true"}"#, #"{"ok":true,"push_ids":["p-1"#])
    func anythingElseWithASuccessfulStatusIsUnknown(_ body: String) {
        let expected = SendResult(.unknown(.outcomeUnknown), status: 202, detail: body)
        #expect(results(202, body, count: 2) == [expected, expected])
    }

    static let statuses: [(Int, Outcome)] = [
        (301, .misconfigured(.redirectRefused)), (400, .rejected(.providerRejected)), (401, .misconfigured(.misconfigured)),
        (403, .misconfigured(.misconfigured)), (404, .misconfigured(.misconfigured)), (405, .misconfigured(.misconfigured)),
        (406, .misconfigured(.misconfigured)), (408, .retry(after: nil, .httpStatus)), (409, .rejected(.providerRejected)),
        (413, .rejected(.payloadTooLarge)),
        (429, .retry(after: nil, .providerThrottled)), (500, .retry(after: nil, .providerUnavailable)),
        (502, .retry(after: nil, .providerUnavailable)), (503, .retry(after: nil, .providerUnavailable)),
        (504, .retry(after: nil, .providerUnavailable)),
    ]

    @Test(arguments: statuses)
    func statusDecidesForEveryObject(_ status: Int, _ expected: Outcome) {
        let told = results(status, #"{"ok":false,"error":"why","error_code":40000}"#, count: 2)
        #expect(told == Array(repeating: SendResult(expected, status: status, detail: "40000 why"), count: 2))
        #expect(results(status, "<html>") == [SendResult(expected, status: status, detail: "<html>")])
    }

    @Test(arguments: [429, 500, 503])
    func retryAfterCounts(_ status: Int) {
        for (text, after) in [("7", Duration.seconds(7)), ("Thu, 01 Jan 2026 00:01:00 GMT", .seconds(60))] {
            guard case .retry(let told, _) = results(status, "", [("retry-after", text)])[0].outcome else {
                Issue.record("\(status) is no retry")
                continue
            }
            #expect(told == after)
        }
    }

    static let words: [(String, String)] = [
        (#"{"ok":false,"error":"why"}"#, "why"), (#"{"ok":false,"error":"why","error_code":40202}"#, "40202 why"),
        (
            #"""
            {"ok":false,"error":"Could not parse request body","error_code":40000,"details":{"error":"Unexpected property",\#
            "path":"notification.alert1","location":{"line":5,"column":18}},"operation_id":"op-7"}
            """#, "40000 Could not parse request body: Unexpected property, at notification.alert1, operation op-7"
        ),
    ]

    @Test(arguments: words)
    func theDetailNamesThePlaceAndTheOperation(_ body: String, _ detail: String) {
        #expect(results(400, body) == [SendResult(.rejected(.providerRejected), status: 400, detail: detail)])
    }

    @Test(arguments: HTTPFailure.Kind.allCases)
    func aFailedCallIsWhatItIsForEveryProvider(_ kind: HTTPFailure.Kind) {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: true, message: "why")
        let expected = SendResult(failure.outcome, detail: "why")
        #expect(airshipResults(of: .failed(failure), count: 2, now: Self.now) == [expected, expected])
    }
}
