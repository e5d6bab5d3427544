import Glibc
import TidingsCore
import TidingsCrypto
import TidingsHTTP
import TidingsProvider

/// Delivers to browsers through the push service that their subscription names: Web Push, RFC 8030, 8291 and 8292.
///
/// A subscription's endpoint comes from the client that registered the subscription. The endpoint is therefore checked when the connection
/// is made (``TidingsHTTP/AddressGuard``), and redirects are never followed.
///
/// Web Push has no idempotency key, so a message whose call broke off may arrive twice. The collapse key hides the repetition: as topic
/// while the message waits, and as tag when the browser shows it.
struct WebPushProvider: ConnectedProvider {
    /// The most bytes of a response that are read: push services answer in one line.
    static let maximumResponseBytes = 4 << 10
    /// The longest time for the body of a response, after its head. The head decides about the delivery. A receiver that never completes its
    /// answer must not hold a call to its host.
    static let bodyTimeout = Duration.seconds(1)

    let connection: ServiceConnection
    let channel = Channel.push
    let limits: ProviderLimits
    let showsBadge = true
    private let configuration: WebPushConfiguration
    private let tokens: VAPIDTokens

    init(_ configuration: WebPushConfiguration, _ connection: ServiceConnection) {
        self.connection = connection
        self.configuration = configuration
        tokens = VAPIDTokens(configuration.identity)
        var limits = configuration.call.limits(maximumBodyBytes: MessageEncryption.longestBody)
        limits.maximumConcurrencyPerHost = configuration.maximumConcurrencyPerHost
        limits.spareCallsPerHost = ProviderLimits.spareCalls
        self.limits = limits
    }

    /// The origin of the subscription's push service.
    func host(of item: OutgoingDelivery) -> String? {
        item.endpointAddress.flatMap { try? PushSubscription(token: $0) }?.origin
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        let subscription: PushSubscription
        let message: FittedMessage<[UInt8]>
        do throws(Refusal) {
            subscription = try PushSubscription(of: item)
            message = try webPushMessage(of: item)
        } catch {
            return error.result
        }
        let authorization = tokens.authorization(for: subscription.origin, now: connection.now())
        let result = await connection.send(request(item, message.message, to: subscription, authorization))
        // Hide the VAPID token: together with an endpoint, it lets anybody send to this push service.
        return webPushResult(of: result, now: connection.now()).hiding(authorization.split { " ,=".contains($0) }.map(String.init))
            .hidingAddress(subscription.endpoint).noting(message.note)
    }

    private func request(
        _ item: OutgoingDelivery, _ message: [UInt8], to subscription: PushSubscription, _ authorization: String
    ) -> HTTPRequest {
        let salt = (0..<MessageEncryption.saltBytes).map { _ in UInt8.random(in: .min ... .max) }
        return HTTPRequest(
            url: subscription.endpoint,
            headers: webPushHeaders(of: item, configuration: configuration, authorization: authorization, now: connection.now()),
            body: MessageEncryption.encrypt(message, for: subscription, ephemeral: P256PrivateKey(), salt: salt),
            connectTimeout: configuration.call.connectTimeout, totalTimeout: configuration.call.timeout,
            bodyTimeout: Self.bodyTimeout, maximumResponseBytes: Self.maximumResponseBytes, guarding: configuration.guarding)
    }
}
