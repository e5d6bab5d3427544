import Testing
import TidingsCapture
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderWebhook

/// The requests that a receiver gets.
struct WebhookRequestTests {
    @Test func bodyHasTheShapeOfStandardWebhooks() throws {
        let item = OutgoingDelivery.sample(to: nil, data: "{\"orderId\":\"17\",\"n\":1.50}")
        #expect(
            String(decoding: webhookBody(of: item), as: UTF8.self)
                == """
                {"type":"orderUpdate","timestamp":"2026-01-01T00:00:00.000Z","data":{"id":"019a3c2e-0000-7000-8000-000000000001",\
                "recipient":"user-42","title":"Your order shipped","body":"It arrives \\"tomorrow\\".","category":"transactional",\
                "createdAt":"2026-01-01T00:00:00.000Z","data":{"orderId":"17","n":1.50}}}
                """)
    }

    @Test func titleAndBodyMayBeMissing() throws {
        var item = OutgoingDelivery.sample(to: nil)
        (item.content.title, item.content.body) = (nil, nil)
        let json = try JSON.parse(webhookBody(of: item))
        #expect(json["data"]?.objectValue?.keys == ["id", "recipient", "category", "createdAt", "data"])
    }

    /// The caller counts the calls of all spellings of an origin as calls to one host, as the connections do.
    @Test func allSpellingsOfAnOriginAreOneHost() async throws {
        try await withWebhooks { provider in
            let urls = ["https://hooks.example/a", "https://HOOKS.example:443/b?c=1", "HTTPS://hooks.example#d"]
            #expect(urls.map { provider.host(of: .sample(to: $0)) } == Array(repeating: "https://hooks.example", count: 3))
            #expect(provider.host(of: .sample(to: "https://hooks.example:8443/a")) == "https://hooks.example:8443")
            #expect(provider.host(of: .sample(to: "no address")) == nil && provider.host(of: .sample(to: nil)) == nil)
        }
    }

    @Test func signatureIsValidAndTheIDStaysTheSame() async throws {
        try await withCapture { server, origin in
            try await withWebhooks { provider in
                for attempt in 1...2 {
                    var item = OutgoingDelivery.sample(to: "\(origin)/fail/1")
                    item.header.attempt = attempt
                    _ = await provider.send(item)
                }
            }
            let seen = server.requests(id: "019a3c2e-0000-7000-8000-000000000001_0")
            #expect(seen.map(\.attempt) == [1, 2])
            #expect(seen.map(\.status) == [500, 200])
            #expect(seen.map(\.signature) == [.valid, .valid])
            #expect(
                seen.allSatisfy { $0.method == "POST" && $0.text == String(decoding: webhookBody(of: .sample(to: nil)), as: UTF8.self) })
        }
    }

    @Test func bothSecretsOfARotationAreValid() async throws {
        let old = "whsec_" + String(repeating: "AAAA", count: 8)
        for known in [testSecret, old] {
            try await withCapture(CaptureConfiguration(secrets: [known])) { server, origin in
                _ = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok", secrets: [testSecret, old])) }
                #expect(server.requests().map(\.signature) == [.valid])
            }
        }
        try await withCapture(CaptureConfiguration(secrets: [old])) { server, origin in
            _ = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok", secrets: [testSecret])) }
            #expect(server.requests().map(\.signature) == [.invalid])
        }
    }

    @Test func endpointsWithoutSecretUseTheProviders() async throws {
        try await withCapture { server, origin in
            let result = try await withWebhooks(secrets: [testSecret]) { await $0.send(.sample(to: "\(origin)/ok", secrets: [])) }
            #expect(result.outcome == .accepted(providerMessageID: nil, delivered: true))
            #expect(server.requests().map(\.signature) == [.valid])
        }
    }

    @Test func aWebhookWithoutASecretIsSentOnlyIfAllowed() async throws {
        try await withCapture { server, origin in
            let item = OutgoingDelivery.sample(to: "\(origin)/ok", secrets: [])
            let refused = try await withWebhooks { await $0.send(item) }
            #expect(refused.outcome == .misconfigured(.misconfigured))
            #expect(refused.detail?.contains("signing secret") == true)
            #expect(server.stats.requests == 0)
            let sent = try await withWebhooks(allowsUnsigned: true) { await $0.send(item) }
            #expect(sent.outcome == .accepted(providerMessageID: nil, delivered: true))
            #expect(server.requests().map(\.signature) == [.absent])
        }
    }

    @Test func badSecretsAreToldWithoutShowingThem() async throws {
        let result = try await withWebhooks { await $0.send(.sample(to: "http://127.0.0.1:1/", secrets: ["whsec_hunter2!"])) }
        #expect(result.outcome == .misconfigured(.misconfigured))
        #expect(result.detail?.contains("hunter2") == false)
    }

    @Test func aTextThatIsTooLongIsShortened() async throws {
        try await withCapture { server, origin in
            var item = OutgoingDelivery.sample(to: "\(origin)/ok")
            // A line break has two bytes in JSON.
            item.content.body = String(repeating: "\n", count: 300_000)
            let result = try await withWebhooks { await $0.send(item) }
            #expect(result.outcome == .accepted(providerMessageID: nil, delivered: true))
            #expect(result.detail?.contains("the body was shortened from 300000 to ") == true)
            #expect(server.requests().map(\.bodyBytes).allSatisfy { (1...WebhookProvider.maximumBodyBytes).contains($0) })
        }
    }

    @Test func aBodyThatIsTooLargeIsRejectedUnsent() async throws {
        try await withCapture { server, origin in
            let data = "{\"x\":\"\(String(repeating: "y", count: WebhookProvider.maximumBodyBytes))\"}"
            let result = try await withWebhooks { await $0.send(.sample(to: "\(origin)/ok", data: data)) }
            #expect(result.outcome == .rejected(.payloadTooLarge))
            #expect(server.stats.requests == 0)
        }
    }
}
