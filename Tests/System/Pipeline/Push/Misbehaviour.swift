import Testing

/// One way in which a provider misbehaves, and what must come of it.
struct Misbehaviour: Sendable, CustomTestStringConvertible {
    enum Provider: String, Sendable {
        /// Over HTTP/2.
        case apns
        /// Over HTTP/1.1.
        case fcm

        /// Where the stand-in takes its pushes.
        var path: String {
            switch self {
            case .apns: "/3/device"
            case .fcm: "/fcm/v1"
            }
        }

        /// The market that it serves alone or first, and the platform of its devices.
        var market: String { self == .apns ? "eu" : "mx" }
        var platform: String { self == .apns ? "ios" : "android" }
    }

    let provider: Provider
    let name: String
    /// Members of the behaviour beside its path, as JSON.
    let behaviour: String
    /// What the first call comes to: outcome and reason. Nil where nobody notices.
    let firstOutcome: String?
    /// What some first calls come to besides: over HTTP/2 a push may wait for a stream until its time is over, and has never left.
    var unsentOutcomes: Set<String> = []
    /// Milliseconds that such a call takes, at least.
    var leastDuration = 0
    /// From the first outcome to the end, at least, where the provider says how long to wait.
    var leastWait = Duration.zero
    /// It ends by itself, without being made good.
    var passes = false

    var testDescription: String { "\(provider.rawValue) \(name)" }

    /// Whether a push may have arrived: then it is sent again or given up as its category says.
    var leavesUnknown: Bool { firstOutcome?.hasPrefix("unknown") ?? false }

    static let all =
        both + [
            // Every fifth request is answered by a GOAWAY that says it was not processed; those before it still get their answers.
            Misbehaviour(provider: .apns, name: "closes with GOAWAY", behaviour: #""goAwayEvery":5"#, firstOutcome: nil, passes: true)
        ]

    private static let both = [Provider.apns, .fcm].flatMap { provider in
        [
            Misbehaviour(
                provider: provider, name: "hangs", behaviour: #""hang":true"#, firstOutcome: "unknown timeout",
                unsentOutcomes: provider == .apns ? ["retry timeout", "retry connectionFailed"] : [], leastDuration: 900),
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
