import Testing
import TidingsAMQP

@testable import TidingsPipeline

/// Work that stands still is told, and a failover of a few seconds is not.
@Suite struct WorkWatchTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    private static func still(since seconds: Double, isRefused: Bool = false) -> WorkWatch.Standstill {
        WorkWatch.Standstill(since: at(seconds), isRefused: isRefused)
    }

    @Test func theOldestWorkUnderWayIsTold() {
        let watch = WorkWatch()
        #expect(watch.standstill(at: Self.at(100)) == nil, "nothing is to be done")
        let first = watch.begin(at: Self.at(0))
        let second = watch.begin(at: Self.at(1))
        #expect(watch.standstill(at: Self.at(7.9)) == nil)
        #expect(watch.standstill(at: Self.at(8)) == Self.still(since: 0))
        watch.end(first, .finished, at: Self.at(8))
        #expect(watch.standstill(at: Self.at(8.5)) == nil)
        #expect(watch.standstill(at: Self.at(9)) == Self.still(since: 1), "the work of one queue may stand still while others go on")
        watch.end(second, .finished, at: Self.at(9))
        watch.end(second, .refused, at: Self.at(30))
        #expect(watch.standstill(at: Self.at(60)) == nil, "work ends once")
    }

    @Test func progressBeginsTheWaitAgain() {
        let watch = WorkWatch()
        let work = watch.begin(at: Self.at(0))
        for second in stride(from: 5.0, through: 60, by: 5) { watch.advance(work, at: Self.at(second)) }
        #expect(watch.standstill(at: Self.at(67)) == nil)
        #expect(watch.standstill(at: Self.at(68)) == Self.still(since: 60))
        watch.end(work, .finished, at: Self.at(68))
        watch.advance(work, at: Self.at(69))
        #expect(watch.standstill(at: Self.at(100)) == nil)
    }

    /// The nacks of a leader's election end within a few seconds.
    @Test func refusalsCountOnlyIfTheyGoOn() {
        let watch = WorkWatch()
        func refuse(at seconds: Double) { watch.end(watch.begin(at: Self.at(seconds)), .refused, at: Self.at(seconds + 0.1)) }
        for second in [0.0, 2, 5] { refuse(at: second) }
        #expect(watch.standstill(at: Self.at(9)) == nil, "the last one was 4 s ago")
        refuse(at: 9)
        #expect(watch.standstill(at: Self.at(10)) == Self.still(since: 0, isRefused: true))
        #expect(watch.standstill(at: Self.at(20)) == nil, "nothing was refused for longer than the memory")
        refuse(at: 40)
        #expect(watch.standstill(at: Self.at(41)) == nil, "a new beginning")
    }

    /// A caller of the API leaves after its own patience, and the next one may come a moment later.
    @Test func workThatNobodyAnsweredIsRemembered() {
        let watch = WorkWatch()
        let early = watch.begin(at: Self.at(0))
        watch.end(early, .unanswered, at: Self.at(3))
        #expect(watch.standstill(at: Self.at(9)) == nil, "the caller left")
        let late = watch.begin(at: Self.at(10))
        watch.end(late, .unanswered, at: Self.at(20))
        #expect(watch.standstill(at: Self.at(29)) == Self.still(since: 10))
        let next = watch.begin(at: Self.at(29))
        #expect(watch.standstill(at: Self.at(30)) == Self.still(since: 10))
        watch.end(next, .finished, at: Self.at(30))
        #expect(watch.standstill(at: Self.at(31)) == nil)
    }

    @Test func theAnswersOfTheBrokerEndTheWork() {
        let unknown = PublishResult.failed(.timedOut("a confirm of the broker"))
        let forbidden = PublishResult.failed(.channelClosed(code: 403, text: "ACCESS_REFUSED"))
        #expect(WorkWatch.End([.confirmed, .returned(code: 312, text: "NO_ROUTE"), forbidden]) == .finished)
        #expect(WorkWatch.End([.confirmed, unknown]) == .unanswered)
        #expect(WorkWatch.End([unknown, .nacked, .confirmed]) == .refused)
    }
}
