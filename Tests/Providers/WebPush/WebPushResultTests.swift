import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsProvider

@testable import ProviderWebPush

/// The meaning of a push service's answer.
struct WebPushResultTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var headers: [(String, String)]
        var outcome: Outcome

        init(_ status: Int, _ body: String, retryAfter: String? = nil, _ outcome: Outcome) {
            self.status = status
            self.body = body
            headers = retryAfter.map { [("retry-after", $0)] } ?? []
            self.outcome = outcome
        }

        init(_ status: Int, retryAfter: String? = nil, _ outcome: Outcome) {
            self.init(status, "", retryAfter: retryAfter, outcome)
        }

        var testDescription: String { "\(status) \(headers) \(body)" }
    }

    private static let misconfigured = Outcome.misconfigured(.misconfigured)
    private static let accepted = Outcome.accepted(providerMessageID: nil, delivered: false)
    private static let anotherKey = Outcome.rejected(.tokenMalformed)
    private static func mozilla(_ status: Int, _ errno: Int, _ message: String) -> String {
        "{\"code\":\(status),\"errno\":\(errno),\"error\":\"words\",\"message\":\"\(message)\"}"
    }
    private static func throttled(_ seconds: Int?) -> Outcome { .retry(after: seconds.map { .seconds($0) }, .providerThrottled) }
    private static func unavailable(_ seconds: Int?) -> Outcome { .retry(after: seconds.map { .seconds($0) }, .providerUnavailable) }

    private static let rows = [
        Row(200, accepted), Row(200, "<html>", accepted), Row(201, accepted), Row(202, accepted), Row(204, accepted), Row(299, accepted),
        Row(301, .rejected(.redirectRefused)), Row(302, .rejected(.redirectRefused)), Row(304, .rejected(.redirectRefused)),
        Row(307, .rejected(.redirectRefused)), Row(308, .rejected(.redirectRefused)),
        Row(400, mozilla(400, 112, "Invalid TTL"), .rejected(.providerRejected)), Row(400, .rejected(.providerRejected)),
        Row(400, #"{"reason":"VapidPkHashMismatch"}"#, anotherKey),
        Row(401, misconfigured), Row(401, mozilla(401, 109, "Invalid VAPID audience"), misconfigured),
        Row(401, mozilla(401, 109, "VAPID public key mismatch"), anotherKey),
        Row(403, misconfigured), Row(403, #"{"reason":"BadJwtToken"}"#, misconfigured),
        Row(403, "<html>Forbidden</html>", misconfigured),
        Row(
            403,
            "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.\n",
            anotherKey),
        Row(404, .endpointGone), Row(404, mozilla(404, 103, "Expired"), .endpointGone), Row(404, "<html>", .endpointGone),
        Row(410, .endpointGone), Row(410, mozilla(410, 106, "Gone"), .endpointGone),
        Row(413, .rejected(.payloadTooLarge)), Row(413, mozilla(413, 104, "too large"), .rejected(.payloadTooLarge)),
        Row(429, throttled(nil)), Row(429, retryAfter: "120", throttled(120)), Row(429, retryAfter: "0", throttled(0)),
        Row(429, retryAfter: "Thu, 01 Jan 2026 00:05:00 GMT", throttled(300)),
        Row(429, retryAfter: "Thursday, 01-Jan-26 00:00:10 GMT", throttled(10)),
        Row(429, retryAfter: "Wed, 31 Dec 2025 23:59:59 GMT", throttled(0)), Row(429, retryAfter: "soon", throttled(nil)),
        Row(429, retryAfter: "-1", throttled(nil)),
        Row(500, unavailable(nil)), Row(502, "<html>", unavailable(nil)), Row(503, unavailable(nil)),
        Row(503, retryAfter: "30", unavailable(30)), Row(503, retryAfter: "Thu, 01 Jan 2026 01:00:00 GMT", unavailable(3_600)),
        Row(504, unavailable(nil)), Row(599, unavailable(nil)), Row(408, .retry(after: nil, .httpStatus)),
        Row(425, .retry(after: nil, .httpStatus)),
        Row(402, .rejected(.providerRejected)), Row(405, .rejected(.providerRejected)), Row(406, .rejected(.providerRejected)),
        Row(412, .rejected(.providerRejected)), Row(415, .rejected(.providerRejected)), Row(451, .rejected(.providerRejected)),
        Row(404, "do not correspond to the credentials", .endpointGone),
        Row(503, "VAPID public key mismatch", unavailable(nil)),
    ]

    private func result(_ answer: HTTPResult) throws -> SendResult {
        webPushResult(of: answer, now: WebPushFixture.now).hidingAddress(try WebPushFixture.subscription().endpoint)
    }

    @Test(arguments: rows)
    func everyAnswerHasItsMeaning(_ row: Row) throws {
        let result = try result(WebPushFixture.response(row.status, row.body, headers: row.headers))
        #expect(result.outcome == row.outcome)
        #expect(result.status == row.status)
        if case .accepted = row.outcome { #expect(result.detail == nil) }
        // A subscription that is refused says nothing about its push service.
        if (400...499).contains(row.status) { #expect(result.evidence == ([408, 425, 429].contains(row.status) ? .reachable : .healthy)) }
    }

    @Test(
        arguments: [
            (.dns, false, .retry(after: nil, .dnsFailed)), (.connect, false, .retry(after: nil, .connectionFailed)),
            (.tls, false, .retry(after: nil, .tlsFailed)), (.timeoutBeforeSend, false, .retry(after: nil, .timeout)),
            (.noRoom, false, .retry(after: nil, .rateLimited)),
            (.timeoutAfterSend, true, .unknown(.timeout)), (.resetAfterSend, true, .unknown(.outcomeUnknown)),
            (.protocolError, true, .unknown(.outcomeUnknown)), (.protocolError, false, .retry(after: nil, .connectionFailed)),
            (.cancelled, true, .unknown(.outcomeUnknown)), (.cancelled, false, .retry(after: nil, .connectionFailed)),
            // The recipient chose the address, so a refused address is a rejection.
            (.addressRefused, false, .rejected(.addressRefused)), (.schemeRefused, false, .rejected(.addressRefused)),
            (.portRefused, false, .rejected(.addressRefused)), (.invalidURL, false, .rejected(.addressRefused)),
            (.invalidHeader, false, .rejected(.providerRejected)),
        ] as [(HTTPFailure.Kind, Bool, Outcome)])
    func onlyAFailureAfterWhichTheMessageMayHaveArrivedIsUnknown(_ kind: HTTPFailure.Kind, _ arrived: Bool, _ outcome: Outcome) throws {
        let result = try result(WebPushFixture.failure(kind, arrived: arrived))
        #expect(result.outcome == outcome)
        #expect(result.detail == "broke off" && result.status == nil)
    }

    @Test func detailsAreThePushServicesWords() throws {
        func detail(_ status: Int, _ body: String) throws -> String? { try result(WebPushFixture.response(status, body)).detail }
        #expect(try detail(404, Self.mozilla(404, 103, "The subscription has expired")) == "errno 103: The subscription has expired")
        #expect(try detail(400, #"{"reason":"BadPath"}"#) == "BadPath")
        #expect(try detail(400, #"{"message":"a"}"#) == "a")
        #expect(try detail(400, #"{"other":1}"#) == #"{"other":1}"#)
        #expect(try detail(400, #"{"reason":"BadPath","echo":"\ud83d"}"#) == "BadPath")
        #expect(try detail(502, "<html>\n<b>out of order</b>") == "<html> <b>out of order</b>")
        #expect(try detail(410, "") == nil)
    }

    @Test func anOperatorIsToldWhatToCheck() throws {
        func detail(_ status: Int, _ body: String) throws -> String {
            try #require(try result(WebPushFixture.response(status, body)).detail)
        }
        let check = "the VAPID token is refused: check vapidPrivateKey, subject and this machine's clock"
        #expect(try detail(403, #"{"reason":"BadJwtToken"}"#) == "\(check); the push service says: BadJwtToken")
        #expect(try detail(401, "") == check)
        #expect(
            try detail(401, Self.mozilla(401, 109, "VAPID public key mismatch"))
                == "the subscription was made for another VAPID key: the browser must subscribe again; the push service says: "
                + "errno 109: VAPID public key mismatch")
    }

    @Test func theEndpointIsInNoDetail() throws {
        let path = try #require(WebPushFixture.endpoint.split(separator: "/").last)
        for (status, body) in [
            (404, "The requested URL /wpush/v2/\(path) was not found"), (403, Self.mozilla(403, 109, WebPushFixture.endpoint)),
            (500, String(repeating: "\(path) ", count: 40)), (400, "{\"reason\":\"\(path)\"}"),
        ] {
            let detail = try #require(try result(WebPushFixture.response(status, body)).detail)
            #expect(!detail.contains(path) && detail.contains("…"))
        }
        let failure = HTTPFailure(kind: .protocolError, requestMayHaveArrived: true, message: "GET \(WebPushFixture.endpoint) is odd")
        #expect(try result(.failed(failure)).detail == "GET https://push.example.net… is odd")
    }

    /// The expected id comes from `printf https://push.example.net/m/1 | openssl dgst -sha256`.
    @Test func theMessagesAddressIsKeptAsItsHash() throws {
        let location = "https://push.example.net/m/1"
        let answered = WebPushFixture.response(201, "", headers: [("location", location), ("ttl", "60")])
        let id = String(Hexadecimal.encode(SHA256.hash(location.utf8)).prefix(32))
        #expect(try result(answered) == SendResult(.accepted(providerMessageID: id, delivered: false), status: 201))
        #expect(id == "90767e5f9e1f6e6369ce3789bc861f1e")
    }
}
