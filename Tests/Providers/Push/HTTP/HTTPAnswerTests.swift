import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderJSONOverHTTP
@testable import TidingsEncodings
@testable import TidingsJSON

/// The way from a service's answer to the outcome.
struct HTTPAnswerTests {
    private static let taken = Outcome.accepted(providerMessageID: nil, delivered: false)

    private func read(
        _ status: Int, _ body: String = "", _ settings: [String: String] = [:], headers: [(String, String)] = [], truncated: Bool = false,
        _ environment: [String: String] = [:]
    ) throws -> SendResult {
        let response = HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: truncated)
        return try HTTPService.configuration(settings, environment).answers.read(.response(response), now: HTTPService.now)
    }

    /// The default meaning of every possible status.
    private static func expected(_ status: Int) -> Outcome {
        switch status {
        case 200...299: taken
        case 300...399: .rejected(.redirectRefused)
        case 401, 403: .misconfigured(.misconfigured)
        case 408, 425: .retry(after: nil, .httpStatus)
        case 410: .endpointGone
        case 429: .retry(after: nil, .providerThrottled)
        case 500...599: .retry(after: nil, .providerUnavailable)
        default: .rejected(.providerRejected)
        }
    }

    @Test(arguments: 200...599)
    func everyStatusHasItsDefaultMeaning(_ status: Int) throws {
        let result = try read(status, "why")
        #expect(result == SendResult(Self.expected(status), status: status, detail: status < 300 ? nil : "why"))
    }

    static let chosen = ["success": "200, 208-210", "retry": "409,500-503", "gone": "404 405", "misconfigured": "none"]

    static let meanings: [(Int, Outcome)] = [
        (200, taken), (201, .rejected(.providerRejected)), (207, .rejected(.providerRejected)), (208, taken), (210, taken),
        (211, .rejected(.providerRejected)), (302, .rejected(.redirectRefused)), (401, .rejected(.providerRejected)),
        (404, .endpointGone), (405, .endpointGone), (409, .retry(after: nil, .httpStatus)), (410, .rejected(.providerRejected)),
        (429, .rejected(.providerRejected)), (500, .retry(after: nil, .providerUnavailable)),
        (503, .retry(after: nil, .providerUnavailable)), (504, .rejected(.providerRejected)),
    ]

    @Test(arguments: meanings)
    func listsReplaceTheDefaults(_ status: Int, _ outcome: Outcome) throws {
        #expect(try read(status, "", Self.chosen).outcome == outcome)
    }

    /// The settings choose what is retried. They do not change what an answer says about the host.
    @Test(arguments: [404, 409, 422])
    func aClientErrorCountsAgainstNobody(_ status: Int) throws {
        let result = try read(status, "", ["retry": "\(status)"])
        #expect(result.outcome == .retry(after: nil, .httpStatus) && result.evidence == .healthy)
        #expect(try read(status).evidence == .healthy)
    }

    @Test func redirectsMayBeGivenAMeaning() throws {
        #expect(try read(303, "", ["success": "200-303"]).outcome == Self.taken)
    }

    static let waits: [(String, Duration?)] = [
        ("7", .seconds(7)), ("Thu, 01 Jan 2026 00:02:00 GMT", .seconds(120)), ("Wed, 31 Dec 2025 00:00:00 GMT", .zero), ("soon", nil),
    ]

    @Test(arguments: waits)
    func retryAfterIsHonoured(_ text: String, _ after: Duration?) throws {
        let headers = [("retry-after", text)]
        #expect(try read(429, headers: headers).outcome == .retry(after: after, .providerThrottled))
        #expect(try read(503, headers: headers).outcome == .retry(after: after, .providerUnavailable))
        #expect(try read(425, headers: headers).outcome == .retry(after: after, .httpStatus))
        #expect(try read(400, headers: headers).outcome == .rejected(.providerRejected))
    }

    // MARK: Bodies

    private static let looking = ["successPath": "/status", "successValue": "ok", "messageIdPath": "/result/id"]

    static let bodies: [(String, Outcome)] = [
        (#"{"status":"ok","result":{"id":"m1"}}"#, .accepted(providerMessageID: "m1", delivered: false)),
        (#"{"status":"ok","result":{"id":17}}"#, .accepted(providerMessageID: "17", delivered: false)),
        (#"{"status":"ok"}"#, taken), (#" {"status":"ok"} "#, taken), (#"{"status":"ok","result":{"id":null}}"#, taken),
        (#"{"status":"ok","result":{"id":""}}"#, taken), (#"{"status":"ok","result":[]}"#, taken),
        (#"{"status":"ok","result":{"id":"\#(String(repeating: "x", count: 257))"}}"#, taken),
        (#"{"status":"error","result":{"id":"m1"}}"#, .rejected(.providerRejected)),
        (#"{"status":"OK"}"#, .rejected(.providerRejected)), (#"{"status":null}"#, .rejected(.providerRejected)),
        (#"{"status":["ok"]}"#, .rejected(.providerRejected)), ("{}", .rejected(.providerRejected)),
        (#""ok""#, .rejected(.providerRejected)), ("", .unknown(.outcomeUnknown)), ("<html>hello</html>", .unknown(.outcomeUnknown)),
        (#"{"status":"ok"}x"#, .unknown(.outcomeUnknown)),
    ]

    /// Texts that the settings do not read, and ids that cannot be kept.
    @Test(
        arguments: [
            (#"{"status":"ok","result":{"id":"m1","echo":"Hi \ud83d"}}"#, "m1"),
            (#"{"status":"ok","a\u0000":"\u0000","result":{"id":"m1"}}"#, "m1"),
            (#"{"status":"error","status":"ok","ratio":NaN,"result":{"id":"m1"}}"#, "m1"), ("\u{FEFF}{\"status\":\"ok\"}", nil),
            (#"{"status":"ok","result":{"id":"m\ud83d"}}"#, nil),
        ] as [(String, String?)])
    func aTextThatIsNotReadDoesNotMatter(_ body: String, _ id: String?) throws {
        #expect(try read(200, body, Self.looking).outcome == .accepted(providerMessageID: id, delivered: false))
    }

    @Test(arguments: bodies)
    func anAnswerIsLookedInto(_ body: String, _ outcome: Outcome) throws {
        #expect(try read(200, body, Self.looking).outcome == outcome)
    }

    @Test func refusalsTellTheServicesWords() throws {
        let body = #"{"status":"error","why":"no such user"}"#
        #expect(try read(200, body, Self.looking) == SendResult(.rejected(.providerRejected), status: 200, detail: body))
        let page = try read(200, "<html>\u{1B}[31m\n</html>", Self.looking)
        #expect(page.detail == "the answer is no JSON: <html> [31m </html>")
        #expect(page.status == 200)
    }

    @Test(arguments: [
        ("/code", "0", #"{"code":0}"#), ("/ok", "true", #"{"ok":true}"#), ("/a/1/b~1c~0d", "x", #"{"a":[0,{"b/c~d":"x"}]}"#),
        ("/", "x", #"{"":"x"}"#), ("/0", "x", #"{"0":"x"}"#),
    ])
    func pathsReachEveryPlace(_ path: String, _ value: String, _ body: String) throws {
        #expect(try read(200, body, ["successPath": path, "successValue": value]).outcome == Self.taken)
        #expect(try read(200, body, ["successPath": path, "successValue": "other"]).outcome == .rejected(.providerRejected))
    }

    @Test(arguments: ["/a/01", "/a/-1", "/a/2", "/a/x", "/a/0/b"])
    func pathsThatLeadNowhereFindNothing(_ path: String) throws {
        let body = #"{"a":["x","y"]}"#
        #expect(try read(200, body, ["messageIdPath": path]).outcome == Self.taken)
        #expect(try read(200, body, ["messageIdPath": "/a/1"]).outcome == .accepted(providerMessageID: "y", delivered: false))
    }

    @Test func aBodyIsReadOnlyIfASettingNeedsIt() throws {
        #expect(try read(200, "<html>", truncated: true) == SendResult(Self.taken, status: 200))
        #expect(try read(204, "", ["delivered": "true"]).outcome == .accepted(providerMessageID: nil, delivered: true))
    }

    @Test func aStatusOfRefusalIsNotLookedInto() throws {
        #expect(try read(500, #"{"status":"ok","result":{"id":"m1"}}"#, Self.looking).outcome == .retry(after: nil, .providerUnavailable))
        #expect(try read(400, "", Self.looking) == SendResult(.rejected(.providerRejected), status: 400))
    }

    @Test func aBodyThatIsNotWholeSaysNothing() throws {
        let result = try read(200, #"{"status":"ok"}"#, Self.looking, truncated: true)
        #expect(result.outcome == .unknown(.outcomeUnknown))
        #expect(result.detail == #"the answer is longer than read, or broke off: {"status":"ok"}"#)
    }

    /// Many services answer 204, or `OK`. The status says that they took the delivery: an unknown outcome would send it again.
    @Test(
        arguments: [
            (204, "", false, "no message id: the answer is no JSON"), (200, "", false, "no message id: the answer is no JSON"),
            (200, "OK", false, "no message id: the answer is no JSON: OK"),
            (202, #"{"result":{"id":"m1"}"#, false, #"no message id: the answer is no JSON: {"result":{"id":"m1"}"#),
            (200, #"{"result":"#, true, #"no message id: the answer is longer than read, or broke off: {"result":"#),
        ])
    func anUnreadableBodyCostsOnlyTheIDIfNoSuccessPathIsSet(_ status: Int, _ body: String, _ truncated: Bool, _ note: String) throws {
        let path = ["messageIdPath": "/result/id"]
        for (settings, delivered) in [(path, false), (path.merging(["delivered": "true"]) { $1 }, true)] {
            let result = try read(status, body, settings, truncated: truncated)
            let expected = Outcome.accepted(providerMessageID: nil, delivered: delivered)
            #expect(result == SendResult(expected, status: status, detail: note) && result.evidence == .healthy)
        }
        let result = try read(status, body, Self.looking, truncated: truncated)
        #expect(result.outcome == .unknown(.outcomeUnknown) && result.evidence == .failing)
    }

    @Test func aHostilePageIsCutAndMadePrintable() throws {
        let page = "<script>\u{202E}\u{7}" + String(repeating: "é", count: 500_000)
        let detail = try #require(try read(400, page).detail)
        #expect(detail.utf8.count <= SendResult.longestDetail && detail.hasPrefix("<script>  é"))
    }

    @Test func secretsAreTakenOutOfWhatIsRepeated() throws {
        let settings = ["authorization": "env:DMP", "headers": "X-Api-Key: env:KEY", "successPath": "/ok", "successValue": "1"]
        let basic = Base64.encode(Array("shop:open-sesame".utf8))
        for (authorization, echo, told) in [
            (
                "Bearer hunter2-hunter2", "got Bearer hunter2-hunter2, token HUNTER2-hunter2 and k1-k2-k3",
                "got …, token … and …"
            ),
            ("Basic \(basic)", "got \(basic), which is shop:open-sesame; no open-sesame here", "got …, which is …; no … here"),
        ] {
            let configuration = try HTTPService.configuration(settings, ["DMP": authorization, "KEY": "k1-k2-k3"])
            for status in [200, 400, 401, 500] {
                let response = HTTPResponse(status: status, headers: [], body: Array(echo.utf8), bodyTruncated: false)
                let result = configuration.result(of: .response(response), for: .orderShipped(), now: HTTPService.now)
                #expect(result.detail?.hasSuffix(told) == true, "\(result)")
            }
        }
    }

    @Test func anAddressIsTakenOutToo() throws {
        var item = OutgoingDelivery.orderShipped()
        item.endpointAddress = "https://push.test/w/0123456789abcdef?k=fedcba9876543210"
        let echo = "no https%3A%2F%2Fpush.test%2Fw%2F0123456789abcdef%3Fk%3Dfedcba9876543210, no \\/w\\/0123456789abcdef"
        let response = HTTPResponse(status: 400, headers: [], body: Array(echo.utf8), bodyTruncated: false)
        let result = try HTTPService.configuration([:]).result(of: .response(response), for: item, now: HTTPService.now)
        #expect(result.detail == "no …, no …")
    }

    // MARK: No answer

    @Test(arguments: HTTPFailure.Kind.allCases)
    func theFailureDecidesIfNoAnswerCame(_ kind: HTTPFailure.Kind) throws {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: true, message: "why")
        let result = try HTTPService.configuration([:]).answers.read(.failed(failure), now: HTTPService.now)
        #expect(result == SendResult(failure.outcome, detail: "why"))
    }
}
