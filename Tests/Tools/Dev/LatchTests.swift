import Testing

@testable import PrivateServers

@Suite struct LatchTests {
    @Test("every waiter gets the first value")
    func firstValueWins() {
        let latch = Latch<Int>()
        #expect(latch.wait(for: .zero) == nil)
        latch.set(1)
        latch.set(2)
        #expect(latch.wait() == 1)
        #expect(latch.wait(for: .zero) == 1)
    }
}
