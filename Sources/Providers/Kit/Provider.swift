public import TidingsCore

/// One carrier of one channel, ready to send.
///
/// A provider only sends and tells what came of it. Claiming, retries, rate limits, breakers and recording belong to its caller, which
/// keeps to the declared ``limits``.
public protocol Provider: Sendable {
    /// The binding's name in the catalogue.
    var name: String { get }
    var channel: Channel { get }
    var limits: ProviderLimits { get }
    /// Whether it sends ``OutgoingDelivery/badge``: the person's unread notifications are counted for it with every claim.
    var showsBadge: Bool { get }

    /// Which of its hosts a delivery is sent to, where there are several, such as those that recipients name: its room and its breaker
    /// count by host, so that one that hangs holds up nobody else. Nil where all go to the same place.
    func host(of item: OutgoingDelivery) -> String?

    /// Sends one delivery, once, and says how it ended. Never throws and always returns within ``ProviderLimits/sendTimeout``, give or take
    /// a second; cancelling the task ends it sooner. `unknown` is reserved for the case where the request may have arrived unanswered.
    ///
    /// Nothing secret is in what it returns, even where the service repeats what it was sent: see ``TidingsCore/SendResult/hiding(_:)``.
    func send(_ item: OutgoingDelivery) async -> SendResult

    /// Sends deliveries of the same ``OutgoingDelivery/content`` in one call, at most ``ProviderLimits/maximumTogether`` of them, and says how
    /// each ended, in their order.
    func send(together items: [OutgoingDelivery]) async -> [SendResult]

    /// Lets go of connections. Sends under way end, and later ones are refused.
    func close() async
}

extension Provider {
    public var showsBadge: Bool { false }
    public func host(of item: OutgoingDelivery) -> String? { nil }

    /// For a provider whose calls carry one delivery each.
    public func send(together items: [OutgoingDelivery]) async -> [SendResult] {
        var results: [SendResult] = []
        for item in items { results.append(await send(item)) }
        return results
    }
}

/// What a provider can take, as data for whoever calls it. Concurrency and rate are what it takes from all processes together: each that calls it
/// keeps to an equal share, of at least one call.
public struct ProviderLimits: Sendable, Hashable {
    /// Bytes of one request's body; a larger one is rejected without being sent.
    public var maximumBodyBytes: Int
    /// Calls under way at once.
    public var maximumConcurrency: Int
    /// Calls under way at once to one host, see ``Provider/host(of:)``; nil where all go to the same place.
    public var maximumConcurrencyPerHost: Int?
    /// Nil for no limit.
    public var requestsPerSecond: Double?
    /// Deliveries of the same content that one call may carry.
    public var maximumTogether: Int
    /// How long one call may take from start to end.
    public var sendTimeout: Duration

    public init(
        maximumBodyBytes: Int, maximumConcurrency: Int, maximumConcurrencyPerHost: Int? = nil, requestsPerSecond: Double? = nil,
        maximumTogether: Int = 1, sendTimeout: Duration
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumConcurrency = maximumConcurrency
        self.maximumConcurrencyPerHost = maximumConcurrencyPerHost
        self.requestsPerSecond = requestsPerSecond
        self.maximumTogether = maximumTogether
        self.sendTimeout = sendTimeout
    }
}
