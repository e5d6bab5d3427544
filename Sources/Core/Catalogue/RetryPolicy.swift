/// How often, and how patiently, a delivery is tried.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts in all, the first included. At least 1 takes effect.
    public var maximumAttempts: Int
    /// The longest possible wait after the first attempt; it doubles with every further one.
    public var base: Duration
    /// No wait chosen here is longer. A provider's own Retry-After may be, up to ``longestProviderWait``.
    public var cap: Duration

    public init(maximumAttempts: Int, base: Duration, cap: Duration) {
        self.maximumAttempts = maximumAttempts
        self.base = base
        self.cap = cap
    }

    /// Ten attempts, waits of up to 2 s doubling to 10 minutes: about 9 minutes on average, 17 at most, which outlasts a restart or a
    /// deployment at the provider without leaving people waiting for hours.
    public static let standard = RetryPolicy(maximumAttempts: 10, base: .seconds(2), cap: .seconds(600))

    /// The longest Retry-After that is honoured: a day. A provider that asks for more gets a retry after a day.
    public static let longestProviderWait = Duration.seconds(86_400)
}
