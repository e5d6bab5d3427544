import Testing
import TidingsCore

@Suite struct LocalTriggerTests {
    private static func trigger(_ time: String, in zone: ZoneOffsets, from now: String = "2026-01-01T00:00:00Z") -> String {
        text(LocalTrigger(showing: instant(time), in: .known(zone), now: instant(now)))
    }

    private static func text(_ trigger: LocalTrigger) -> String {
        switch trigger {
        case .calendar(let local): String(local.description.dropLast(3))
        case .timeInterval(let seconds): "\(seconds) s"
        }
    }

    @Test func aTimeIsReadInTheDevicesCalendar() {
        #expect(Self.trigger("2026-06-10T12:00:00Z", in: .newYork2026) == "2026-06-10 08:00")
        #expect(Self.trigger("2026-06-10T12:00:00Z", in: .kathmandu) == "2026-06-10 17:45")
        #expect(Self.trigger("2026-12-31T23:59:00Z", in: .kathmandu) == "2027-01-01 05:44")
    }

    /// A calendar trigger has whole minutes. The time is rounded up, so that a device never shows a notification early.
    @Test func secondsAreRoundedUpToTheMinute() {
        #expect(Self.trigger("2026-06-10T12:00:00.000001Z", in: .utc) == "2026-06-10 12:01")
        #expect(Self.trigger("2026-06-10T12:00:59Z", in: .utc) == "2026-06-10 12:01")
        #expect(Self.trigger("2026-06-10T12:01:00Z", in: .utc) == "2026-06-10 12:01")
    }

    @Test func aTimeThatIsNearOrPastIsAnInterval() {
        let now = "2026-06-10T12:00:00Z"
        #expect(Self.trigger("2026-06-10T11:00:00Z", in: .utc, from: now) == "1 s")
        #expect(Self.trigger("2026-06-10T12:00:00Z", in: .utc, from: now) == "1 s")
        #expect(Self.trigger("2026-06-10T12:00:30.5Z", in: .utc, from: "2026-06-10T12:00:01Z") == "30 s")
        #expect(Self.trigger("2026-06-10T12:00:59Z", in: .utc, from: "2026-06-10T12:00:00Z") == "2026-06-10 12:01")
        #expect(LocalTrigger(showing: nil, in: .utc, now: instant(now)) == .timeInterval(seconds: 1))
    }

    /// In an unknown zone the device's calendar cannot be predicted. Only the interval until the time is known.
    @Test func anUnknownZoneHasNoCalendar() {
        let (now, unknown) = (instant("2026-06-10T12:00:00Z"), Zone.unknown("Mars/Phobos"))
        for (time, shown) in [("2026-06-10T11:00:00Z", "1 s"), ("2026-06-10T12:00:30.5Z", "31 s"), ("2026-06-11T12:00:00Z", "86400 s")] {
            #expect(Self.text(LocalTrigger(showing: instant(time), in: unknown, now: now)) == shown)
        }
    }

    /// A calendar trigger means the first of two equal hours. The second hour needs an interval.
    @Test func anHourThatComesTwice() {
        #expect(Self.trigger("2026-11-01T05:30:00Z", in: .newYork2026) == "2026-11-01 01:30")
        #expect(Self.trigger("2026-11-01T06:30:00Z", in: .newYork2026, from: "2026-11-01T00:00:00Z") == "23400 s")
        #expect(Self.trigger("2026-11-01T07:00:00Z", in: .newYork2026) == "2026-11-01 02:00")
    }

    @Test func anHourThatIsSkipped() {
        #expect(Self.trigger("2026-03-08T06:59:00Z", in: .newYork2026) == "2026-03-08 01:59")
        #expect(Self.trigger("2026-03-08T06:59:30Z", in: .newYork2026) == "2026-03-08 03:00")
        #expect(Self.trigger("2026-03-08T07:00:00Z", in: .newYork2026) == "2026-03-08 03:00")
    }

    /// In every zone and on every day, a calendar trigger shows the first minute that is not before the time.
    @Test(arguments: ZoneOffsets.allHandmade) func aCalendarIsNeverEarly(zone: ZoneOffsets) {
        let around = zone.transitions.map(\.at) + [instant("2026-06-10T12:00:00Z").wholeSeconds]
        for seconds in around.flatMap({ at in stride(from: at - 90_000, through: at + 90_000, by: 419) }) {
            let time = Timestamp(seconds: seconds)
            guard case .calendar(let local) = LocalTrigger(showing: time, in: .known(zone), now: time.adding(.seconds(-86_400))) else {
                continue
            }
            let shown = (0...60).lazy.map { time.adding(.seconds($0)) }.first { zone.localTime(at: $0) == local }
            #expect(shown != nil, "\(zone.name) \(time) is planned for \(local)")
        }
    }
}
