import Testing
import TidingsCore

@testable import TidingsPipeline

@Suite struct WaitingLineTests {
    private func line(_ waiters: (String, Int)...) -> (line: WaitingLine<Int>, tickets: [UInt64]) {
        var line = WaitingLine<Int>()
        let tickets = waiters.map { line.join(call($0.0), $0.1) }
        return (line, tickets)
    }

    private func call(_ host: String, endpoint: Int? = nil) -> GateCall {
        GateCall(host: host, parts: CallParts(endpoint: endpoint.map { Breaker.Part($0) }), askedAt: .distantPast)
    }

    /// All callers that are let in while these hosts have room.
    private func admitted(_ line: inout WaitingLine<Int>, at hosts: Set<String>) -> [Int] {
        var all: [Int] = []
        while let next = line.next(where: { hosts.contains($0.host) ? .free : .hostFull }) { all.append(next.waiter) }
        return all
    }

    @Test func theCallThatHasWaitedLongestGoesFirstWhateverItsHost() {
        var (line, _) = line(("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", 5))
        #expect(admitted(&line, at: ["a", "b", "c"]) == [1, 2, 3, 4, 5])
        #expect(admitted(&line, at: ["a", "b", "c"]).isEmpty)
        #expect(line.join(call("a"), 6) > 5, "tickets are never given twice")
        #expect(line.next { _ in .free }?.call.host == "a")
    }

    @Test func aFullHostHoldsUpNobodyElse() {
        var (line, _) = line(("full", 1), ("free", 2), ("full", 3), ("free", 4))
        #expect(admitted(&line, at: ["free"]) == [2, 4])
        #expect(admitted(&line, at: ["full"]) == [1, 3])
    }

    /// Waiters for a full endpoint step aside. They keep their order, and come before later waiters once the endpoint has room.
    @Test func aFullEndpointHoldsUpNoneOfItsHost() {
        var line = WaitingLine<Int>()
        for (endpoint, waiter) in [(1, 1), (1, 2), (2, 3), (1, 4), (2, 5)] { _ = line.join(call("host", endpoint: endpoint), waiter) }
        let full = Breaker.Part(1)
        func next(_ isFull: Bool) -> Int? {
            line.next { isFull && $0.parts.endpoint == full ? .endpointFull : .free }?.waiter
        }
        #expect(next(true) == 3)
        #expect(next(false) == 1)
        _ = line.join(call("host", endpoint: 1), 6)
        #expect(next(true) == 5)
        #expect(next(true) == nil)
        #expect([next(false), next(false), next(false), next(false)] == [2, 4, 6, nil])
    }

    @Test func aCallThatGaveUpIsPassedOver() {
        var (line, tickets) = line(("a", 1), ("a", 2), ("b", 3), ("a", 4))
        #expect(line.giveUp(tickets[0]) == 1)
        #expect(line.giveUp(tickets[2]) == 3)
        #expect(line.giveUp(tickets[0]) == nil, "has left already")
        #expect(line.next { _ in .free }?.waiter == 2)
        #expect(line.giveUp(tickets[1]) == nil, "was let in")
        #expect(admitted(&line, at: ["a", "b"]) == [4])
    }

    @Test func aLongLineStaysInOrder() {
        var line = WaitingLine<Int>()
        let tickets = (0..<1_000).map { line.join(call("host"), $0) }
        for number in stride(from: 0, to: 1_000, by: 3) { #expect(line.giveUp(tickets[number]) == number) }
        var expected = (0..<1_000).filter { !$0.isMultiple(of: 3) }
        for _ in 0..<300 { #expect(line.next { _ in .free }?.waiter == expected.removeFirst()) }
        _ = line.join(call("host"), 1_000)
        #expect(admitted(&line, at: ["host"]) == expected + [1_000])
    }
}
