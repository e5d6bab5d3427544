import ProviderAirship
import Testing
import TidingsCapture
import TidingsCore
import TidingsJSON
import TidingsProvider

/// Complete calls to the stand-in.
struct AirshipSendTests {
    private func withAirship(
        _ settings: [String: String] = [:], _ body: (any Provider, CaptureServer) async throws -> Void
    ) async throws {
        let settings = ["appKey": "env:KEY", "masterSecret": "env:SECRET"].merging(settings) { _, given in given }
        try await withStandIn(of: AirshipProviderFactory.self, settings, body)
    }

    private func items(for people: String...) -> [OutgoingDelivery] {
        people.enumerated().map { .orderUpdate(for: $1, number: UInt64($0 + 1)) }
    }

    private func pushID(_ result: SendResult) -> String? {
        guard case .accepted(let id, delivered: false) = result.outcome else { return nil }
        return id
    }

    @Test(arguments: [[:], ["masterSecret": "", "token": "env:SECRET"]])
    func anAcceptedPushHasTheIDOfThePush(_ settings: [String: String]) async throws {
        try await withAirship(settings) { provider, server in
            for item in [OutgoingDelivery.orderUpdate(), .metadata()] {
                let result = await provider.send(item)
                #expect(pushID(result)?.count == 36 && result.status == 202 && result.detail == nil, "\(result)")
            }
            #expect(server.requests().map(\.messageID) == ["user-42 019a3c2e-0000-7000-8000-000000000001", "user-42 metadata"])
            #expect(server.requests().allSatisfy { $0.method == "POST" && $0.path == "/airship/api/push" })
        }
    }

    @Test func aBatchIsOneCallWithAPushEach() async throws {
        try await withAirship { provider, server in
            let results = await provider.send(together: items(for: "a", "b", "c"))
            #expect(Set(results.compactMap(pushID)).count == 3)
            #expect(server.stats.requests == 1)
            let body = try JSON.parse(try #require(server.requests().first?.body))
            #expect(body.arrayValue?.map { $0["audience"]?["named_user"]?.stringValue } == ["a", "b", "c"])
            #expect(await provider.send(together: []) == [])
        }
    }

    @Test func oneBadObjectCostsTheOthersNothing() async throws {
        try await withAirship { provider, server in
            let results = await provider.send(together: items(for: "a", "test+rejected", "c", "test+flaky"))
            #expect(results.map(\.status) == [202, 400, 202, 503])
            #expect(pushID(results[0]) != nil && pushID(results[2]) != nil)
            #expect(results[1].outcome == .rejected(.providerRejected) && results[1].detail?.contains("at audience.named_user") == true)
            #expect(results[3].outcome == .retry(after: nil, .providerUnavailable))
            #expect(server.stats.requests == 5)
        }
    }

    /// Each answer takes 2.8 s. All calls together may take 4 s.
    @Test func sendingEachAloneTakesNoMoreTime() async throws {
        try await withAirship(["timeoutSeconds": "4"]) { provider, server in
            server.program(CaptureBehaviour(path: "/airship", delay: .milliseconds(2_800)))
            let results = await provider.send(together: items(for: "a", "test+rejected"))
            #expect(results.count == 2 && results.allSatisfy { $0.status == nil && pushID($0) == nil }, "\(results)")
        }
    }

    @Test func aDeliveryThatCannotBeSentIsNotSent() async throws {
        try await withAirship { provider, server in
            var items = items(for: "a", "b", "c")
            items[1].content.data = "{\"x\":\"\(String(repeating: "y", count: 5_000))\"}"
            items[2].content.body = String(repeating: "y", count: 5_000)
            let results = await provider.send(together: items)
            #expect(results.map(\.status) == [202, nil, 202])
            #expect(results[1].outcome == .rejected(.payloadTooLarge))
            #expect(results[0].detail == nil && results[2].detail?.contains("the body was shortened from 5000 to ") == true)
            #expect(server.requests().map(\.messageID) == ["a,c 019a3c2e-0000-7000-8000-000000000001"])
            (items[0].content.title, items[0].content.body) = (nil, nil)
            #expect(await provider.send(items[0]).outcome == .rejected(.contentMissing))
            #expect(server.stats.requests == 1)
        }
    }

    @Test func moreThanFiveMebibytesGoOneByOne() async throws {
        try await withAirship(["platforms": "web"]) { provider, server in
            var items = items(for: "a", "b", "c")
            for place in 0..<2 { items[place].content.body = String(repeating: "y", count: 1 << 19) }
            items[2].content.body = String(repeating: "y", count: 5 << 20)
            let results = await provider.send(together: items)
            #expect(results.map(\.status) == [202, 202, nil])
            #expect(results[2].outcome == .rejected(.payloadTooLarge) && results[2].detail?.contains("limit of 5242880") == true)
            #expect(server.stats.requests == 2)
        }
    }

    @Test(arguments: [
        (["appKey": "env:WRONG"], 401), (["masterSecret": "env:FORBIDDEN"], 403), (["masterSecret": "", "token": "env:WRONG"], 401),
    ])
    func badCredentialsAreAnOperatorsMatter(_ settings: [String: String], _ status: Int) async throws {
        try await withAirship(settings) { provider, _ in
            let result = await provider.send(.orderUpdate())
            #expect(result.outcome == .misconfigured(.misconfigured) && result.status == status)
            #expect(result.detail?.contains("-1,") == false)
        }
    }

    @Test func aThrottledPushIsAcceptedLater() async throws {
        try await withAirship { provider, _ in
            let first = await provider.send(.orderUpdate(for: "test+throttled"))
            #expect(first.outcome == .retry(after: .seconds(2), .providerThrottled) && first.status == 429)
            #expect(await provider.send(.orderUpdate(for: "test+throttled")).status == 202)
        }
    }

    @Test func aPushToAnUnavailableServiceIsAcceptedLater() async throws {
        try await withAirship { provider, _ in
            let first = await provider.send(.orderUpdate(for: "test+flaky"))
            #expect(first.outcome == .retry(after: nil, .providerUnavailable) && first.status == 503)
            #expect(await provider.send(.orderUpdate(for: "test+flaky")).status == 202)
        }
    }

    @Test func anAttemptWithoutAnAnswerIsUnknown() async throws {
        try await withAirship(["timeoutSeconds": "4"]) { provider, server in
            #expect(await provider.send(.orderUpdate(for: "test+timeout")).outcome == .unknown(.timeout))
            #expect(server.stats.requests == 1)
        }
    }
}
