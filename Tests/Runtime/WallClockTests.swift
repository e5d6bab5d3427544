import Testing
import TidingsCore
import TidingsServer

@testable import TidingsCommands

/// Times that `tidings why` prints. A wait of seconds shows its seconds.
@Suite struct WallClockTests {
    private let clock = WallClock(zone: .utc)

    @Test func aMomentShowsSecondsIfThereAreAny() {
        #expect(clock.moment("2026-11-28T07:00:00+00:00") == "2026-11-28 07:00 UTC")
        #expect(clock.moment("2026-11-28T02:27:31.25+00:00") == "2026-11-28 02:27:31 UTC")
        #expect(clock.moment("2026-11-28T08:27:05+06:00") == "2026-11-28 02:27:05 UTC")
        #expect(clock.moment("soon") == "soon")
        let unknown = WallClock(zone: .unknown("Mars/Base"))
        #expect(unknown.moment("2026-11-28T07:00:00+00:00").hasSuffix("Z (zone unknown)"))
    }

    /// The end of a backlog, as `tidings status` prints it.
    @Test func aForecastOfSecondsCountsThem() {
        let now = Timestamp(seconds: 1_795_832_820)
        let waits: [Duration] = [.zero, .milliseconds(300), .seconds(31), .seconds(119), .seconds(180)]
        #expect(waits.map { now.adding($0).forecast(now: now) } == ["now", "in 1 s", "in 31 s", "in 119 s", "02:30 UTC"])
    }

    @Test func aStepShowsItsDayIfItIsAnotherOne() {
        let start = "2026-11-28T23:59:58.9+00:00"
        #expect(clock.timeOfDay("2026-11-28T23:59:59+00:00", since: start) == "23:59:59")
        #expect(clock.timeOfDay("2026-11-29T00:00:01+00:00", since: start) == "2026-11-29 00:00:01")
        #expect(WallClock(zone: .unknown("Mars/Base")).timeOfDay("2026-11-28T23:59:59+00:00", since: start) == "23:59:59")
    }
}
