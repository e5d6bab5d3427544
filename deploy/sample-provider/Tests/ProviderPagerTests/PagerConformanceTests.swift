import ProviderPager
import Testing
import TidingsCore
import TidingsProvider
import TidingsTestSupport

@Suite struct PagerConformanceTests {
    @Test func conforms() async throws {
        #expect(try await ProviderConformance.problems(of: PagerSubject()) == [])
    }
}

private struct PagerSubject: ConformanceSubject {
    let secrets = ["pager-key-0815"]

    func makeProvider(calling service: ConformanceService) throws -> any Provider {
        try makeProvider(calling: service, apiKey: secrets[0])
    }

    private func makeProvider(calling service: ConformanceService, apiKey: String) throws -> any Provider {
        let settings = [
            "apiKey": "env:PAGER_KEY", "endpoint": service.origin, "certificateAuthorities": service.certificateAuthorityFile,
            "timeoutSeconds": "2",
        ]
        let binding = ProviderBinding(name: "pager", channel: .push, kind: "pager", settings: settings, addressing: .person)
        return try PagerProviderFactory.make(binding: binding, environment: ["PAGER_KEY": apiKey])
    }

    /// Makes the provider with another key. If a provider refuses a key, its error must not contain the key. This provider accepts every
    /// key.
    func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)? {
        try makeProvider(calling: service, apiKey: change(secrets[0]))
    }

    func delivery(calling service: ConformanceService) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(milliseconds: 1_700_000_000_000, fraction: 0, random: 7), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "alarm", category: .system, createdAt: Timestamp(seconds: 1_700_000_000),
                expiresAt: nil),
            content: Content(title: "The pump stands still", body: "Hall 3"), idempotencyKey: "k1")
    }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        switch outcome {
        case .accepted: ConformanceAnswer(200, #"{"page":"4711"}"#)
        case .throttled: ConformanceAnswer(429, headers: [("retry-after", "30")])
        case .unavailable: ConformanceAnswer(503)
        case .rejected: ConformanceAnswer(400)
        case .endpointGone: ConformanceAnswer(404)
        case .misconfigured: ConformanceAnswer(401)
        case .unknown: ConformanceAnswer(200, "<html></html>")
        }
    }
}
