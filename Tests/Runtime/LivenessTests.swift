import Testing

@testable import TidingsPipeline
@testable import TidingsPostgres
@testable import TidingsServer

/// A supervisor restarts a process whose `/health/live` says no. So it must say no only to a process that is stuck.
@Suite struct LivenessTests {
    private static let start = ContinuousClock.now
    private static let loops = ["release urgent", "release bulk", "recover packs", "publish packs again", "relay fresh", "heartbeat"]
    private static let sixHours = 6 * 3_600

    private static func at(_ second: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(second)) }

    /// The circumstances of a process that has nothing to do, or that cannot do it.
    enum Circumstances: CaseIterable {
        case idle, providerAway, databaseAway, refused, busy
    }

    /// Plays a process for some seconds: its loops turn, and it looks at itself. Returns the seconds at which it says that it is stuck.
    private static func play(
        _ liveness: Liveness, _ seconds: Range<Int>, isTroubled: Bool = false, _ step: (Int) -> Void = { _ in }
    ) -> [Int] {
        var alarms: [Int] = []
        for second in seconds {
            for loop in loops where !isTroubled { liveness.progress.begin(loop, at: at(second)).end(at: at(second)) }
            step(second)
            if !liveness.standstills(isTroubled: isTroubled, at: at(second)).isEmpty { alarms.append(second) }
        }
        return alarms
    }

    /// Six hours in virtual time. Afterwards the servers are back, and a batch that then gets stuck is told in time.
    @Test(arguments: Circumstances.allCases) func sixHoursAreNoFalseAlarm(circumstances: Circumstances) {
        let liveness = Liveness()
        let patience = Int(ProgressWatch.patience.components.seconds)
        let batch = liveness.progress.begin("queue tidings.deliver.push.phone.bulk", at: Self.at(0))
        var alarms: [Int] = []
        switch circumstances {
        case .idle:
            batch.end(at: Self.at(1))
            alarms = Self.play(liveness, 0..<Self.sixHours)
        case .providerAway:
            // The batch waits for room at the provider, and the calls of the others end by their time limits.
            batch.rest()
            alarms = Self.play(liveness, 0..<Self.sixHours) { second in
                guard second.isMultiple(of: 20) else { return }
                liveness.progress.begin("packs of phone", at: Self.at(second)).end(at: Self.at(second + 19))
            }
        case .databaseAway: alarms = Self.play(liveness, 0..<Self.sixHours, isTroubled: true)
        case .refused: alarms = Self.play(liveness, 0..<Self.sixHours) { if $0.isMultiple(of: 5) { batch.step(at: Self.at($0)) } }
        case .busy:
            alarms = Self.play(liveness, 0..<Self.sixHours) { second in
                liveness.progress.begin("queue tidings.deliver.push.phone.bulk", at: Self.at(second)).end(at: Self.at(second + 1))
            }
        }
        #expect(alarms.isEmpty, "\(alarms.prefix(3))")
        batch.end(at: Self.at(Self.sixHours))

        _ = liveness.progress.begin("queue tidings.intents.urgent", at: Self.at(Self.sixHours))
        let stuck = Self.play(liveness, Self.sixHours..<(Self.sixHours + patience + 10))
        #expect(stuck.first == Self.sixHours + patience, "\(stuck)")
    }

    /// The machine slept, or somebody stopped the process. The work goes on in a moment.
    @Test func aSleepIsNoStandstill() {
        let liveness = Liveness()
        let patience = Int(ProgressWatch.patience.components.seconds)
        let work = liveness.progress.begin("a", at: Self.at(0))
        #expect(Self.play(liveness, 0..<10).isEmpty)
        let awake = 8 * 3_600
        #expect(Self.play(liveness, awake..<(awake + patience - 1)).isEmpty)
        work.end(at: Self.at(awake + patience - 1))
        #expect(Self.play(liveness, (awake + patience)..<(awake + 3 * patience)).isEmpty)
    }

    /// A transaction that the database refuses six times, each after the time of a statement, takes longer than the patience.
    @Test func anotherTryOfATransactionIsProgress() {
        let readiness = Readiness()
        let progress = readiness.liveness.progress
        let work = progress.begin("a", at: ContinuousClock.now - ProgressWatch.patience)
        #expect(progress.standstills().map(\.kind) == ["a"])
        ProgressWork.$current.withValue(work) {
            readiness.record(.transactionRetried(PostgresError(.server, sqlState: "57014", message: "timeout"), attempt: 1))
        }
        #expect(progress.standstills().isEmpty)
    }

    @Test func theWordsNameTheWork() {
        let standing = [
            ProgressWatch.Standstill(kind: "relay fresh", since: Self.at(0)),
            ProgressWatch.Standstill(kind: "heartbeat", since: Self.at(7)),
        ]
        #expect(standing.words(at: Self.at(130)) == "no progress for 130 s: relay fresh\nno progress for 123 s: heartbeat\n")
        #expect([ProgressWatch.Standstill]().words() == "ok\n")
    }
}
