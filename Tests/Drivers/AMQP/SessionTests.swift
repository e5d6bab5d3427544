import Testing

@testable import TidingsAMQP

@Suite struct SessionTests {
    private let start = ContinuousClock.now

    /// A session that has begun. Its connections are numbers, and the third failure in a row is the last.
    private func begun() -> Session<Int> {
        var session = Session<Int>(ReconnectPolicy(base: .milliseconds(100), cap: .seconds(1), maximumAttempts: 3))
        session.begin(at: start)
        return session
    }

    private func opened() -> Session<Int> {
        var session = begun()
        session.opened(7, at: start)
        return session
    }

    private func fail(_ session: inout Session<Int>, retriesAtOnce: Bool = false) -> Duration? {
        session.lost(retriesAtOnce: retriesAtOnce, at: start)
    }

    @Test func theSessionConnectsAtOnceAndReplacesALostConnection() throws {
        var session = begun()
        #expect(session.isRunning && session.attemptAt == start && session.connection == nil)
        session.opened(7, at: start)
        #expect(session.isRunning && session.attemptAt == nil && session.connection == 7 && session.generation == 1)
        let failure = fail(&session)
        let pause = try #require(failure)
        #expect(pause >= .milliseconds(50) && pause <= .milliseconds(100))
        #expect(session.isRunning && session.attemptAt == start.advanced(by: pause) && session.connection == nil)
        session.opened(8, at: start)
        session.renewedChannel()
        #expect(session.connection == 8 && session.generation == 3)
    }

    @Test func aRetryAtOnceCountsNoFailure() {
        var session = opened()
        for _ in 0..<5 {
            let pause = fail(&session, retriesAtOnce: true)
            #expect(pause == .zero && session.attemptAt == start)
            session.opened(8, at: start)
        }
        let pauses = [fail(&session), fail(&session), fail(&session)]
        #expect(pauses.map { $0 == nil } == [false, false, true])
    }

    /// The time of a past attempt would wake the thread again and again.
    @Test func aSessionIsIdleAfterItsLastAttemptAndMayBeginAgain() {
        var session = begun()
        for round in 0..<2 {
            let pauses = [fail(&session), fail(&session), fail(&session)]
            #expect(pauses.map { $0 == nil } == [false, false, true], "round \(round)")
            #expect(session.isIdle && session.attemptAt == nil)
            session.begin(at: start)
        }
        session.stop()
        #expect(session.hasStopped && !session.isRunning && session.attemptAt == nil)
    }

    @Test func aSuccessEndsTheRowOfFailures() {
        var session = begun()
        for _ in 0..<10 {
            let pause = fail(&session)
            #expect(pause != nil)
            session.opened(8, at: start)
            session.succeeded()
        }
    }

    @Test func aStoppedSessionKeepsItsConnectionAndReplacesNone() {
        var session = opened()
        session.stop()
        #expect(session.hasStopped && !session.isClosed && session.connection == 7)
        let pause = fail(&session, retriesAtOnce: true)
        #expect(pause == nil)
        #expect(session.hasStopped && !session.isIdle && session.connection == nil && session.attemptAt == nil)
    }

    @Test func closingReturnsTheConnectionOnce() {
        var session = opened()
        session.stop()
        let first = session.close()
        #expect(first == 7)
        #expect(session.isClosed && session.hasStopped && session.connection == nil)
        session.stop()
        #expect(session.isClosed)
        let second = session.close()
        #expect(second == nil)
    }

    @Test func aBlockEndsWithItsConnection() {
        var session = opened()
        session.blocked(for: "low on memory")
        #expect(session.isBlocked && session.blockReason == "low on memory")
        session.unblocked(at: start)
        #expect(!session.isBlocked && session.unblockedAt == start)
        session.blocked(for: "low on disk")
        let pause = fail(&session, retriesAtOnce: true)
        #expect(pause == .zero && !session.isBlocked && session.unblockedAt == nil)
    }

    /// A move ends with the next connection, and with everything that ends the present one in another way.
    @Test func aMoveLeadsToTheNextConnection() {
        let move = Session<Int>.Move(target: 1, until: start.advanced(by: .seconds(30)))
        var session = opened()
        session.beginMove(move)
        session.drained(at: start)
        #expect(session.connection == nil && session.attemptAt == start && session.isRunning && session.move?.target == 1)
        session.opened(8, at: start)
        #expect(session.connection == 8 && session.generation == 2 && session.move == nil)

        var lost = opened()
        lost.beginMove(move)
        _ = fail(&lost)
        #expect(lost.move == nil && lost.isRunning)

        var stopped = opened()
        stopped.beginMove(move)
        stopped.stop()
        #expect(stopped.move == nil && stopped.connection == 7)
    }
}
