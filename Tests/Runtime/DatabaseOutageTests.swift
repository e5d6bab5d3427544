import Testing

@testable import TidingsServer

/// The log gets one line for each outage of the database that begins or ends.
@Suite struct DatabaseOutageTests {
    private let start = ContinuousClock.now

    /// Looks as often as a process does, for `seconds`, and returns the changes.
    private func follow(
        _ outage: inout DatabaseOutage, from first: Double, for seconds: Double, answeredAt: (Double) -> Double?
    ) -> [DatabaseOutage.Change] {
        stride(from: first, to: first + seconds, by: 0.5).compactMap { time in
            outage.look(answeredAt: answeredAt(time).map { start + .seconds($0) }, at: start + .seconds(time))
        }
    }

    @Test func eachOutageIsToldOnceWithItsLength() {
        var outage = DatabaseOutage(at: start)
        #expect(follow(&outage, from: 0, for: 60) { $0 }.isEmpty)
        #expect(follow(&outage, from: 60, for: 300) { _ in 60 } == [.began(silence: .seconds(3))])
        #expect(follow(&outage, from: 360, for: 60) { $0 } == [.ended(after: .seconds(300))])
        #expect(follow(&outage, from: 420, for: 10) { _ in 420 } == [.began(silence: .seconds(3))])
    }

    @Test func aShortSilenceIsNone() {
        var outage = DatabaseOutage(at: start)
        #expect(follow(&outage, from: 0, for: 60) { ($0 / 3).rounded(.down) * 3 }.isEmpty)
    }

    /// The process was stopped for a minute: the database was not asked.
    @Test func ownSleepIsNoOutage() {
        var outage = DatabaseOutage(at: start)
        _ = outage.look(answeredAt: start, at: start)
        #expect(follow(&outage, from: 60, for: 2) { _ in 0 }.isEmpty)
        #expect(follow(&outage, from: 62, for: 4) { _ in 0 } == [.began(silence: .seconds(3))])
    }

    @Test func aDatabaseThatNeverAnsweredIsTold() {
        var outage = DatabaseOutage(at: start)
        #expect(follow(&outage, from: 0, for: 10) { _ in nil } == [.began(silence: .seconds(3))])
    }
}
