import Testing
import TidingsCore
import TidingsTimeZones

@Suite struct FixedOffsetTests {
    @Test(arguments: [
        ("GMT+0500", "Etc/GMT-5", 5), ("GMT-0300", "Etc/GMT+3", -3), ("GMT+05:00", "Etc/GMT-5", 5), ("GMT+5", "Etc/GMT-5", 5),
        ("UTC+5", "Etc/GMT-5", 5), ("UTC-08:00", "Etc/GMT+8", -8), ("+05:00", "Etc/GMT-5", 5), ("-0800", "Etc/GMT+8", -8),
        ("+05", "Etc/GMT-5", 5), ("GMT+14:00", "Etc/GMT-14", 14), ("GMT-12:00", "Etc/GMT+12", -12), ("GMT+0000", "Etc/UTC", 0),
        ("UTC-00:00", "Etc/UTC", 0), ("GMT+9:00", "Etc/GMT-9", 9),
    ])
    func wholeHoursHaveAZone(_ text: String, _ name: String, _ hoursEast: Int) throws {
        #expect(FixedOffset.zoneName(text) == name)
        #expect(TimeZoneDatabase().storedName(of: text) == name)
        #expect(try TimeZoneDatabase().offsets(for: name, from: 0, through: 0).initialOffset == hoursEast * 3_600)
    }

    @Test(arguments: [
        "", "+", "GMT", "UTC", "GMT+", "GMT+0530", "UTC+05:30", "GMT-03:30", "GMT+15:00", "GMT-13:00", "GMT+05:60", "GMT+123", "GMT+12345",
        "GMT+5:0", "GMT+:30", "GMT 0500", "EST", "Europe/Paris", "GMT+0x5", "GMT++5", "GMT+05:00:00", "GMT+５",
    ])
    func otherTextsHaveNone(_ text: String) {
        #expect(FixedOffset.zoneName(text) == nil)
    }

    @Test(arguments: ["Europe/Paris", "UTC", "Etc/GMT+5", "US/Eastern"])
    func aKnownNameIsStoredAsItIs(_ name: String) {
        #expect(TimeZoneDatabase().storedName(of: name) == name)
    }

    @Test(arguments: ["GMT+0530", "GMT+15:00", "Mars/Olympus", "IST", "", "GMT+0200 ", "../etc/passwd"])
    func anUnknownZoneHasNoName(_ text: String) {
        #expect(TimeZoneDatabase().storedName(of: text) == nil)
    }
}
