import Testing

@testable import TidingsPipeline

@Suite struct WaitingLineTests {
    private func line(_ waiters: (String, Int)...) -> (line: WaitingLine<Int>, tickets: [UInt64]) {
        var line = WaitingLine<Int>()
        let tickets = waiters.map { line.join($0.0, $0.1) }
        return (line, tickets)
    }

    /// All callers that are let in while these hosts have room.
    private func admitted(_ line: inout WaitingLine<Int>, at hosts: Set<String>) -> [Int] {
        var all: [Int] = []
        while let next = line.next(where: { hosts.contains($0) }) { all.append(next.waiter) }
        return all
    }

    @Test func whoHasWaitedLongestGoesFirstWhateverTheirHost() {
        var (line, _) = line(("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", 5))
        #expect(admitted(&line, at: ["a", "b", "c"]) == [1, 2, 3, 4, 5])
        #expect(admitted(&line, at: ["a", "b", "c"]).isEmpty)
        #expect(line.join("a", 6) > 5, "tickets are never given twice")
        #expect(line.next { _ in true }?.host == "a")
    }

    @Test func aFullHostHoldsUpNobodyElse() {
        var (line, _) = line(("full", 1), ("free", 2), ("full", 3), ("free", 4))
        #expect(admitted(&line, at: ["free"]) == [2, 4])
        #expect(admitted(&line, at: ["full"]) == [1, 3])
    }

    @Test func whoGaveUpIsPassedOver() {
        var (line, tickets) = line(("a", 1), ("a", 2), ("b", 3), ("a", 4))
        #expect(line.giveUp(tickets[0]) == 1)
        #expect(line.giveUp(tickets[2]) == 3)
        #expect(line.giveUp(tickets[0]) == nil, "has left already")
        #expect(line.next { _ in true }?.waiter == 2)
        #expect(line.giveUp(tickets[1]) == nil, "was let in")
        #expect(admitted(&line, at: ["a", "b"]) == [4])
    }

    @Test func aLongLineStaysInOrder() {
        var line = WaitingLine<Int>()
        let tickets = (0..<1_000).map { line.join("host", $0) }
        for number in stride(from: 0, to: 1_000, by: 3) { #expect(line.giveUp(tickets[number]) == number) }
        var expected = (0..<1_000).filter { !$0.isMultiple(of: 3) }
        for _ in 0..<300 { #expect(line.next { _ in true }?.waiter == expected.removeFirst()) }
        _ = line.join("host", 1_000)
        #expect(admitted(&line, at: ["host"]) == expected + [1_000])
    }
}
