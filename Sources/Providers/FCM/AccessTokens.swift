import TidingsCore
import TidingsHTTP

/// The access token of one provider: fetched when it is first needed and again shortly before it expires, by one caller for all who need it
/// meanwhile.
actor AccessTokens {
    /// Part of the time that one send has, most of which is for the message.
    static let longestExchange = Duration.seconds(5)
    /// How long a refusal, of the key or of every token it gets, holds for everyone without asking again: wrong credentials must not cost one
    /// exchange a message.
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

    /// A token that is good for a while yet.
    func token(before deadline: ContinuousClock.Instant) async throws(ExchangeFailure) -> String {
        while true {
            if let held, now() < held.refreshAt { return held.text }
            if let refusal, isRecent(refusal.at) { throw refusal.failure }
            guard let underWay else { return try await exchange(before: deadline) }
            // Another caller's exchange is under way, and its answer is for all.
            switch await underWay.end(before: deadline) {
            case .answered(let answer): return try answer.get().text
            case .abandoned: continue
            case .late: throw Self.late
            }
        }
    }

    /// Forgets a token that FCM refused, unless another has taken its place already. False when another would not help, because one was
    /// replaced in vain shortly before.
    func drop(_ text: String) -> Bool {
        if let replacedInVain, isRecent(replacedInVain) { return false }
        if held?.text == text { held = nil }
        return true
    }

    /// Notes that FCM refused a token right after its exchange as well.
    func noteReplacedInVain() {
        replacedInVain = now()
    }

    /// A clock that was set back must not make a refusal last.
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
        // With the assertion anybody could get an access token, for an hour.
        let answer = accessToken(from: await post(ServiceAccount.exchangeBody(of: assertion), timeout), now: now())
            .mapError { $0.hiding([assertion]) }
        underWay = nil
        switch answer {
        case .success(let token):
            (held, refusal) = (token, nil)
            pending.settle(.answered(answer))
        case .failure(let failure):
            if failure.isRefusal { refusal = (failure, now()) }
            // That this caller was cancelled is no reason for the others: one of them begins anew.
            pending.settle(Task.isCancelled ? .abandoned : .answered(answer))
        }
        return try answer.get().text
    }
}
