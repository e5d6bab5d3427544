import Logging
import Synchronization
import TidingsCore
import TidingsMetrics
import TidingsStore

/// The memory of one process about callbacks: rates, references that no delivery has yet, and log lines.
final class CallbackDesk: Sendable {
    /// Requests of one provider to one process. A service that reports each message alone sends as many as Tidings sends to it.
    static let requestsPerProvider = TokenBucket.Limit(perSecond: 500, burst: 1_000)
    /// The pause before a provider sends a report again that came too early. A worker writes its answers within milliseconds.
    static let earlyPause = Duration.seconds(5)
    /// The pause before a provider sends a request again that could not be checked.
    static let settingsPause = Duration.seconds(30)
    /// The time for which an unknown message id may belong to an answer that a worker has not written yet.
    static let patience = Duration.seconds(60)
    /// Unknown message ids that are remembered. Beyond it all are forgotten, and each is answered as early once more.
    static let rememberedReferences = 10_000
    /// Between two log lines of one kind about one provider. Anybody can send a request that is refused.
    static let logInterval = Duration.seconds(10)

    private struct UnknownReference: Hashable {
        let provider: String
        let id: String
    }

    /// Strangers cause only lines about refusals. So they cannot keep a line about the provider's own events out of the log.
    private struct LogLine: Hashable {
        let provider: String
        let isRefusal: Bool
    }

    private struct State {
        var rates: [String: TokenBucket] = [:]
        var unknown: [UnknownReference: ContinuousClock.Instant] = [:]
        var loggedAt: [LogLine: ContinuousClock.Instant] = [:]
    }

    private let metrics: Metrics
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the clock that measures ``patience`` and ``logInterval``.
    init(metrics: Metrics, logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.metrics = metrics
        self.logger = logger
        self.now = now
    }

    /// Counts one request of a provider. Throws a problem with the time to wait if the provider is over its rate.
    func countRequest(of provider: String, at time: Timestamp) throws {
        let limit = Self.requestsPerProvider
        let (wait, used) = state.withLock { state -> (Duration, Int) in
            var bucket = state.rates[provider] ?? TokenBucket(limit, at: time)
            defer { state.rates[provider] = bucket }
            return (bucket.take(at: time), bucket.used(at: time))
        }
        guard wait > .zero else { return }
        count(provider, "rateLimited")
        let share = UsedShare(of: .provider, .requests, used: used, limit: limit.burst, perSecond: limit.perSecond)
        throw Problem.rateLimited(share, retryAfter: wait)
    }

    /// The result that counts. A message id that is not known at first may belong to a call whose answer is being written: the report is
    /// early then. After ``patience`` it belongs to nobody.
    func final(_ result: ReportResult, of report: DeliveryReport, from provider: String) -> ReportResult {
        guard case .message(let id) = report.reference, result == .unknown else { return result }
        let (now, reference) = (now(), UnknownReference(provider: provider, id: id))
        let first = state.withLock { state -> ContinuousClock.Instant in
            if let first = state.unknown[reference] { return first }
            if state.unknown.count >= Self.rememberedReferences {
                state.unknown = state.unknown.filter { now - $0.value < Self.patience }
                if state.unknown.count >= Self.rememberedReferences { state.unknown.removeAll() }
            }
            state.unknown[reference] = now
            return now
        }
        return now - first < Self.patience ? .early : .unknown
    }

    func count(_ provider: String, _ result: String) { metrics.callbacks(provider, result).add() }

    /// Counts a refused request, and logs it unless one of the provider was logged a moment ago.
    func refused(_ provider: String, _ result: String, _ reason: String) {
        count(provider, result)
        guard mayLog(LogLine(provider: provider, isRefusal: true)) else { return }
        logger.warning("a callback was refused", metadata: ["provider": "\(provider)", "result": "\(result)", "reason": "\(reason)"])
    }

    /// Counts events that cannot be read, and logs the reason of the first unless some of the provider were logged a moment ago.
    func unreadable(_ provider: String, _ events: Int, _ reason: String) {
        metrics.callbacks(provider, "unreadable").add(events)
        guard mayLog(LogLine(provider: provider, isRefusal: false)) else { return }
        logger.warning(
            "events of a callback cannot be read", metadata: ["provider": "\(provider)", "events": "\(events)", "reason": "\(reason)"])
    }

    private func mayLog(_ line: LogLine) -> Bool {
        let now = now()
        return state.withLock { state in
            if let last = state.loggedAt[line], now - last < Self.logInterval { return false }
            state.loggedAt[line] = now
            return true
        }
    }
}
