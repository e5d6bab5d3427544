import ProviderBraze
import Testing
import TidingsCapture
import TidingsCore
import TidingsJSON
import TidingsProvider

/// Complete calls to the stand-in.
struct BrazeSendTests {
    private func withBraze(
        _ settings: [String: String] = [:], _ body: (any Provider, CaptureServer) async throws -> Void
    ) async throws {
        let settings = ["apiKey": "env:KEY"].merging(settings) { _, given in given }
        try await withStandIn(of: BrazeProviderFactory.self, settings, body)
    }

    @Test func anAcceptedMessageHasTheIDOfTheDispatch() async throws {
        try await withBraze { provider, server in
            for item in [OutgoingDelivery.orderUpdate(), .metadata()] {
                let result = await provider.send(item)
                guard case .accepted(let id?, delivered: false) = result.outcome else {
                    Issue.record("\(result)")
                    continue
                }
                #expect(id.count == 36 && result.status == 201 && result.detail == nil)
            }
            #expect(server.requests().map(\.messageID) == ["user-42 orderUpdate", "user-42 metadata"])
            #expect(server.requests().allSatisfy { $0.method == "POST" && $0.path == "/braze/messages/send" })
        }
    }

    @Test func aBatchIsOneCall() async throws {
        try await withBraze { provider, server in
            let items = ["a", "b", "a"].enumerated().map { OutgoingDelivery.orderUpdate(for: $1, number: UInt64($0)) }
            let results = await provider.send(together: items)
            #expect(results.count == 3 && Set(results).count == 1)
            guard case .accepted(_?, delivered: false) = results[0].outcome else {
                Issue.record("\(results)")
                return
            }
            let body = try JSON.parse(try #require(server.requests().first?.body))
            #expect(server.stats.requests == 1)
            #expect(body["external_user_ids"] == ["a", "b"])
            #expect(await provider.send(together: []) == [])
        }
    }

    @Test func errorsBesideSuccessStayAccepted() async throws {
        try await withBraze { provider, _ in
            let results = await provider.send(together: [.orderUpdate(for: "a"), .orderUpdate(for: "test+rejected", number: 2)])
            #expect(results.allSatisfy { $0.status == 201 && $0.detail?.contains("test+rejected") == true })
        }
    }

    @Test(arguments: [("env:WRONG", 401), ("env:FORBIDDEN", 403)])
    func badCredentialsAreAnOperatorsMatter(_ key: String, _ status: Int) async throws {
        try await withBraze(["apiKey": key]) { provider, _ in
            let result = await provider.send(.orderUpdate())
            #expect(result.outcome == .misconfigured(.misconfigured) && result.status == status)
            #expect(result.detail?.contains("-1") == false)
        }
    }

    @Test func aThrottledMessageIsAcceptedAfterTheReset() async throws {
        try await withBraze { provider, _ in
            let first = await provider.send(.orderUpdate(for: "test+throttled"))
            guard case .retry(let after?, .providerThrottled) = first.outcome else {
                Issue.record("\(first)")
                return
            }
            #expect(after <= .seconds(2) && first.status == 429 && first.detail == "Rate Limited")
            #expect(await provider.send(.orderUpdate(for: "test+throttled")).status == 201)
        }
    }

    @Test func aMessageToAnUnavailableServiceIsAcceptedLater() async throws {
        try await withBraze { provider, _ in
            let first = await provider.send(.orderUpdate(for: "test+flaky"))
            #expect(first.outcome == .retry(after: nil, .providerUnavailable) && first.status == 503)
            #expect(await provider.send(.orderUpdate(for: "test+flaky")).status == 201)
        }
    }

    @Test func aMessageThatBrazeRefusesIsRejected() async throws {
        try await withBraze { provider, _ in
            let result = await provider.send(.orderUpdate(for: "test+rejected"))
            #expect(result.outcome == .rejected(.providerRejected) && result.status == 400)
        }
    }

    @Test func anAttemptWithoutAnAnswerIsUnknown() async throws {
        try await withBraze(["timeoutSeconds": "4"]) { provider, server in
            #expect(await provider.send(.orderUpdate(for: "test+timeout")).outcome == .unknown(.timeout))
            #expect(server.stats.requests == 1)
        }
    }

    @Test func aMessageThatOnlyAndroidTakesIsSentThere() async throws {
        try await withBraze { provider, server in
            var item = OutgoingDelivery.orderUpdate()
            item.content.data = "{\"x\":\"\(String(repeating: "y", count: 2_500))\"}"
            let result = await provider.send(item)
            #expect(result.status == 201 && result.detail?.hasPrefix("the platform ios was left out: ") == true)
            let body = try JSON.parse(try #require(server.requests().first?.body))
            #expect(body["messages"]?.objectValue?.keys == ["android_push"])
        }
    }

    @Test func aDeliveryThatCannotBeSentIsNotSent() async throws {
        try await withBraze { provider, server in
            var item = OutgoingDelivery.orderUpdate()
            item.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_000))\"}"
            #expect(await provider.send(item).outcome == .rejected(.payloadTooLarge))
            (item.content.title, item.content.body) = (nil, nil)
            let results = await provider.send(together: [item, item])
            #expect(results.map(\.outcome) == [.rejected(.contentMissing), .rejected(.contentMissing)])
            #expect(server.stats.requests == 0)
        }
    }
}
