import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A worker sleeps through its lease, and a releaser guesses what it did. Then the worker wakes and says that the provider took nothing.
@Suite struct NothingTakenTests {
    private static let sleeper = "sleeper"
    private static let duplicates: SQL = "select count(*) from tidings_ops.possible_duplicates"
    private static let corrected: SQL = """
        select count(*) from tidings_ops.attempts where attempt = 1 and outcome = 'retry' and reason_code = 'leaseExpired' and late
        """

    /// The second attempt waits, is under way or has ended when the sleeper speaks.
    @Test(arguments: ["waits", "isUnderWay", "hasEnded"]) func anAttemptThatHadNotBegunIsNoDuplicate(_ second: String) async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...3)
            #expect(try await scene.recover() == 3)
            #expect(try await scene.count(Self.duplicates) == 3)
            var again: [Claimed] = []
            if second != "waits" { again = [try await scene.claimed(scene.release().packs, by: "other")] }
            if second == "hasEnded" { try await scene.end(again[0], by: "other") }

            for _ in 0..<2 {
                try await scene.say(.notBegun, of: claim)
                #expect(try await scene.count(Self.duplicates) == 0)
                #expect(try await scene.count(Self.corrected) == 3)
                #expect(try await scene.isSound())
            }
            let due = try await scene.count("select count(*) from tidings.due where attempt = 2 and kind = 'recover'")
            #expect(due == (second == "waits" ? 3 : 0))
            if second == "isUnderWay" { try await scene.end(again[0], by: "other") }
            if second != "waits" {
                #expect(try await scene.count("select count(*) from tidings_ops.deliveries where state = 'sent'") == 3)
                #expect(try await scene.isSound())
            }
        }
    }

    /// The policy of the category ended the deliveries, because they might have arrived. They have not, so they are sent after all.
    @Test func aDeliveryThatEndedByTheGuessWaitsAgain() async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...2)
            #expect(try await scene.giveUp() == 2)
            for _ in 0..<2 {
                try await scene.say(.notBegun, of: claim)
                #expect(try await scene.count("select count(*) from tidings.deliveries") == 0)
                #expect(
                    try await scene.count(
                        "select count(*) from tidings.due where attempt = 2 and kind = 'recover' and reason = 'leaseExpired'") == 2)
                #expect(try await scene.isSound())
            }
            try await scene.end(scene.claimed(scene.release().packs, by: "other"), by: "other")
            #expect(try await scene.count("select count(*) from tidings_ops.deliveries where state = 'sent' and attempts = 2") == 2)
            #expect(try await scene.isSound())
        }
    }

    /// A later channel of the escalation has taken over.
    @Test func anEscalationGoesOn() async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...1)
            #expect(try await scene.giveUp() == 1)
            _ = try await scene.system.query("update tidings.notifications set critical = true")
            try await scene.say(.notBegun, of: claim)
            #expect(try await scene.count("select count(*) from tidings.deliveries where state = 'failed'") == 1)
            #expect(try await scene.count(Self.corrected) == 1)
            #expect(try await scene.isSound())
        }
    }

    @Test func aCancelledDeliveryThatWasNeverSentIsNoDuplicate() async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...1)
            #expect(try await scene.recover() == 1)
            let id = claim.packs[0].entries[0].notificationID
            #expect(try await scene.store.operations.cancel(id, reason: .cancelledByOperator) == [0: .cancelled])
            #expect(try await scene.count(Self.duplicates) == 1)
            try await scene.say(.notBegun, of: claim)
            #expect(try await scene.count(Self.duplicates) == 0)
            #expect(try await scene.count("select count(*) from tidings_ops.deliveries where state = 'cancelled'") == 1)
            #expect(try await scene.isSound())
        }
    }

    /// The provider refused the call for now before the worker fell asleep.
    @Test func anAttemptThatTheProviderRefusedIsNoDuplicate() async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...2)
            #expect(try await scene.giveUp() == 2)
            for _ in 0..<2 {
                try await scene.say(.refusedForNow, of: claim)
                #expect(try await scene.count("select count(*) from tidings.due where attempt = 2 and kind = 'retry'") == 2)
                #expect(try await scene.count("select count(*) from tidings.attempts where reason = 'providerUnavailable' and late") == 2)
                #expect(try await scene.isSound())
            }
        }
    }

    /// A call that may have arrived stays a possible duplicate.
    @Test func anAttemptThatMayHaveArrivedStaysADuplicate() async throws {
        try await StoreScene.with { scene in
            let claim = try await scene.fallAsleep(with: 1...1)
            #expect(try await scene.recover() == 1)
            try await scene.say(.timedOut, of: claim)
            #expect(try await scene.count(Self.duplicates) >= 1)
            #expect(try await scene.count("select count(*) from tidings.due where attempt = 2") == 1)
        }
    }

    /// A settlement is written again, because the answer to its commit was lost. Meanwhile the same worker has claimed the delivery a second
    /// time, has called the provider and has fallen asleep. The first claim says nothing about the second.
    @Test func aClaimSpeaksOnlyForItself() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.claimed(scene.take(1...1).packs, by: Self.sleeper)
            try await scene.say(.notBegun, of: first)
            #expect(try await scene.count("select count(*) from tidings.due where attempt = 1") == 1)
            _ = try await scene.claimed(scene.release().packs, by: Self.sleeper)
            try await scene.store.upkeep.shiftClock(by: StoreScene.leaseIsOver)
            #expect(try await scene.recover() == 1)

            try await scene.say(.notBegun, of: first)
            #expect(try await scene.count(Self.duplicates) == 1)
            #expect(try await scene.count(Self.corrected) == 0)
        }
    }
}

/// Packs of one claim.
private struct Claimed {
    let packs: [Pack]
    let claims: PackClaims
}

private enum Statement {
    case notBegun, refusedForNow, timedOut

    /// The call, if there was one, was a second after the claim.
    func settlement(of entry: PackEntry, claimedAt: Timestamp) -> Settlement {
        let called = claimedAt.adding(.seconds(1))
        func attempt(_ outcome: String, _ reason: ReasonCode) -> AttemptRecord {
            AttemptRecord(outcome: outcome, reason: reason, possibleDuplicate: outcome == "unknown", startedAt: called, finishedAt: called)
        }
        func waiting(_ kind: DueKind, _ attempt: Int, _ reason: ReasonCode) -> Settlement.Exit {
            .waiting(until: claimedAt, kind: kind, attempt: attempt, reason)
        }
        return switch self {
        case .notBegun: Settlement(entry, exit: waiting(.recover, entry.attempt, .leaseExpired))
        case .refusedForNow:
            Settlement(
                entry, exit: waiting(.retry, entry.attempt + 1, .providerUnavailable), attempt: attempt("retry", .providerUnavailable))
        case .timedOut: Settlement(entry, exit: waiting(.retry, entry.attempt + 1, .timeout), attempt: attempt("unknown", .timeout))
        }
    }
}

extension StoreScene {
    /// Longer than a lease.
    fileprivate static let leaseIsOver = Duration.seconds(30)

    fileprivate func claimed(_ packs: [Pack], by worker: String) async throws -> Claimed {
        Claimed(packs: packs, claims: try await store.outbox.claim(packs, worker: worker, as: ClaimID(store.clock.nextID())))
    }

    /// A worker claims the packs of these intents, and its lease ends.
    fileprivate func fallAsleep(with keys: ClosedRange<Int>) async throws -> Claimed {
        let claim = try await claimed(take(keys).packs, by: "sleeper")
        try await store.upkeep.shiftClock(by: Self.leaseIsOver)
        return claim
    }

    /// Recovers packs by the policy of a category that does not send again.
    fileprivate func giveUp() async throws -> Int {
        try await store.due.recover { recovery in
            let abandoned = try await recovery.take(limit: 100, passingOver: [], before: ContinuousClock.now + .seconds(60).patient)
            return try await recovery.write(abandoned.all.map { _ in .settle(.failed, .outcomeUnknown) }, of: abandoned)
        }
    }

    /// The same statement each time, as after a commit whose answer was lost.
    fileprivate func say(_ statement: Statement, of claim: Claimed) async throws {
        let claimedAt = claim.claims.claimedAt
        let packs = claim.packs.map { pack in
            PackSettlement(
                pack, pack.entries.map { statement.settlement(of: $0, claimedAt: claimedAt) }, claimedAt: claimedAt, isLast: true)
        }
        try await store.outbox.settle(packs, worker: "sleeper")
    }

    /// The provider accepts the deliveries.
    fileprivate func end(_ claim: Claimed, by worker: String) async throws {
        let now = store.clock.now()
        let packs = claim.packs.map { pack in
            let settlements = pack.entries.map {
                Settlement(
                    $0, exit: .ended(.sent, .accepted),
                    attempt: AttemptRecord(outcome: "accepted", reason: .accepted, startedAt: now, finishedAt: now))
            }
            return PackSettlement(pack, settlements, claimedAt: claim.claims.claimedAt, isLast: true)
        }
        try await store.outbox.settle(packs, worker: worker)
    }

    fileprivate func isSound() async throws -> Bool {
        let unaccounted = try await count("select count(*) from tidings_ops.unaccounted")
        let problems = try await store.operations.audit()
        return unaccounted == 0 && problems.isEmpty
    }
}
