import TidingsCore
import TidingsHTTP

/// The access token of one provider. The token is fetched when it is first needed, and again shortly before it expires. One caller fetches
/// the token for all callers that need it meanwhile.
actor AccessTokens {
    /// The longest exchange. Most of a send's time must stay for the message.
    static let longestExchange = Duration.seconds(5)
    /// How long a refusal counts for every caller without another exchange. A refusal of the key counts, and a refusal of every token from
    /// it. Otherwise wrong credentials would cost one exchange for each message.
    static let refusalMemory = Duration.seconds(30)

    private let account: ServiceAccount
    private let now: @Sendable () -> Timestamp
    private let post: @Sendable (_ body: [UInt8], _ timeout: Duration) async -> HTTPResult
    private var held: AccessToken?
    private var refusal: (failure: ExchangeFailure, at: Timestamp)?
    private var replacedInVain: Timestamp?
    private var underWay: PendingExchange?

    /// - Parameter post: sends a form to the account's token endpoint.
    init(
        account: ServiceAccount, now: @escaping @Sendable () -> Timestamp,
        post: @escaping @Sendable (_ body: [UInt8], _ timeout: Duration) async -> HTTPResult
    ) {
        self.account = account
        self.now = now
        self.post = post
    }

    /// Returns a token that is valid for some time yet.
    func token(before deadline: ContinuousClock.Instant) async throws(ExchangeFailure) -> String {
        while true {
            if let held, now() < held.refreshAt { return held.text }
            if let refusal, isRecent(refusal.at) { throw refusal.failure }
            guard let underWay else { return try await exchange(before: deadline) }
            // Another caller's exchange is under way. Its answer counts for every caller.
            switch await underWay.end(before: deadline) {
            case .answered(let answer): return try answer.get().text
            case .abandoned: continue
            case .late: throw Self.late
            }
        }
    }

    /// Drops a token that FCM refused, unless another token has already replaced it. Returns false if a new token would not help, because
    /// FCM refused a replacement shortly before.
    func drop(_ text: String) -> Bool {
        if let replacedInVain, isRecent(replacedInVain) { return false }
        if held?.text == text { held = nil }
        return true
    }

    /// Records that FCM also refused a token right after its exchange.
    func noteReplacedInVain() {
        replacedInVain = now()
    }

    /// Whether a refusal is recent. The range begins at zero: otherwise a clock that was set back would prolong a refusal.
    private func isRecent(_ refused: Timestamp) -> Bool {
        (.zero..<Self.refusalMemory).contains(now() - refused)
    }

    private static let late = ExchangeFailure(.retry(after: nil, .timeout), "no time was left to fetch one")

    private func exchange(before deadline: ContinuousClock.Instant) async throws(ExchangeFailure) -> String {
        let timeout = min(deadline - .now, Self.longestExchange)
        guard timeout > .zero else { throw Self.late }
        let pending = PendingExchange()
        underWay = pending
        let assertion = account.assertion(at: now())
        // Hide the assertion: for an hour, anybody could exchange it for an access token.
        let answer = accessToken(from: await post(ServiceAccount.exchangeBody(of: assertion), timeout), now: now())
            .mapError { $0.hiding([assertion]) }
        underWay = nil
        switch answer {
        case .success(let token):
            (held, refusal) = (token, nil)
            pending.settle(.answered(answer))
        case .failure(let failure):
            if failure.isRefusal { refusal = (failure, now()) }
            // If this caller was cancelled, the waiting callers must not fail: one of them starts a new exchange.
            pending.settle(Task.isCancelled ? .abandoned : .answered(answer))
        }
        return try answer.get().text
    }
}
