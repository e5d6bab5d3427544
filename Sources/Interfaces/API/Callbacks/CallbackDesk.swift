import Logging
import Synchronization
import TidingsCore
import TidingsMetrics
import TidingsWeb

/// The memory of one process about callbacks: rates and log lines.
final class CallbackDesk: Sendable {
    /// Requests of one provider to one process. A service that reports each message alone sends as many as Tidings sends to it.
    static let requestsPerProvider = TokenBucket.Limit(perSecond: 500, burst: 1_000)
    /// The pause before a provider sends a request again that could not be checked.
    static let settingsPause = Duration.seconds(30)
    /// Reports of one provider that one process keeps because their message ids are not known yet. A service whose account others share
    /// reports their messages too. Beyond the share such reports count as unknown at once.
    static let earlyReports = TokenBucket.Limit(perSecond: 200, burst: 10_000)
    /// Between two log lines of one kind about one provider. Anybody can send a request that is refused.
    static let logInterval = Duration.seconds(10)

    /// Strangers cause only lines about refusals. So they cannot keep a line about the provider's own events out of the log.
    private struct LogLine: Hashable {
        let provider: String
        let isRefusal: Bool
    }

    private struct State {
        var rates: [String: TokenBucket] = [:]
        var early: [String: TokenBucket] = [:]
        var loggedAt: [LogLine: ContinuousClock.Instant] = [:]
    }

    private let metrics: Metrics
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the clock that measures ``logInterval``.
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

    /// Whether this many more reports of a provider may be kept until their messages are known.
    func mayKeep(_ reports: Int, of provider: String, at time: Timestamp) -> Bool {
        state.withLock { state in
            var bucket = state.early[provider] ?? TokenBucket(Self.earlyReports, at: time)
            defer { state.early[provider] = bucket }
            return bucket.take(reports, at: time) == .zero
        }
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
