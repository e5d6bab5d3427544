import Testing
import TidingsCore
import TidingsStore

/// The difference of two machines' clocks, of which one is read over a network.
@Suite struct DatabaseClockTests {
    private static func skew(_ reading: Int64) -> Double {
        DatabaseClock.skew(of: Timestamp(seconds: reading), asked: Timestamp(seconds: 100), answered: Timestamp(seconds: 130))
    }

    /// The database may have read its clock at any moment between question and answer.
    @Test(arguments: [100, 101, 115, 130] as [Int64]) func aSlowAnswerIsNoDifference(_ reading: Int64) { #expect(Self.skew(reading) == 0) }

    @Test func aDifferenceBeyondTheAnswerCounts() {
        #expect(Self.skew(94) == -6)
        #expect(Self.skew(137) == 7)
    }
}
