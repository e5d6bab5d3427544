import Testing
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderWebhook

/// The way from a receiver's behaviour to the outcome, over real connections.
struct WebhookResultTests {
    private static let delivered = Outcome.accepted(providerMessageID: nil, delivered: true)

    static let answers: [(String, Outcome, Int?)] = [
        ("/ok", delivered, 200), ("/status/201", delivered, 201), ("/status/204", delivered, 204), ("/status/299", delivered, 299),
        ("/redirect", .rejected(.redirectRefused), 302), ("/status/304", .rejected(.redirectRefused), 304),
        ("/status/400", .retry(after: nil, .httpStatus), 400), ("/status/401", .retry(after: nil, .httpStatus), 401),
        ("/status/404", .retry(after: nil, .httpStatus), 404), ("/status/408", .retry(after: nil, .httpStatus), 408),
        ("/status/410", .endpointGone, 410), ("/status/413", .retry(after: nil, .httpStatus), 413),
        ("/status/422", .retry(after: nil, .httpStatus), 422), ("/status/425", .retry(after: nil, .httpStatus), 425),
        ("/status/429", .retry(after: nil, .providerThrottled), 429), ("/throttle/7", .retry(after: .seconds(7), .providerThrottled), 429),
        ("/status/500", .retry(after: nil, .providerUnavailable), 500), ("/status/501", .retry(after: nil, .providerUnavailable), 501),
        ("/status/502", .retry(after: nil, .providerUnavailable), 502), ("/status/503", .retry(after: nil, .providerUnavailable), 503),
        ("/status/504", .retry(after: nil, .providerUnavailable), 504), ("/big/1000000", delivered, 200),
        ("/reset", .unknown(.outcomeUnknown), nil),
    ]

    @Test(arguments: answers)
    func answer(_ path: String, _ expected: Outcome, _ status: Int?) async throws {
        try await withCapture { _, origin in
            let result = try await withWebhooks { await $0.send(.sample(to: origin + path)) }
            #expect(result.outcome == expected)
            #expect(result.status == status)
        }
    }

    /// A path that is missing or refuses is the answer of a host that works. It is retried all the same.
    @Test func aClientErrorIsNoEvidenceAgainstTheHost() {
        for status in 400...499 {
            let response = HTTPResponse(status: status, headers: [], body: [], bodyTruncated: false)
            let result = webhookResult(of: .response(response), now: Timestamp(seconds: 1_767_225_600))
            #expect(result.evidence == ([408, 425, 429].contains(status) ? .reachable : .healthy), "\(status)")
        }
    }

    @Test func retryAfterCountsForEveryFailure() async throws {
        try await withCapture { server, origin in
            server.program(CaptureBehaviour(path: "/busy", then: 503, retryAfter: "120"))
            server.program(CaptureBehaviour(path: "/odd", then: 418, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT"))
            try await withWebhooks { provider in
                #expect(await provider.send(.sample(to: "\(origin)/busy")).outcome == .retry(after: .seconds(120), .providerUnavailable))
                #expect(await provider.send(.sample(to: "\(origin)/odd")).outcome == .retry(after: .zero, .httpStatus))
            }
        }
    }

    @Test func excerptOfAFailureOnly() async throws {
        try await withCapture { _, origin in
            try await withWebhooks { provider in
                #expect(await provider.send(.sample(to: "\(origin)/status/400")).detail == "captured, answered 400 ")
                #expect(await provider.send(.sample(to: "\(origin)/ok")).detail == nil)
            }
        }
    }

    /// The operator has to set the target as the address, so the detail names the target. A query may be a secret of the receiver.
    @Test(
        arguments: [
            ("https://example.com/v2/hook", "", "redirect to https://example.com/v2/hook"),
            ("/v2/hook/", "moved", "redirect to /v2/hook/: moved"),
            ("https://example.com/in?token=abcdefgh", "", "redirect to https://example.com/in?…"), (nil, "moved", "moved"),
        ] as [(String?, String, String)])
    func aRedirectNamesItsTarget(_ location: String?, _ body: String, _ detail: String) {
        let response = HTTPResponse(
            status: 308, headers: location.map { [("location", $0)] } ?? [], body: Array(body.utf8), bodyTruncated: false)
        let result = webhookResult(of: .response(response), now: Timestamp(seconds: 0))
        #expect(result.outcome == .rejected(.redirectRefused) && result.detail == detail)
    }

    @Test func anAnswerWithoutARedirectNamesNoTarget() {
        let response = HTTPResponse(status: 400, headers: [("location", "/a")], body: Array("no".utf8), bodyTruncated: false)
        #expect(webhookResult(of: .response(response), now: Timestamp(seconds: 0)).detail == "no")
    }

    static let failures: [(HTTPFailure.Kind, Bool, Outcome)] = [
        (.dns, false, .retry(after: nil, .dnsFailed)), (.connect, false, .retry(after: nil, .connectionFailed)),
        (.tls, false, .retry(after: nil, .tlsFailed)), (.timeoutBeforeSend, false, .retry(after: nil, .timeout)),
        (.noRoom, false, .retry(after: nil, .rateLimited)),
        (.timeoutAfterSend, true, .unknown(.timeout)), (.resetAfterSend, true, .unknown(.outcomeUnknown)),
        (.protocolError, true, .unknown(.outcomeUnknown)), (.cancelled, true, .unknown(.outcomeUnknown)),
        (.cancelled, false, .retry(after: nil, .connectionFailed)), (.addressRefused, false, .rejected(.addressRefused)),
        (.schemeRefused, false, .rejected(.addressRefused)), (.portRefused, false, .rejected(.addressRefused)),
        (.invalidURL, false, .rejected(.addressRefused)), (.invalidHeader, false, .rejected(.providerRejected)),
    ]

    @Test(arguments: failures)
    func failure(_ kind: HTTPFailure.Kind, _ mayHaveArrived: Bool, _ expected: Outcome) {
        let failure = HTTPFailure(kind: kind, requestMayHaveArrived: mayHaveArrived, message: "why")
        let result = webhookResult(of: .failed(failure), now: Timestamp(seconds: 0))
        #expect(result == SendResult(expected, status: nil, detail: "why"))
    }

    @Test func everyKindOfFailureIsInTheTable() {
        #expect(Set(Self.failures.map(\.0)) == Set(HTTPFailure.Kind.allCases))
    }

    @Test func anAnswerCountsEvenIfItsBodyBrokeOff() {
        let response = HTTPResponse(status: 200, headers: [], body: [], bodyTruncated: true)
        #expect(webhookResult(of: .response(response), now: Timestamp(seconds: 0)).outcome == Self.delivered)
    }

    @Test func refusedAddresses() async throws {
        try await withCapture { server, origin in
            let port = origin.split(separator: ":").last ?? ""
            try await withWebhooks(guarding: AddressGuard(allowedSchemes: ["http", "https"], allowedPorts: nil)) { provider in
                for url in [
                    "\(origin)/ok", "http://localhost:\(port)/ok", "http://[::ffff:127.0.0.1]:\(port)/ok", "http://2130706433:\(port)/ok",
                    "http://user@127.0.0.1:\(port)/ok", "gopher://127.0.0.1:\(port)/ok", "http://169.254.169.254/latest/meta-data/",
                    "not a url",
                ] {
                    let result = await provider.send(.sample(to: url))
                    #expect(result.outcome == .rejected(.addressRefused), "\(url): \(result)")
                    #expect(result.detail != nil)
                }
            }
            #expect(server.stats.requests == 0)
        }
    }

    @Test func noAddress() async throws {
        let result = try await withWebhooks { await $0.send(.sample(to: nil)) }
        #expect(result.outcome == .rejected(.noAddress))
    }

    @Test func failuresBeforeSending() async throws {
        try await withCapture { _, origin in
            try await withWebhooks { provider in
                let tls = await provider.send(.sample(to: origin.replacing("http:", with: "https:")))
                #expect(tls.outcome == .retry(after: nil, .tlsFailed))
                let dns = await provider.send(.sample(to: "http://no-such-host.invalid/"))
                #expect(dns.outcome == .retry(after: nil, .dnsFailed))
            }
        }
    }

    @Test func aClosedProviderSendsNothing() async throws {
        try await withCapture { server, origin in
            let outcome = try await withWebhooks { provider in
                await provider.close()
                return await provider.send(.sample(to: "\(origin)/ok")).outcome
            }
            #expect(outcome == .retry(after: nil, .connectionFailed))
            #expect(server.stats.requests == 0)
        }
    }

    @Test func oneHangingReceiverHoldsNobody() async throws {
        try await withCapture { server, origin in
            try await withWebhooks { provider in
                let hanging = Task { await provider.send(.sample(to: "\(origin)/hang", key: "hanging")) }
                let outcomes = await withTaskGroup(of: Outcome.self) { group in
                    for number in 0..<200 { group.addTask { await provider.send(.sample(to: "\(origin)/ok", key: "k\(number)")).outcome } }
                    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                }
                #expect(outcomes == [Self.delivered: 200])
                hanging.cancel()
                _ = await hanging.value
            }
            #expect(server.stats.acceptedIDs == 200)
            #expect(server.stats.duplicatesAccepted == 0)
        }
    }
}
