import Testing
import TidingsContracts

@testable import TidingsPipeline

@Suite struct SignalBufferTests {
    private func people(_ names: String...) -> [InboxSignal.Person] { names.map { InboxSignal.Person(tenant: "t", recipient: $0) } }

    @Test func changesKeepTheirOrderAndAreTakenOnce() {
        var buffer = SignalBuffer(limit: 3)
        let nothing = buffer.dequeueAll()
        let fit = [buffer.add(people("a", "b")), buffer.add(people("a"))]
        let (first, second) = (buffer.dequeueAll(), buffer.dequeueAll())
        #expect(nothing.isEmpty && fit == [true, true])
        #expect(first == [.changes(people("a", "b", "a"))] && second.isEmpty)
    }

    @Test func aGapComesFirstAndReplacesWhatWaited() {
        var buffer = SignalBuffer(limit: 3)
        _ = buffer.add(people("a"))
        buffer.gap()
        let fits = buffer.add(people("b"))
        let (first, second) = (buffer.dequeueAll(), buffer.dequeueAll())
        #expect(fits && first == [.gap, .changes(people("b"))])
        #expect(second.isEmpty, "a gap is told once")
    }

    @Test func changesThatDoNotFitBecomeAGap() {
        var buffer = SignalBuffer(limit: 3)
        let fit = [buffer.add(people("a", "b", "c")), buffer.add(people("d"))]
        let first = buffer.dequeueAll()
        // One signal alone may be too much.
        let fitAfterwards = [buffer.add(people("a", "b", "c", "d")), buffer.add(people("e"))]
        let second = buffer.dequeueAll()
        #expect(fit == [true, false] && first == [.gap])
        #expect(fitAfterwards == [false, true] && second == [.gap, .changes(people("e"))])
    }
}
