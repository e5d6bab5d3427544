import Testing
import TidingsContracts
import TidingsCore
import TidingsStore

@testable import TidingsPipeline

/// The end of a delivery's call, for every outcome, policy, number of attempts and expiry. No server takes part.
@Suite struct ConclusionTests {
    // MARK: - After a call

    /// A row of the table. A column with every value means a row for each.
    struct Row: Sendable, CustomTestStringConvertible {
        let outcome: Outcome
        var policies = UnknownPolicy.allCases
        var attempts = Attempts.allCases
        var expiries = Expiry.allCases
        let end: End

        var testDescription: String { "\(outcome), \(policies), attempts \(attempts), expires \(expiries)" }
    }

    enum Attempts: Sendable, CaseIterable { case left, used }

    /// The time of the expiry. A delivery that expires at the moment of its next try is not tried again.
    enum Expiry: Sendable, CaseIterable { case atNextTry, afterNextTry }

    enum End: Sendable {
        case ended(DeliveryState, ReasonCode)
        /// The delivery is tried again after the time that the provider asked for, or after the backoff.
        case retry(ReasonCode, possibleDuplicate: Bool)
    }

    private static let rows: [Row] = certain + waits.flatMap { retried(after: $0) } + waits.flatMap { unknown(after: $0) }

    /// Outcomes after which no attempt follows, whatever the policy and the time left.
    private static let certain = [
        Row(outcome: .accepted(providerMessageID: nil, delivered: true), end: .ended(.delivered, .delivered)),
        Row(outcome: .accepted(providerMessageID: "m-1", delivered: false), end: .ended(.sent, .accepted)),
        Row(outcome: .rejected(.providerRejected), end: .ended(.failed, .providerRejected)),
        Row(outcome: .endpointGone, end: .ended(.failed, .endpointGone)),
        Row(outcome: .misconfigured(.misconfigured), end: .ended(.failed, .misconfigured)),
    ]

    /// The waits that the provider asks for.
    private static let waits: [Duration?] = [nil, .seconds(60)]

    /// A refusal for now has no other copy out, so the policy for unknown outcomes does not count.
    private static func retried(after asked: Duration?) -> [Row] {
        let outcome = Outcome.retry(after: asked, .providerThrottled)
        return [
            Row(
                outcome: outcome, attempts: [.left], expiries: [.afterNextTry],
                end: .retry(.providerThrottled, possibleDuplicate: false)),
            Row(outcome: outcome, attempts: [.left], expiries: [.atNextTry], end: .ended(.expired, .expired)),
            Row(outcome: outcome, attempts: [.used], end: .ended(.failed, .retriesExhausted)),
        ]
    }

    /// An attempt that may have arrived never ends as expired or exhausted, because its real outcome is not known.
    private static func unknown(after asked: Duration?) -> [Row] {
        let outcome = Outcome.unknown(after: asked, .timeout)
        let end = End.ended(.failed, .outcomeUnknown)
        return [
            Row(
                outcome: outcome, policies: [.resend], attempts: [.left], expiries: [.afterNextTry],
                end: .retry(.timeout, possibleDuplicate: true)),
            Row(outcome: outcome, policies: [.resend], attempts: [.left], expiries: [.atNextTry], end: end),
            Row(outcome: outcome, policies: [.resend], attempts: [.used], end: end),
            Row(outcome: outcome, policies: [.stop], end: end),
        ]
    }

    @Test(arguments: rows)
    func everyCallEndsAsTheTableSays(_ row: Row) {
        for scene in Self.scenes(row) {
            let settlement = scene.settlement
            switch row.end {
            case .ended(let state, let reason): #expect(settlement.exit == .ended(state, reason), "\(scene)")
            case .retry(let reason, let possibleDuplicate):
                let exit = Settlement.Exit.waiting(until: scene.nextTry, kind: .retry, attempt: Self.attempt + 1, reason)
                #expect(settlement.exit == exit, "\(scene)")
                #expect(settlement.attempt?.possibleDuplicate == possibleDuplicate, "\(scene)")
            }
        }
    }

    /// No combination is left out, and none has two answers.
    @Test func theTableHasEveryCombinationOnce() {
        let outcomes = Set(Self.rows.map(\.outcome))
        #expect(Set(outcomes.map(\.name)).count == 6, "an outcome is in no row")
        let scenes = Self.rows.flatMap(Self.scenes)
        #expect(Set(scenes).count == scenes.count)
        #expect(scenes.count == outcomes.count * UnknownPolicy.allCases.count * Attempts.allCases.count * Expiry.allCases.count)
    }

    /// A refusal that is this provider's affair moves the delivery at once, even if its attempts are used.
    @Test func aStandbyTakesOverAtOnceUntilTheDeliveryExpires() {
        let row = Row(outcome: .misconfigured(.misconfigured), end: .ended(.failed, .misconfigured))
        for scene in Self.scenes(row) {
            let exit = Settlement.Exit.waiting(until: Self.finishedAt, kind: .failover, attempt: Self.attempt + 1, .misconfigured)
            let settlement = scene.settle(Self.entry(expiresAt: scene.expiresAt, hasStandby: true))
            #expect(settlement.exit == exit, "\(scene)")
            let late = scene.settle(Self.entry(expiresAt: Self.finishedAt, hasStandby: true))
            #expect(late.exit == .ended(.failed, .misconfigured), "\(scene)")
        }
    }

    @Test func aStandbyChangesNoOtherOutcome() {
        let others = Self.rows.filter { !$0.outcome.isOfThisProvider }
        for scene in others.flatMap(Self.scenes) {
            let settlement = scene.settle(Self.entry(expiresAt: scene.expiresAt, hasStandby: true))
            #expect(settlement.exit == scene.settlement.exit, "\(scene)")
        }
    }

    /// The wait of a retry is a random part of a ceiling that doubles, and a provider may ask for a longer wait, not for a shorter one.
    @Test(arguments: [(nil, 0.0, 0.0), (nil, 0.25, 2), (nil, 0.5, 4), (1, 0.5, 4), (60, 0.5, 60)] as [(Double?, Double, Double)])
    func theNextTryFollowsTheRandomPartAndTheProvider(_ asked: Double?, _ random: Double, _ seconds: Double) {
        let result = SendResult(.retry(after: asked.map { Duration.seconds($0) }, .timeout))
        let settlement = Settlement(
            of: Self.entry(expiresAt: .distantFuture), after: result, startedAt: Self.startedAt, finishedAt: Self.finishedAt,
            policy: Self.policy(.resend, .left), random: random, isReportedByMessageID: false)
        let time = Self.finishedAt.adding(.seconds(seconds))
        #expect(settlement.exit == .waiting(until: time, kind: .retry, attempt: Self.attempt + 1, .timeout))
    }

    @Test func theAttemptIsRecordedAsTheProviderToldIt() {
        let result = SendResult(.accepted(providerMessageID: "m-1", delivered: false), status: 202, detail: "queued")
        let settlement = Self.settlement(after: result, isReportedByMessageID: true)
        #expect(settlement.providerMessageID == "m-1" && settlement.isReportedByMessageID && settlement.endpointGoneAt == nil)
        #expect(
            settlement.attempt
                == AttemptRecord(
                    outcome: "accepted", reason: .accepted, status: 202, detail: "queued", startedAt: Self.startedAt,
                    finishedAt: Self.finishedAt))
    }

    /// The end of the delivery may have another reason than its last attempt.
    @Test func theAttemptKeepsItsOwnReason() {
        let settlement = Self.settlement(after: SendResult(.unknown(.timeout)), policy: Self.policy(.stop, .left))
        #expect(settlement.exit == .ended(.failed, .outcomeUnknown))
        #expect(settlement.attempt?.outcome == "unknown" && settlement.attempt?.reason == .timeout)
        #expect(settlement.attempt?.possibleDuplicate == false, "no second copy is sent")
    }

    /// An endpoint that is registered after the call is another one.
    @Test func anEndpointIsGoneSinceTheTimeOfTheProviderOrOfTheCall() {
        let earlier = Self.startedAt.adding(.seconds(-3_600))
        #expect(Self.settlement(after: SendResult(.endpointGone)).endpointGoneAt == Self.startedAt)
        #expect(Self.settlement(after: SendResult(.endpointGone, goneSince: earlier)).endpointGoneAt == earlier)
        #expect(Self.settlement(after: SendResult(.rejected(.providerRejected), goneSince: earlier)).endpointGoneAt == nil)
    }

    @Test func aDeliveryThatTheProviderLeftOutIsUnknown() {
        let entries = (0..<2).map { _ in Self.entry(expiresAt: .distantFuture) }
        let result = SendResult(.accepted(providerMessageID: nil, delivered: true))
        let call = SentCall(entries: entries, results: [result], startedAt: Self.startedAt, finishedAt: Self.finishedAt)
        #expect(call.result(at: 0) == result)
        #expect(call.result(at: 1) == SendResult(.unknown(.outcomeUnknown)))
    }

    // MARK: - Without a call

    /// A delivery that was not sent keeps the number of its attempt, and no attempt is recorded.
    @Test func everyDeliveryThatWasNotSentEndsOrWaitsAsItsReasonSays() {
        func waiting(after seconds: Double = 0, _ kind: DueKind, _ reason: ReasonCode) -> Settlement.Exit {
            .waiting(until: Self.finishedAt.adding(.seconds(seconds)), kind: kind, attempt: Self.attempt, reason)
        }
        let wait = Duration.seconds(7)
        let rows: [(reason: Unsent, hasStandby: Bool, waitsForProvider: Bool, exit: Settlement.Exit)] = [
            (.expired, true, false, .ended(.expired, .expired)),
            (.erased, true, false, .ended(.suppressed, .recipientErased)),
            (.paused, true, false, waiting(.held, .paused)),
            (.outdated, true, false, waiting(.recover, .afterValidity)),
            (.leaseTooShort, true, false, waiting(.recover, .leaseExpired)),
            (.noRoom(retryAfter: wait), true, false, waiting(after: 7, .retry, .rateLimited)),
            (.breakerOpen(retryAfter: wait), true, false, waiting(.failover, .breakerOpen)),
            (.breakerOpen(retryAfter: wait), true, true, waiting(after: 7, .retry, .breakerOpen)),
            (.breakerOpen(retryAfter: wait), false, false, waiting(after: 7, .retry, .breakerOpen)),
        ]
        for row in rows {
            let entry = Self.entry(expiresAt: .distantFuture, hasStandby: row.hasStandby, waitsForProvider: row.waitsForProvider)
            let settlement = Settlement(of: entry, notSent: row.reason, now: Self.finishedAt)
            #expect(settlement.exit == row.exit, "\(row)")
            #expect(settlement.attempt == nil && settlement.providerMessageID == nil && settlement.endpointGoneAt == nil, "\(row)")
        }
    }
}

// MARK: - Scenes

extension ConclusionTests {
    /// One combination of a row.
    struct Scene: Hashable {
        let outcome: Outcome
        let unknownOutcome: UnknownPolicy
        let attempts: Attempts
        let expiry: Expiry

        /// The backoff after the third attempt is half of 2 s · 2².
        var nextTry: Timestamp {
            switch outcome {
            case .retry(let wait?, _), .unknown(let wait?, _): ConclusionTests.finishedAt.adding(wait)
            default: ConclusionTests.finishedAt.adding(.seconds(4))
            }
        }

        var expiresAt: Timestamp {
            switch expiry {
            case .atNextTry: nextTry
            case .afterNextTry: nextTry.adding(.microseconds(1))
            }
        }

        var settlement: Settlement { settle(ConclusionTests.entry(expiresAt: expiresAt)) }

        /// The settlement of this delivery after the call.
        func settle(_ entry: PackEntry) -> Settlement {
            ConclusionTests.settlement(
                of: entry, after: SendResult(outcome), policy: ConclusionTests.policy(unknownOutcome, attempts))
        }
    }

    private static func scenes(_ row: Row) -> [Scene] {
        row.policies.flatMap { policy in
            row.attempts.flatMap { attempts in
                row.expiries.map { Scene(outcome: row.outcome, unknownOutcome: policy, attempts: attempts, expiry: $0) }
            }
        }
    }

    private static let startedAt = Timestamp(seconds: 1_790_000_000)
    private static let finishedAt = startedAt.adding(.milliseconds(300))
    /// The number of the attempt that the call makes.
    private static let attempt = 3

    private static func policy(_ unknownOutcome: UnknownPolicy, _ attempts: Attempts) -> CategoryPolicy {
        let most =
            switch attempts {
            case .left: attempt + 1
            case .used: attempt
            }
        return CategoryPolicy(
            channels: [.push], lane: .bulk, quietHours: .ignore, unknownOutcome: unknownOutcome,
            retry: RetryPolicy(maximumAttempts: most, base: .seconds(2), cap: .seconds(600)), expiry: .seconds(86_400))
    }

    private static func entry(expiresAt: Timestamp, hasStandby: Bool = false, waitsForProvider: Bool = false) -> PackEntry {
        PackEntry(
            header: DeliveryHeader(
                notificationID: NotificationID(milliseconds: 1, fraction: 2, random: 3), ordinal: 0, attempt: attempt, tenant: "t",
                recipient: "r", type: "orderUpdate", category: .transactional, createdAt: startedAt, expiresAt: expiresAt),
            decidedAt: startedAt, validUntil: .distantFuture, hasStandby: hasStandby, waitsForProvider: waitsForProvider)
    }

    private static func settlement(
        of entry: PackEntry = ConclusionTests.entry(expiresAt: .distantFuture), after result: SendResult,
        policy: CategoryPolicy = ConclusionTests.policy(.resend, .left), isReportedByMessageID: Bool = false
    ) -> Settlement {
        Settlement(
            of: entry, after: result, startedAt: startedAt, finishedAt: finishedAt, policy: policy, random: 0.5,
            isReportedByMessageID: isReportedByMessageID)
    }
}
