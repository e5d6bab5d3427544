public import TidingsCore
import TidingsHTTP
public import TidingsProvider

/// Delivers by signed HTTP POST to an address that the recipient named: Standard Webhooks 1.0.0.
///
/// A 2xx answer means delivered. The `webhook-id` is the delivery's idempotency key, so every attempt sends the same one. The timestamp is
/// that of the attempt, so the signature differs as well. The address is checked when the connection is made
/// (``TidingsHTTP/AddressGuard``). Redirects are never followed.
public struct WebhookProvider: ConnectedProvider {
    /// The most bytes of a response that are read. The stored excerpt has at most 500 bytes; the rest would be a web page of the receiver.
    static let maximumResponseBytes = 4 << 10
    /// The longest time for the body of a response, after its head. The head decides about the delivery. A receiver that never completes its
    /// answer must not hold a call to its host.
    static let bodyTimeout = Duration.seconds(1)
    /// An intent has at most 256 KiB. Escaping and the envelope may add to that. Standard Webhooks recommends less than 20 kB.
    static let maximumBodyBytes = 512 << 10

    public let connection: ServiceConnection
    public let channel = Channel.webhook
    public let limits: ProviderLimits
    private let configuration: WebhookConfiguration

    public init(_ configuration: WebhookConfiguration, _ connection: ServiceConnection) {
        self.connection = connection
        self.configuration = configuration
        limits = ProviderLimits(
            maximumBodyBytes: Self.maximumBodyBytes,
            maximumConcurrency: configuration.maximumConcurrency,
            maximumConcurrencyPerHost: configuration.maximumConcurrencyPerHost,
            spareCallsPerHost: ProviderLimits.spareCalls,
            sendTimeout: configuration.timeout)
    }

    /// The origin of the receiver's address. All spellings of an origin are one host, for the caller as for the connections.
    public func host(of item: OutgoingDelivery) -> String? {
        item.endpointAddress.flatMap { try? HTTPTarget($0) }?.normalOrigin
    }

    public func send(_ item: OutgoingDelivery) async -> SendResult {
        guard let url = item.endpointAddress else {
            return SendResult(.rejected(.noAddress), detail: "the delivery has no address")
        }
        let body: FittedMessage<[UInt8]>
        do throws(Refusal) {
            body = try item.fitted { item in
                let body = webhookBody(of: item)
                return SizedMessage(body, [PartSize("the body", bytes: body.count, limit: Self.maximumBodyBytes, of: "a webhook")])
            }
        } catch {
            return error.result
        }
        let headers: [(String, String)]
        switch self.headers(of: item, body: body.message) {
        case .success(let made): headers = made
        case .failure(let problem): return SendResult(.misconfigured(.misconfigured), detail: problem.description)
        }
        let request = HTTPRequest(
            url: url, headers: headers, body: body.message, connectTimeout: configuration.connectTimeout,
            totalTimeout: configuration.timeout,
            bodyTimeout: Self.bodyTimeout, maximumResponseBytes: Self.maximumResponseBytes, guarding: configuration.guarding)
        return webhookResult(of: await connection.send(request), now: connection.now()).hidingAddress(url).noting(body.note)
    }

    private func headers(of item: OutgoingDelivery, body: [UInt8]) -> Result<[(String, String)], WebhookSecret.Problem> {
        let id = webhookID(from: item.idempotencyKey)
        let timestamp = connection.now().wholeSeconds
        var headers = [("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", String(timestamp))]
        let secrets: [WebhookSecret]
        do throws(WebhookSecret.Problem) {
            secrets = item.secrets.isEmpty ? configuration.secrets : try WebhookSecret.parse(item.secrets)
        } catch {
            return .failure(error)
        }
        if secrets.isEmpty {
            guard configuration.allowsUnsigned else { return .failure(.missing) }
        } else {
            headers.append(("webhook-signature", webhookSignature(id: id, timestamp: timestamp, body: body, secrets: secrets)))
        }
        if let traceparent = item.traceparent { headers.append(("traceparent", traceparent)) }
        return .success(headers)
    }
}

/// Converts the idempotency key to a `webhook-id`. Every character that is not an ASCII letter, an ASCII digit, `-` or `_` becomes `_`. A
/// full stop in particular must not stay: it separates the parts of the signed content.
func webhookID(from key: String) -> String {
    String(key.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" ? $0 : "_" })
}
