import Testing
import TidingsCore

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.000001Z", 1),
            ("1969-12-31T23:59:59.999999Z", -1),
            ("2026-11-21T07:52:25.5Z", 1_795_247_545_500_000),
            ("2026-11-21t07:52:25z", 1_795_247_545_000_000),
            ("2026-11-21T08:52:25+01:00", 1_795_247_545_000_000),
            ("2026-11-21T00:22:25-07:30", 1_795_247_545_000_000),
            ("2026-11-21T07:52:25-00:00", 1_795_247_545_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000),
            ("2026-11-21T07:52:25.1234567891Z", 1_795_247_545_123_456),
            // The examples of RFC 3339 section 5.8, and leap seconds.
            ("1985-04-12T23:20:50.52Z", 482_196_050_520_000),
            ("1996-12-19T16:39:57-08:00", 851_042_397_000_000),
            ("1990-12-31T23:59:60Z", 662_688_000_000_000),
            ("1990-12-31T15:59:60-08:00", 662_688_000_000_000),
            ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130_000),
            ("2016-12-31T23:59:60.5Z", 1_483_228_800_500_000),
            ("2015-06-30T23:59:60z", 1_435_708_800_000_000),
            ("2024-02-29T23:59:60Z", 1_709_251_200_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ] as [(String, Int64)]
    )
    func aTimestampIsRead(text: String, microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-21", "2026-11-21T07:52:25", "2026-11-21 07:52:25Z", "2026-11-21T07:52Z", "2026-11-21T07:52:25.Z",
        "2026-11-21T07:52:60Z", "2026-11-21T23:59:60Z", "2016-12-31T23:59:61Z", "9999-12-31T23:59:60Z", "2026-11-21T24:00:00Z",
        "2026-11-21T07:60:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z",
        "0000-12-31T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-11-21T07:52:25+1:00",
        "2026-11-21T07:52:25+0100", "2026-11-21T07:52:25+24:00", "2026-11-21T07:52:25+01:60", "2026-11-21T07:52:25Zx",
        " 2026-11-21T07:52:25Z",
        "2026-11-21T07:52:25,5Z", "+2026-11-21T07:52:25Z", "２０２６-11-21T07:52:25Z", "12026-11-21T07:52:25Z",
    ])
    func aTextThatIsNoTimestampIsRefused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test func aTimestampIsWrittenInMillisecondsUnlessMoreAreNeeded() {
        #expect(Timestamp(seconds: 0).rfc3339 == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp(microseconds: 1_500_000).rfc3339 == "1970-01-01T00:00:01.500Z")
        #expect(Timestamp(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .min).rfc3339 == "0001-01-01T00:00:00.000Z")
    }

    @Test func aWrittenTimestampIsReadBack() {
        var random = SystemRandomNumberGenerator()
        let range = Timestamp.distantPast.microseconds...Timestamp.distantFuture.microseconds
        let samples = [range.lowerBound, range.upperBound, 0] + (0..<2_000).map { _ in Int64.random(in: range, using: &random) }
        let wrong = samples.filter { Timestamp(rfc3339: Timestamp(microseconds: $0).rfc3339)?.microseconds != $0 }
        #expect(wrong.isEmpty)
    }

    @Test func everyDayOfEightCenturiesFollowsTheOneBefore() {
        var expected = (year: 1_700, month: 1, day: 1)
        var wrong: [String] = []
        let start = CivilDate(validYear: 1_700, month: 1, day: 1)?.daysSinceEpoch ?? 0
        for day in start..<start + 800 * 365 {
            let date = CivilDate(daysSinceEpoch: day)
            if (date.year, date.month, date.day) != expected || date.daysSinceEpoch != day { wrong.append("\(date)") }
            let isLeap = expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            expected.day += 1
            if expected.day > lengths[expected.month - 1] { (expected.day, expected.month) = (1, expected.month + 1) }
            if expected.month > 12 { (expected.month, expected.year) = (1, expected.year + 1) }
        }
        #expect(wrong.isEmpty)
    }

    @Test func arithmeticSaturates() {
        #expect(Timestamp(seconds: 10).adding(.milliseconds(-10_500)).microseconds == -500_000)
        #expect(Timestamp.distantFuture.adding(.seconds(1)) == .distantFuture)
        #expect(Timestamp.distantPast.adding(.seconds(-1)) == .distantPast)
        #expect(Timestamp(seconds: 0).adding(.seconds(Int64.max)) == .distantFuture)
        #expect(Timestamp(seconds: 0).adding(.seconds(Int64.min)) == .distantPast)
        #expect(Timestamp(seconds: .max).microseconds == .max)
        #expect(Timestamp(seconds: 7) - Timestamp(seconds: 10) == .seconds(-3))
        #expect(Timestamp(microseconds: -1).wholeSeconds == -1)
        #expect(Timestamp(microseconds: -1).wholeMilliseconds == -1)
    }
}
