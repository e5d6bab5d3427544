import Testing

@testable import TidingsAMQP

@Suite struct DeliveryLedgerTests {
    private func ledger(delivered: UInt64) -> DeliveryLedger {
        var ledger = DeliveryLedger()
        for tag in 1...delivered { ledger.delivered(tag) }
        return ledger
    }

    @Test func oneFrameForAContiguousRun() {
        var ledger = ledger(delivered: 100)
        #expect(ledger.settle(1...100) == [.init(tag: 100, multiple: true)])
        #expect(ledger.openCount == 0)
    }

    @Test func singleFramesAboveAnOpenTag() {
        var ledger = ledger(delivered: 6)
        #expect(
            ledger.settle([1, 2, 5, 4]) == [.init(tag: 2, multiple: true), .init(tag: 4, multiple: false), .init(tag: 5, multiple: false)])
        #expect(ledger.openCount == 2)
        #expect(ledger.settle([3]) == [.init(tag: 3, multiple: false)])
        #expect(ledger.settle([6]) == [.init(tag: 6, multiple: false)])
        #expect(ledger.openCount == 0)
    }

    @Test func theLedgerSettlesNothingTwiceAndNothingUnknown() {
        var ledger = ledger(delivered: 3)
        #expect(ledger.settle([2, 2]) == [.init(tag: 2, multiple: false)])
        #expect(ledger.settle([2, 4, 0]) == [])
        #expect(ledger.settle([1, 3]) == [.init(tag: 3, multiple: true)])
        #expect(ledger.settle([1, 2, 3]) == [])
    }

    /// In every order of requests, a replay of the frames as a broker does it settles each tag as requested, and no other tag.
    @Test func framesMeanWhatWasAsked() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let count = UInt64.random(in: 1...40, using: &generator)
            var ledger = ledger(delivered: count)
            var open = Set(1...count)
            var rest = Array(1...count).shuffled(using: &generator)
            while !rest.isEmpty {
                let some = Array(rest.prefix(Int.random(in: 1...5, using: &generator)))
                rest.removeFirst(some.count)
                var settled: Set<UInt64> = []
                for frame in ledger.settle(some) {
                    let meant = frame.multiple ? open.filter { $0 <= frame.tag } : [frame.tag]
                    #expect(open.contains(frame.tag))
                    settled.formUnion(meant)
                    open.subtract(meant)
                }
                #expect(settled == Set(some))
                #expect(ledger.openCount == open.count)
            }
        }
    }
}
