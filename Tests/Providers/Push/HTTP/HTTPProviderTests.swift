import Testing
import TidingsCapture
import TidingsCore
import TidingsProvider

@testable import ProviderJSONOverHTTP

/// The way from a service's behaviour to the outcome, over real connections.
struct HTTPProviderTests {
    private static let taken = Outcome.accepted(providerMessageID: nil, delivered: false)

    static let answers: [(String, Outcome, Int?)] = [
        ("/ok", taken, 200), ("/status/204", taken, 204), ("/status/400", .rejected(.providerRejected), 400),
        ("/status/401", .misconfigured(.misconfigured), 401), ("/status/410", .endpointGone, 410),
        ("/throttle/7", .retry(after: .seconds(7), .providerThrottled), 429),
        ("/status/503", .retry(after: nil, .providerUnavailable), 503), ("/redirect", .rejected(.redirectRefused), 302),
        ("/big/1000000", taken, 200), ("/reset", .unknown(.outcomeUnknown), nil),
    ]

    @Test(arguments: answers)
    func answer(_ path: String, _ expected: Outcome, _ status: Int?) async throws {
        try await HTTPService.calling(path) { provider, server in
            let result = await provider.send(.orderShipped())
            #expect(result.outcome == expected)
            #expect(result.status == status)
            #expect((result.detail == nil) == (expected == Self.taken))
            #expect(server.stats.requests == 1)
        }
    }

    /// Only `successPath` makes the body part of the success.
    @Test(arguments: ["/ok", "/big/1000000"])
    func anAnswerThatIsNotThePromisedJSON(_ path: String) async throws {
        for (settings, outcome) in [
            (["messageIdPath": "/id"], Self.taken), (["successPath": "/ok", "successValue": "true"], Outcome.unknown(.outcomeUnknown)),
        ] {
            try await HTTPService.calling(path, settings) { provider, _ in
                let result = await provider.send(.orderShipped())
                #expect(result.outcome == outcome && result.status == 200)
                #expect((1...SendResult.longestDetail).contains(result.detail?.utf8.count ?? 0))
            }
        }
    }

    @Test func aServiceThatNeverAnswersMayHaveTakenIt() async throws {
        try await HTTPService.calling("/hang", ["timeoutSeconds": "4"]) { provider, _ in
            #expect(await provider.send(.orderShipped()).outcome == .unknown(.timeout))
        }
    }

    @Test func theRequestThatArrivesIsTheOneThatWasBuilt() async throws {
        let settings = ["method": "PATCH", "body": #"{"who":"{{recipient}}","data":"{{data}}"}"#]
        try await HTTPService.calling("/ok/{{recipient}}/x?type={{type}}", settings) { provider, server in
            _ = await provider.send(.orderShipped(recipient: "a/b?c#d é"))
            let request = try #require(server.requests().first)
            #expect(request.method == "PATCH" && request.path == "/ok/a%2Fb%3Fc%23d%20%C3%A9/x")
            #expect(request.text == #"{"who":"a/b?c#d é","data":{"orderId":"17","total":1.50}}"#)
        }
    }

    @Test(arguments: ["GET", "DELETE"])
    func methodsWithoutBodySendNone(_ method: String) async throws {
        try await HTTPService.calling("/ok", ["method": method]) { provider, server in
            #expect(await provider.send(.orderShipped()).outcome == Self.taken)
            #expect(server.requests().map(\.method) == [method])
            #expect(server.requests().map(\.bodyBytes) == [0])
        }
    }

    @Test func aRepetitionHasTheSameKey() async throws {
        try await HTTPService.calling("/fail/1", ["idempotencyHeader": "webhook-id"]) { provider, server in
            for attempt in 1...2 {
                var item = OutgoingDelivery.orderShipped(key: "k1")
                item.header.attempt = attempt
                _ = await provider.send(item)
            }
            #expect(server.requests(id: "k1").map(\.status) == [500, 200])
        }
    }

    @Test func aRefusedDeliveryIsNotSent() async throws {
        try await HTTPService.calling("/ok", ["maximumBodyBytes": "100000"]) { provider, server in
            let tooLarge = await provider.send(.orderShipped(data: "{\"x\":\"\(String(repeating: "x", count: 1 << 20))\"}"))
            #expect(tooLarge.outcome == .rejected(.payloadTooLarge))
            #expect(tooLarge.detail?.hasSuffix("the service takes 100000") == true)
            #expect(server.stats.requests == 0)
        }
    }

    @Test func aTextOfAnyKindIsSentInAHeader() async throws {
        try await HTTPService.calling("/ok", ["headers": "X-Title: {{title}}"]) { provider, server in
            for title in ["a\r\nX-Admin: 1", "\n", "Größe 🎉"] {
                #expect(await provider.send(.orderShipped(title: title)).outcome == Self.taken)
            }
            #expect(server.stats.requests == 3)
        }
    }

    @Test func aClosedProviderSendsNothing() async throws {
        try await HTTPService.calling("/ok") { provider, server in
            await provider.close()
            #expect(await provider.send(.orderShipped()).outcome == .retry(after: nil, .connectionFailed))
            #expect(server.stats.requests == 0)
        }
    }

    @Test func manyAtOnceArriveOnceEach() async throws {
        try await HTTPService.calling("/ok", ["idempotencyHeader": "webhook-id", "maximumConcurrency": "16"]) { provider, server in
            let outcomes = await withTaskGroup(of: Outcome.self) { group in
                for number in 0..<200 { group.addTask { await provider.send(.orderShipped(key: "k\(number)")).outcome } }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == [Self.taken: 200])
            #expect(server.stats.acceptedIDs == 200 && server.stats.duplicatesAccepted == 0)
        }
    }
}
