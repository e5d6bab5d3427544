import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers to devices through the Apple Push Notification service. Each push is one HTTP/2 request under a provider token, which the
/// team's key signs.
///
/// Apple has no idempotency key, so a push whose request broke off may arrive twice. The collapse key hides the repetition on the device.
struct APNsProvider: Provider {
    let name: String
    let channel = Channel.push
    let limits: ProviderLimits
    let showsBadge = true
    private let topic: String
    private let tokens: ProviderTokens
    private let production: APNsServer
    private let sandbox: APNsServer
    private let origins: (production: String, sandbox: String)
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - production: closed by ``close()``.
    ///   - sandbox: closed by ``close()``. May be the same as `production`.
    ///   - now: the clock of provider tokens and of dates in `Retry-After`.
    init(
        name: String, configuration: APNsConfiguration, production: APNsServer, sandbox: APNsServer,
        now: @escaping @Sendable () -> Timestamp = Timestamp.systemTime
    ) {
        self.name = name
        self.production = production
        self.sandbox = sandbox
        self.now = now
        origins = (configuration.production, configuration.sandbox)
        topic = configuration.topic
        tokens = ProviderTokens(configuration.identity)
        var limits = configuration.call.limits(maximumBodyBytes: APNsLimits.payloadBytes)
        // Each of the two servers has connections for this number of calls.
        limits.maximumConcurrencyPerHost = limits.maximumConcurrency
        if sandbox !== production { limits.maximumConcurrency *= 2 }
        self.limits = limits
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        // One deadline for both requests that a push may need.
        let deadline = ContinuousClock.now + limits.sendTimeout
        let push: APNsPush
        do throws(Refusal) {
            push = try APNsPush(of: item, topic: topic)
        } catch {
            return error.result
        }
        let server = isForSandbox(item) ? sandbox : production
        let token = tokens.current(at: now())
        var secrets = [push.deviceToken, token]
        var answer = await server.send(push.request(under: token, within: deadline - .now))
        if let token = tokenForAnotherTry(after: answer, token) {
            let rest = deadline - .now
            guard rest > .zero else {
                return SendResult(.retry(after: nil, .timeout), detail: "APNs did not process it, and no time was left to send it again")
            }
            secrets.append(token)
            answer = await server.send(push.request(under: token, within: rest))
        }
        return apnsResult(of: answer, now: now()).hiding(secrets).noting(push.note)
    }

    /// Production and sandbox are hosts of their own: if one hangs or fails, deliveries for the other are not delayed.
    func host(of item: OutgoingDelivery) -> String? { isForSandbox(item) ? origins.sandbox : origins.production }

    private func isForSandbox(_ item: OutgoingDelivery) -> Bool { item.device?.environment == "sandbox" }

    func close() async {
        await production.close()
        if sandbox !== production { await sandbox.close() }
    }

    /// Returns the provider token for an immediate second request, if APNs says that it did not process the first request. Returns nil if
    /// the answer to the first request is final, or if APNs would refuse a new token too.
    private func tokenForAnotherTry(after answer: HTTPResult, _ token: String) -> String? {
        switch apnsReason(of: answer) {
        case .expiredProviderToken: tokens.replacement(of: token, at: now())
        case .idleTimeout, .unrelatedKeyIDInToken: tokens.current(at: now())
        default: nil
        }
    }
}
