import Synchronization
import Testing
import TidingsCore
import TidingsProvider
import TidingsTestSupport

/// Checks that the conformance suite finds leaked secrets.
@Suite struct LeakTests {
    @Test(arguments: [
        (Leak.result, "a result"), (.message, "a result"), (.half, "a result"), (.log, "a log line"), (.error, "an error"),
    ])
    func aSecretThatIsToldIsFound(_ leak: Leak, _ place: String) async throws {
        let problems = try await ProviderConformance.problems(of: LeakySubject(leak: leak))
        #expect(!problems.isEmpty && problems.allSatisfy { $0.hasPrefix(place) && $0.hasSuffix("holds secret 0") }, "\(problems)")
    }

    /// The name of a header is no secret, so no provider hides it. This test declares it as a secret. The suite must then find it in the
    /// results of each provider, because the service repeats it. A real secret would be found in the same place.
    @Test(arguments: ["apns", "fcm", "braze", "airship", "http", "webpush", "webhook"])
    func anAnswerThatRepeatsASecretIsFound(_ kind: String) async throws {
        let subjects: [any BindingSubject] = [
            APNsSubject(), FCMSubject(key: try await rsaKey()), BrazeSubject(), AirshipSubject(), HTTPSubject(), WebPushSubject(),
            WebhookSubject(),
        ]
        let subject = try #require(subjects.first { $0.kind == kind })
        let problems = try await ProviderConformance.problems(of: RenamingSubject(base: subject, secrets: ["content-type: application/"]))
        let repeated = problems.filter { $0.hasPrefix("a result (page, 400") && $0.hasSuffix("holds secret 0") }
        #expect(!repeated.isEmpty && problems.allSatisfy { $0.hasSuffix("holds secret 0") }, "\(problems)")
    }
}

/// The base subject, with secrets that it does not have.
private struct RenamingSubject: ConformanceSubject {
    let base: any ConformanceSubject
    let secrets: [String]

    var unreachable: [ConformanceOutcome: String] { base.unreachable }

    func makeProvider(calling service: ConformanceService) throws -> any Provider { try base.makeProvider(calling: service) }
    func delivery(calling service: ConformanceService) -> OutgoingDelivery { base.delivery(calling: service) }
    func isDelivery(_ request: ConformanceRequest) -> Bool { base.isDelivery(request) }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        base.answer(to: request, meaning: outcome)
    }
}

enum Leak: Sendable {
    /// The detail of a failure.
    case result
    /// The provider's id of a message.
    case message
    /// The first half of the secret, at the end of the detail.
    case half
    case log
    case error
}

/// A provider that conforms except for one leak.
private struct LeakySubject: ConformanceSubject {
    static let secret = "leaky-secret-0123456789-0123456789"

    let leak: Leak
    let log = LeakLog()
    let honest = BrazeSubject()

    var secrets: [String] { [Self.secret] }
    var unreachable: [ConformanceOutcome: String] { honest.unreachable }
    var logLines: [String] { log.lines }

    func makeProvider(calling service: ConformanceService) throws -> any Provider {
        LeakyProvider(base: try honest.makeProvider(calling: service), leak: leak, log: log)
    }

    func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)? {
        guard leak == .error else { return nil }
        throw ProviderConfigurationError(provider: "leaky", setting: "apiKey", message: "\(Self.secret) is no key")
    }

    func delivery(calling service: ConformanceService) -> OutgoingDelivery { honest.delivery(calling: service) }

    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer {
        honest.answer(to: request, meaning: outcome)
    }
}

private struct LeakyProvider: Provider {
    let base: any Provider
    let leak: Leak
    let log: LeakLog

    var name: String { base.name }
    var channel: Channel { base.channel }
    var limits: ProviderLimits { base.limits }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        let result = await base.send(item)
        switch (leak, result.outcome) {
        case (.message, .accepted): return SendResult(.accepted(providerMessageID: LeakySubject.secret, delivered: false))
        case (.result, .rejected): return SendResult(result.outcome, detail: "no \(LeakySubject.secret) here")
        case (.half, .rejected): return SendResult(result.outcome, detail: "no \(LeakySubject.secret.prefix(17))")
        case (.log, _): log.note("sent with \(LeakySubject.secret)")
        default: break
        }
        return result
    }

    func send(together items: [OutgoingDelivery]) async -> [SendResult] { await base.send(together: items) }
    func close() async { await base.close() }
}

private final class LeakLog: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }
    func note(_ line: String) { state.withLock { $0.append(line) } }
}
