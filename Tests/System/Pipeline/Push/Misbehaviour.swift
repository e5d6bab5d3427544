import Testing

/// One way in which a provider misbehaves, and the expected result.
struct Misbehaviour: Sendable, CustomTestStringConvertible {
    enum Provider: String, Sendable {
        /// APNs, over HTTP/2.
        case apns
        /// Firebase, over HTTP/1.1.
        case fcm

        /// The path on which the stand-in accepts pushes.
        var path: String {
            switch self {
            case .apns: "/3/device"
            case .fcm: "/fcm/v1"
            }
        }

        /// The market that the provider serves alone or first.
        var market: String { self == .apns ? "eu" : "mx" }
        var platform: String { self == .apns ? "ios" : "android" }
    }

    let provider: Provider
    let name: String
    /// The members of the behaviour besides its path, as JSON.
    let behaviour: String
    /// The outcome and the reason of the first call. Nil if no call shows the behaviour.
    let firstOutcome: String?
    /// Further outcomes that a first call may have. Over HTTP/2 a push may wait for a stream until its time is over. Such a push was never
    /// sent.
    var unsentOutcomes: Set<String> = []
    /// The shortest duration of such a call, in milliseconds.
    var leastDuration = 0
    /// The shortest time from the first outcome to the end, for a provider that says how long to wait.
    var leastWait = Duration.zero
    /// Whether the misbehaviour ends by itself, without a repair.
    var passes = false

    var testDescription: String { "\(provider.rawValue) \(name)" }

    /// Whether a push may have arrived. The category then decides between a retry and a failure.
    var leavesUnknown: Bool { firstOutcome?.hasPrefix("unknown") ?? false }

    static let all =
        both + [
            // Every fifth request is answered by a GOAWAY, which says that the request was not processed. The requests before it still get
            // their answers.
            Misbehaviour(provider: .apns, name: "closes with GOAWAY", behaviour: #""goAwayEvery":5"#, firstOutcome: nil, passes: true)
        ]

    private static let both = [Provider.apns, .fcm].flatMap { provider in
        [
            Misbehaviour(
                provider: provider, name: "hangs", behaviour: #""hang":true"#, firstOutcome: "unknown timeout",
                unsentOutcomes: provider == .apns ? ["retry rateLimited", "retry timeout", "retry connectionFailed"] : [],
                leastDuration: 900),
            Misbehaviour(
                provider: provider, name: "answers 503 for all", behaviour: #""then":503"#, firstOutcome: "retry providerUnavailable"),
            Misbehaviour(
                provider: provider, name: "answers 429 with Retry-After 2", behaviour: #""script":[429],"retryAfter":2"#,
                firstOutcome: "retry providerThrottled", leastWait: .seconds(2), passes: true),
            Misbehaviour(provider: provider, name: "resets", behaviour: #""reset":true"#, firstOutcome: "unknown outcomeUnknown"),
            Misbehaviour(
                provider: provider, name: "returns HTML", behaviour: #""body":"<html>Sign in</html>","contentType":"text/html""#,
                firstOutcome: "unknown outcomeUnknown"),
        ]
    }
}
