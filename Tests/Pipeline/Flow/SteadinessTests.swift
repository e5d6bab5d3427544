import Testing
import TidingsCore

@testable import TidingsPipeline
@testable import TidingsPostgres
@testable import TidingsStore

/// The time without a break for which a releaser has reached the database.
@Suite struct SteadinessTests {
    private static let overflow = PostgresError(.server, sqlState: "22003", message: "out of range")
    private static let unreadable = PostgresError.decoding("an unknown word")

    private let begin = ContinuousClock.now

    private func time(_ second: Int) -> Timestamp { Timestamp(seconds: 1_000 + Int64(second)) }

    /// A database that answers once a second, up to this one.
    private func answers(until last: Int) -> Steadiness {
        var steadiness = Steadiness()
        for second in 0...last { steadiness.answered(at: time(second), instant: begin + .seconds(second)) }
        return steadiness
    }

    private func isEnough(_ steadiness: Steadiness, at second: Int) -> Bool {
        steadiness.isEnough(at: time(second), instant: begin + .seconds(second))
    }

    @Test func thirtyFiveSecondsOfAnswersAreEnough() {
        #expect(!isEnough(answers(until: 34), at: 34))
        #expect(isEnough(answers(until: 35), at: 35))
    }

    @Test func aGapBetweenTwoAnswersIsABreak() {
        var steadiness = answers(until: 40)
        #expect(isEnough(steadiness, at: 45))
        #expect(!isEnough(steadiness, at: 46))
        steadiness.answered(at: time(46), instant: begin + .seconds(46))
        #expect(!isEnough(steadiness, at: 46))
    }

    /// The database has answered: it refuses a value, or has a word of a newer version.
    @Test func anErrorAboutARowIsNoBreak() {
        let key = DeliveryKey(NotificationID(high: 1, low: 1), 0)
        let errors: [any Error] = [
            Self.overflow, Self.unreadable, UnwritableRow(delivery: key, cause: Self.overflow),
            UnwritableRow(pack: PackID(high: 1, low: 1), cause: Self.unreadable),
        ]
        for error in errors {
            var steadiness = answers(until: 40)
            steadiness.failed(error)
            #expect(isEnough(steadiness, at: 40), "\(error)")
        }
    }

    /// Workers may have waited for the database as long as this turn.
    @Test func anyOtherErrorIsABreak() {
        let errors: [any Error] = [
            PostgresError(.connectionLost, message: ""), PostgresError(.server, sqlState: "42501", message: "no right"),
            StoreError.viewTooOld, CancellationError(),
        ]
        for error in errors {
            var steadiness = answers(until: 40)
            steadiness.failed(error)
            #expect(!isEnough(steadiness, at: 40), "\(error)")
        }
    }
}
