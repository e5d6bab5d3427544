import Testing
import TidingsAMQP
import TidingsPipeline
import TidingsStore

@testable import TidingsPostgres
@testable import TidingsServer

/// A process notices that a server answers and takes nothing.
@Suite struct ObstacleTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private static func refused(_ sqlState: String, _ message: String) -> PostgresPoolEvent {
        .refused(PostgresError(.server, sqlState: sqlState, message: message))
    }

    private static func words(_ readiness: Readiness, at seconds: Double) -> [String] {
        readiness.obstacles(at: at(seconds)).map(\.words)
    }

    @Test func refusedCommitsAreTold() {
        let watch = CommitWatch()
        func kinds(at seconds: Double) -> [WorkerObstacle.Kind] { watch.obstacles(at: Self.at(seconds)).map(\.kind) }
        watch.receive(.lost, at: Self.at(0))
        watch.receive(Self.refused("53100", "could not extend file \"base/1/2\": No space left on device\nHINT: …"), at: Self.at(0))
        watch.receive(Self.refused("53100", "could not extend file \"base/1/2\": No space left on device"), at: Self.at(3.9))
        #expect(kinds(at: 3.9) == [], "a moment is no state")
        watch.receive(Self.refused("53100", "could not extend file \"base/1/2\": No space left on device"), at: Self.at(4))
        #expect(
            watch.obstacles(at: Self.at(5)).map(\.words)
                == ["commits: the database refuses them for 5 s: 53100 could not extend file \"base/1/2\": No space left on device"])
        #expect(kinds(at: 12) == [.commitsRefused])
        #expect(kinds(at: 12.1) == [], "no more refusals")
        watch.receive(Self.refused("58030", "could not write"), at: Self.at(20))
        #expect(kinds(at: 21) == [], "a new beginning")
    }

    @Test func heartbeatsThatAreNotCommittedAreTold() {
        let watch = CommitWatch()
        #expect(watch.obstacles(at: Self.at(100)).isEmpty, "before the first")
        watch.committed(at: Self.at(0))
        #expect(watch.obstacles(at: Self.at(9.9)).isEmpty)
        #expect(watch.obstacles(at: Self.at(12)).map(\.words) == ["commits: none for 12 s"])
        watch.committed(at: Self.at(13))
        #expect(watch.obstacles(at: Self.at(14)).isEmpty)
    }

    /// Waiting commits have every session of the process, so no other query gets an answer.
    @Test func aLookForWaitingCommitsIsAnAnswerOfTheDatabase() {
        let readiness = Readiness()
        #expect(readiness.missing == ["database"])
        readiness.record(.looked(waiting: 8))
        #expect(readiness.missing.isEmpty)
    }

    /// A read-only server, a lost session and a conflict have other words, and pass by themselves.
    @Test(arguments: [("53100", true), ("53200", true), ("58030", true), ("25006", false), ("40001", false), ("57014", false)])
    func onlyAShortageIsARefusal(sqlState: String, isShortage: Bool) {
        #expect(PostgresError(.server, sqlState: sqlState, message: "").isShortage == isShortage)
        #expect(!PostgresError(.connectFailed, sqlState: sqlState, message: "").isShortage)
    }

    @Test func aBlockedLinkIsToldWithTheReason() {
        let readiness = Readiness()
        readiness.block(link: Readiness.packLink, "low on memory", at: Self.at(0))
        readiness.block(link: Readiness.packLink, "low on memory & disk", at: Self.at(2))
        #expect(Self.words(readiness, at: 2.9) == [])
        #expect(Self.words(readiness, at: 4) == ["broker: publisher is blocked for 4 s: low on memory & disk"])
        for end in [AMQPEvent.unblocked, .disconnected(.stopped, retryIn: nil), .stopped] {
            readiness.block(link: Readiness.packLink, "low on disk", at: Self.at(0))
            readiness.recordBlock(end, of: Readiness.packLink)
            #expect(Self.words(readiness, at: 4) == [])
        }
    }

    /// The link of signals reports the alarm to operators. Every signal may be lost, so the process stays ready.
    @Test func aBlockedLinkOfSignalsLeavesTheProcessReady() {
        let readiness = Readiness()
        readiness.databaseAnswered()
        let long = ContinuousClock.now - Readiness.longestBlock
        readiness.block(link: Readiness.signalLink, "low on disk", at: long)
        #expect(readiness.obstacles().map(\.subject) == ["signals"])
        let signals = readiness.answer(isForProxy: false)
        #expect(signals.isReady && signals.missing.isEmpty)
        readiness.block(link: Readiness.intentLink, "low on disk", at: long)
        let answer = readiness.answer(isForProxy: false)
        #expect(!answer.isReady && answer.missing.count == 1 && answer.missing[0].hasPrefix("broker: intents is blocked"))
    }

    /// Every process of the API has the same broker. A proxy that took all of them out would close the inboxes of all people.
    @Test func anObstacleOfTheServersTakesNoProcessFromAProxy() {
        let readiness = Readiness()
        readiness.databaseAnswered()
        readiness.block(link: Readiness.intentLink, "low on disk", at: .now - .seconds(60))
        let answer = readiness.answer(isForProxy: true)
        #expect(answer.isReady && answer.missing.count == 1, "named all the same")
        readiness.drain()
        #expect(!readiness.answer(isForProxy: true).isReady)
    }

    @Test func messagesThatAnAlarmHeldUpGetTheirTime() {
        let readiness = Readiness()
        _ = readiness.packs.begin(at: Self.at(0))
        readiness.block(link: Readiness.packLink, "low on memory", at: Self.at(1))
        readiness.block(link: Readiness.packLink, nil, at: Self.at(60))
        #expect(Self.words(readiness, at: 67) == [])
        #expect(Self.words(readiness, at: 69) == ["broker: publisher gets no confirm for 9 s"])
    }

    @Test func confirmsThatDoNotComeAreTold() {
        let readiness = Readiness()
        let work = readiness.packs.begin(at: Self.at(0))
        #expect(Self.words(readiness, at: 9) == ["broker: publisher gets no confirm for 9 s"])
        readiness.block(link: Readiness.packLink, "low on memory", at: Self.at(5))
        #expect(Self.words(readiness, at: 9) == ["broker: publisher is blocked for 4 s: low on memory"], "the cause alone")
        readiness.block(link: Readiness.packLink, nil)
        readiness.link(Readiness.packLink, isUp: false)
        #expect(Self.words(readiness, at: 9) == [], "a link that is down is missing")
        readiness.link(Readiness.packLink, isUp: true)
        readiness.packs.end(work, .finished, at: Self.at(10))
        #expect(Self.words(readiness, at: 30) == [])

        for second in stride(from: 0.0, through: 9, by: 3) {
            readiness.intents.end(readiness.intents.begin(at: Self.at(second)), .refused, at: Self.at(second))
        }
        #expect(Self.words(readiness, at: 10) == ["broker: messages of intents are refused for 10 s"])
    }

    /// If the database is away as a whole, the process says so with one word.
    @Test func aBatchThatIsNotCommittedIsTold() {
        let readiness = Readiness()
        _ = readiness.intake.begin(at: Self.at(0))
        readiness.commits.committed(at: Self.at(0))
        #expect(Self.words(readiness, at: 20) == [] && readiness.missing == ["database"])
        readiness.databaseAnswered()
        #expect(Self.words(readiness, at: 20) == ["commits: none for 20 s", "intents: a batch in work is not committed for 20 s"])
    }

    @Test func heartbeatsComeAtOnceWhenTheObstaclesChange() {
        let pulse = Pulse()
        func blocked(_ link: String, _ seconds: Double) -> WorkerObstacle { .init(.blocked, subject: link, lasting: .seconds(seconds)) }
        #expect(pulse.isDue([]), "the first")
        pulse.sent([], at: Self.at(0))
        #expect(!pulse.isDue([], at: Self.at(4.9)) && pulse.isDue([], at: Self.at(5)))
        #expect(pulse.isDue([blocked("publisher", 3)], at: Self.at(1)))
        pulse.sent([blocked("publisher", 3)], at: Self.at(1))
        #expect(!pulse.isDue([blocked("publisher", 4)], at: Self.at(2)), "it only lasts longer")
        #expect(pulse.isDue([blocked("intents", 4)], at: Self.at(2)))
        #expect(pulse.isDue([], at: Self.at(2)))
        pulse.sent([], at: Self.at(2))
        pulse.hasten(by: .milliseconds(500), at: Self.at(2))
        #expect(!pulse.isDue([], at: Self.at(2.4)) && pulse.isDue([], at: Self.at(2.5)))
    }
}
