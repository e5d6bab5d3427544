import Testing
import TidingsCore

@Suite struct IdentifierGeneratorTests {
    private let start = instant("2026-11-21T07:52:25.123456Z")

    @Test func anIdentifierCarriesInstantFractionAndRandomness() {
        var generator = IdentifierGenerator()
        let id = generator.next(at: start, random: 0x1234)
        #expect(id.timestamp == instant("2026-11-21T07:52:25.123Z"))
        #expect(id == NotificationID(milliseconds: id.high >> 16, fraction: 456 * 4_096 / 1_000, random: 0x1234))
        #expect(NotificationID(id.description) == id)
    }

    @Test func theIdentifierIncreasesWhateverTheClockDoes() {
        var generator = IdentifierGenerator()
        var last = NotificationID(high: 0, low: 0)
        var disorder = 0
        for step in 0..<20_000 {
            // The clock stands still, runs, jumps back an hour, or shows a time before 1970.
            let jump: Duration = step % 7 == 0 ? .seconds(-3_600) : step % 3 == 0 ? .zero : .microseconds(step)
            let now = step % 1_000 == 999 ? Timestamp(seconds: -5) : start.adding(jump)
            let id = generator.next(at: now, random: UInt64.random(in: 0 ... .max))
            if id <= last || NotificationID(id.description) != id { disorder += 1 }
            last = id
        }
        #expect(disorder == 0)
    }

    @Test func aFullRandomPartCarriesIntoTheTime() {
        var generator = IdentifierGenerator()
        let first = generator.next(at: start, random: .max)
        let second = generator.next(at: start, random: .max)
        #expect(second > first)
        #expect(second.high == first.high + 1)

        var atEdge = IdentifierGenerator()
        let edge = start.adding(.microseconds(543))
        let last = atEdge.next(at: edge, random: .max)
        var next = last
        for _ in 0..<8 { next = atEdge.next(at: edge, random: .max) }
        #expect(next > last)
        #expect(NotificationID(next.description) == next)
    }

    @Test func oneInstantDoesNotRunAheadOfTheClock() {
        var generator = IdentifierGenerator()
        var last = generator.next(at: start, random: 0)
        for _ in 0..<100_000 { last = generator.next(at: start, random: 1 << 31) }
        #expect(last.timestamp <= start)
    }
}
