import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderPager

/// Tests the two functions around the call, without server, time and network.
@Suite struct PagerTests {
    private static let now = Timestamp(seconds: 1_767_225_600)

    private func item(title: String? = "The pump stands still", body: String? = "Hall \"3\"") -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(milliseconds: 1_700_000_000_000, fraction: 0, random: 7), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "alarm", category: .system, createdAt: Self.now, expiresAt: nil),
            content: Content(title: title, body: body), idempotencyKey: "k1")
    }

    // MARK: The request

    @Test(
        arguments: [
            ("The pump stands still", "Hall \"3\"", #"{"to":"user-42","text":"The pump stands still\nHall \"3\"","id":"k1"}"#),
            ("The pump stands still", nil, #"{"to":"user-42","text":"The pump stands still","id":"k1"}"#),
            (nil, "Hall 3", #"{"to":"user-42","text":"Hall 3","id":"k1"}"#),
        ] as [(String?, String?, String)])
    func aPageIsTitleAndBody(_ title: String?, _ body: String?, _ written: String) throws {
        #expect(String(decoding: try pageBody(of: item(title: title, body: body)).get(), as: UTF8.self) == written)
    }

    @Test(
        arguments: [
            (nil, nil, .contentMissing), ("", "", .contentMissing), (String(repeating: "é", count: 1_001), nil, .payloadTooLarge),
        ] as [(String?, String?, ReasonCode)])
    func whatIsNoPageIsNotSent(_ title: String?, _ body: String?, _ reason: ReasonCode) {
        guard case .failure(let refusal) = pageBody(of: item(title: title, body: body)) else {
            Issue.record("it is a page")
            return
        }
        #expect(refusal.result.outcome == .rejected(reason))
    }

    // MARK: The answer

    private static let accepted = Outcome.accepted(providerMessageID: "4711", delivered: false)

    @Test(
        arguments: [
            (200, #"{"page":"4711"}"#, nil, accepted), (201, #"{"page":"4711"}"#, "7", accepted),
            (200, "<html></html>", nil, .unknown(.outcomeUnknown)), (204, "", nil, .unknown(.outcomeUnknown)),
            (302, "", nil, .misconfigured(.redirectRefused)), (400, "no", nil, .rejected(.providerRejected)),
            (401, "", nil, .misconfigured(.misconfigured)), (403, "", nil, .misconfigured(.misconfigured)),
            (404, "", nil, .endpointGone), (410, "", nil, .endpointGone),
            (429, "", nil, .retry(after: nil, .providerThrottled)), (429, "", "30", .retry(after: .seconds(30), .providerThrottled)),
            (429, "", "Thu, 01 Jan 2026 00:01:00 GMT", .retry(after: .seconds(60), .providerThrottled)),
            (429, "", "Wed, 31 Dec 2025 23:59:00 GMT", .retry(after: .zero, .providerThrottled)),
            (429, "", "soon", .retry(after: nil, .providerThrottled)),
            (500, "", nil, .retry(after: nil, .providerUnavailable)), (503, "", "120", .retry(after: .seconds(120), .providerUnavailable)),
        ] as [(Int, String, String?, Outcome)])
    func everyAnswerHasItsMeaning(_ status: Int, _ body: String, _ after: String?, _ outcome: Outcome) {
        let headers = after.map { [("retry-after", $0)] } ?? []
        let answer = HTTPResult.response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false))
        let result = pageResult(of: answer, now: Self.now)
        #expect(result.outcome == outcome && result.status == status)
        #expect(result.detail == (outcome == Self.accepted || body.isEmpty ? nil : body))
    }

    @Test(
        arguments: [
            (.connect, false, .retry(after: nil, .connectionFailed)), (.timeoutBeforeSend, false, .retry(after: nil, .timeout)),
            (.timeoutAfterSend, true, .unknown(.timeout)), (.resetAfterSend, true, .unknown(.outcomeUnknown)),
        ] as [(HTTPFailure.Kind, Bool, Outcome)])
    func onlyWhatMayHaveArrivedIsUnknown(_ kind: HTTPFailure.Kind, _ arrived: Bool, _ outcome: Outcome) {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: arrived, message: "broke off")
        #expect(pageResult(of: .failed(failure), now: Self.now) == SendResult(outcome, detail: "broke off"))
    }
}
