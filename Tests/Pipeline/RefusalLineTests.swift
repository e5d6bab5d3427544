import Testing
import TidingsAMQP
import TidingsCore
import TidingsStore

@testable import TidingsPipeline

@Suite struct RefusalLineTests {
    private let start = ContinuousClock.now

    private func pack(_ number: Int, queue: String = "q", bytes: Int = 1, publishedAt: ContinuousClock.Instant? = nil) -> RefusedPack {
        RefusedPack(
            id: PackID(high: 1, low: UInt64(number)),
            message: OutgoingMessage(
                exchange: "e", routingKey: queue, body: [UInt8](repeating: 7, count: bytes), messageID: "\(number)"),
            publishedAt: publishedAt ?? start)
    }

    private func filled(_ packs: [RefusedPack]) -> RefusalLine {
        var line = RefusalLine()
        let taken = packs.count { line.add($0, at: start, random: 1) }
        #expect(taken == packs.count)
        return line
    }

    private func numbers(_ packs: [RefusedPack]) -> [UInt64] { packs.map(\.id.low) }

    @Test func oneTrialThenTheOthers() {
        var line = filled((1...60).map { pack($0) })
        let first = start.advanced(by: .milliseconds(100))
        #expect(line.nextDue == first)
        let early = line.dequeue(at: start)
        #expect(early.due.isEmpty)
        let trial = line.dequeue(at: first)
        #expect(numbers(trial.due) == [1] && trial.left.isEmpty && line.count == 59)
        line.accepted(by: "q", at: first)
        #expect(line.nextDue == first)
        let rest = line.dequeue(at: first)
        #expect(numbers(rest.due) == Array(2...51))
        line.accepted(by: "q", at: first)
        let last = line.dequeue(at: first)
        #expect(numbers(last.due) == Array(52...60) && line.count == 0 && line.bytes == 0 && line.nextDue == nil)
    }

    @Test func thePausesGrowToTheirLimit() {
        var line = filled([pack(1), pack(2)])
        var now = start
        for milliseconds in [100, 200, 400, 800, 1_000, 1_000] {
            now = now.advanced(by: .milliseconds(milliseconds))
            #expect(line.nextDue == now)
            let trial = line.dequeue(at: now).due
            #expect(numbers(trial) == [1], "the same pack is tried until the broker takes it")
            line.refused(trial[0], at: now, random: 1)
        }
        #expect(line.count == 2)
    }

    @Test func aQueueThatStaysFullDelaysNoOther() {
        var line = filled([pack(1, queue: "full"), pack(2, queue: "well"), pack(3, queue: "well")])
        let now = start.advanced(by: .milliseconds(100))
        let trials = line.dequeue(at: now).due
        #expect(numbers(trials) == [1, 2])
        line.refused(trials[0], at: now, random: 1)
        line.accepted(by: "well", at: now)
        let rest = line.dequeue(at: now).due
        #expect(numbers(rest) == [3])
    }

    /// A releaser takes the pack only later, so that the two do not publish it at the same time.
    @Test func aPackIsLeftToAReleaserAfterItsPatience() {
        #expect(RefusalLine.patience + RefusalLine.longestPause < .seconds(Store.confirmTimeoutSeconds))
        var line = filled([pack(1), pack(2, publishedAt: start.advanced(by: .seconds(1)))])
        let taken = line.dequeue(at: start.advanced(by: RefusalLine.patience))
        #expect(numbers(taken.left) == [1] && numbers(taken.due) == [2] && line.count == 0 && line.bytes == 0)
    }

    @Test func theLineIsBounded() {
        var line = RefusalLine()
        let taken = (0..<RefusalLine.limitOfQueue + 5).count { line.add(pack($0), at: start) }
        #expect(taken == RefusalLine.limitOfQueue, "one queue leaves room for the others")
        let others = (0..<2_000).count { line.add(pack($0, queue: "q\($0 % 20)"), at: start) }
        #expect(taken + others == RefusalLine.limit && line.count == RefusalLine.limit)
        let removed = line.removeAll()
        #expect(removed == RefusalLine.limit && line.count == 0 && line.nextDue == nil)
        let half = RefusalLine.maximumBytes / 2 + 1
        let large = [line.add(pack(1, bytes: half), at: start), line.add(pack(2, bytes: half), at: start)]
        #expect(large == [true, false] && line.bytes == half)
    }
}
