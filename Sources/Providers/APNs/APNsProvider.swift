import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers to devices through the Apple Push Notification service: one HTTP/2 request a push, under a provider token that the team's key
/// signs.
///
/// Apple knows no idempotency key: a push whose request broke off may arrive twice, and the collapse key hides that on the device.
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
    ///   - production: closed by ``close()``, as is the sandbox; they may be the same.
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
        // Each of the two has connections for as many.
        limits.maximumConcurrencyPerHost = limits.maximumConcurrency
        if sandbox !== production { limits.maximumConcurrency *= 2 }
        self.limits = limits
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        // One limit for both requests that a push may take.
        let deadline = ContinuousClock.now + limits.sendTimeout
        let push: APNsPush
        do throws(UnsendablePush) {
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
        return apnsResult(of: answer, now: now()).hiding(secrets)
    }

    /// Production and sandbox are hosts of their own: one that hangs or fails holds up nothing of the other.
    func host(of item: OutgoingDelivery) -> String? { isForSandbox(item) ? origins.sandbox : origins.production }

    private func isForSandbox(_ item: OutgoingDelivery) -> Bool { item.device?.environment == "sandbox" }

    func close() async {
        await production.close()
        if sandbox !== production { await sandbox.close() }
    }

    /// With which provider token to send once more, at once, what APNs says it did not process; nil where the answer stands.
    private func tokenForAnotherTry(after answer: HTTPResult, _ token: String) -> String? {
        switch apnsReason(of: answer) {
        case .expiredProviderToken: tokens.replacement(of: token, at: now())
        case .idleTimeout, .unrelatedKeyIDInToken: tokens.current(at: now())
        default: nil
        }
    }
}
