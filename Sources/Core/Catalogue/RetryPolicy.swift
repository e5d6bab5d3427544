/// The number of attempts of a delivery, and the waits between them.
public struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts, including the first. A value below 1 counts as 1.
    public var maximumAttempts: Int
    /// The longest possible wait after the first attempt. It doubles with every further attempt.
    public var base: Duration
    /// The upper limit of the waits. A provider's `Retry-After` may exceed it, up to ``longestProviderWait``.
    public var cap: Duration

    public init(maximumAttempts: Int, base: Duration, cap: Duration) {
        self.maximumAttempts = maximumAttempts
        self.base = base
        self.cap = cap
    }

    /// Ten attempts. The longest possible wait doubles from 2 s, up to 10 minutes. All waits together take about 9 minutes on average and
    /// 17 at most. This outlasts a restart or a deployment at the provider, and people do not wait for hours.
    public static let standard = RetryPolicy(maximumAttempts: 10, base: .seconds(2), cap: .seconds(600))

    /// The longest `Retry-After` that is honoured: one day. If a provider asks for more, the retry comes after one day.
    public static let longestProviderWait = Duration.seconds(86_400)
}
