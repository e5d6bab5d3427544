public import TidingsCore

/// A service that sends deliveries of one channel, such as a push service or a webhook.
///
/// A provider only sends, and reports how each attempt ended. Its caller handles leases, retries, rate limits, circuit breakers and
/// storage, and keeps to the declared ``limits``.
public protocol Provider: Sendable {
    /// The binding's name in the catalogue.
    var name: String { get }
    var channel: Channel { get }
    var limits: ProviderLimits { get }
    /// Whether the provider sends ``OutgoingDelivery/badge``. If true, every claim also counts the person's unread notifications.
    var showsBadge: Bool { get }
    /// Whether callbacks of the service name a delivery by the service's own message id. If true, that id is stored so that it can be
    /// found, which costs a row for each accepted delivery.
    var isReportedByMessageID: Bool { get }

    /// The host that the delivery is sent to. Nil if the provider has one host for all deliveries.
    ///
    /// Concurrency and a circuit breaker count by host, so a host that hangs delays no delivery for another host. For example, the hosts of
    /// webhooks come from recipients. Another breaker counts by endpoint: the address of the delivery, or its person if it has none, or
    /// its content if the provider takes several deliveries in one call.
    func host(of item: OutgoingDelivery) -> String?

    /// Sends one delivery once, and returns how the attempt ended.
    ///
    /// Never throws. Always returns within ``ProviderLimits/sendTimeout``, plus or minus a second; cancelling the task ends the call
    /// sooner. Returns `unknown` only if the request may have arrived and no answer came.
    ///
    /// The result contains no secret, even if the service repeats the request in its answer: see ``TidingsCore/SendResult/hiding(_:)``.
    func send(_ item: OutgoingDelivery) async -> SendResult

    /// Sends deliveries of the same ``OutgoingDelivery/batchKey`` in one call, at most ``ProviderLimits/maximumTogether``. Returns their
    /// results in the same order.
    func send(together items: [OutgoingDelivery]) async -> [SendResult]

    /// Closes the connections. Calls under way end, and later calls are refused.
    func close() async
}

extension Provider {
    public var showsBadge: Bool { false }
    public var isReportedByMessageID: Bool { false }
    public func host(of item: OutgoingDelivery) -> String? { nil }

    /// Sends the deliveries one after the other, for a provider whose calls carry one delivery each.
    public func send(together items: [OutgoingDelivery]) async -> [SendResult] {
        var results: [SendResult] = []
        for item in items { results.append(await send(item)) }
        return results
    }
}

/// The limits of a provider, as data for its caller. Concurrency and rate are limits for all processes together. Each process that calls
/// the provider keeps to an equal share, of at least one call.
public struct ProviderLimits: Sendable, Hashable {
    /// The most bytes of one request's body. A delivery with a larger body is shortened, see ``OutgoingDelivery/fitted(_:)``, or rejected
    /// without being sent.
    public var maximumBodyBytes: Int
    /// Concurrent calls.
    public var maximumConcurrency: Int
    /// Concurrent calls to one host, see ``Provider/host(of:)``; nil if the provider has one host for all deliveries.
    public var maximumConcurrencyPerHost: Int?
    /// The calls that each process may add to its share of ``maximumConcurrencyPerHost`` while calls to the host hang or fail. Each goes to
    /// an endpoint without a call under way. Zero for a host that the operator chose.
    public var spareCallsPerHost: Int
    /// Calls a second; nil for no limit.
    public var requestsPerSecond: Double?
    /// The most deliveries of the same content that one call carries.
    public var maximumTogether: Int
    /// The longest time of one call from start to end.
    public var sendTimeout: Duration

    /// The ``spareCallsPerHost`` of a provider whose hosts come from recipients. With many processes, the share of each may be one call. If
    /// that call hangs, the spare ones are for the other endpoints of the host.
    public static let spareCalls = 2

    public init(
        maximumBodyBytes: Int, maximumConcurrency: Int, maximumConcurrencyPerHost: Int? = nil, spareCallsPerHost: Int = 0,
        requestsPerSecond: Double? = nil, maximumTogether: Int = 1, sendTimeout: Duration
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumConcurrency = maximumConcurrency
        self.maximumConcurrencyPerHost = maximumConcurrencyPerHost
        self.spareCallsPerHost = spareCallsPerHost
        self.requestsPerSecond = requestsPerSecond
        self.maximumTogether = maximumTogether
        self.sendTimeout = sendTimeout
    }
}
