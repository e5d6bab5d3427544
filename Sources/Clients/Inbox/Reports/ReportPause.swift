import Foundation

/// The wait after failed tries: of all reports, of the reports of a kind, or of one receipt.
struct ReportPause: Hashable, Sendable {
    /// The reports that wait after a failed try.
    enum Scope: Hashable, Sendable { case all, kind, receipt }

    /// Tries since the last success.
    private(set) var failedTries = 0
    /// The end of the wait, by the clock of ``begin(after:at:random:)``.
    private(set) var notBefore = Duration.zero

    /// The waits after the first failed try and after many, in seconds.
    static let (shortest, longest) = (1.0, 300.0)
    /// The longest wait that the server may ask for, in seconds: until the next day has room for events again.
    static let longestAsked = 86_400.0

    /// Begins the wait after a failed try. The chance keeps the apps of one outage from coming back at the same time.
    mutating func begin(after error: InboxError, at now: Duration, random: Double) {
        failedTries += 1
        let doubled = Self.shortest * pow(2, Double(min(failedTries, 20) - 1))
        let own = min(doubled, Self.longest) * (1 + random) / 2
        notBefore = now + .seconds(own + min(error.retryAfter ?? 0, Self.longestAsked))
    }

    /// Ends the wait. The next one is longer nevertheless.
    mutating func end() { notBefore = .zero }
}
