import Testing
import TidingsCore

@Suite struct ZoneOffsetsTests {
    @Test(arguments: [
        (ZoneOffsets.newYork2026, "2026-03-08T06:59:59Z", "2026-03-08 01:59:59"),
        (.newYork2026, "2026-03-08T07:00:00Z", "2026-03-08 03:00:00"),
        (.newYork2026, "2026-11-01T05:59:59.999999Z", "2026-11-01 01:59:59"),
        (.newYork2026, "2026-11-01T06:00:00Z", "2026-11-01 01:00:00"),
        (.saoPaulo2018, "2018-11-04T02:59:59Z", "2018-11-03 23:59:59"),
        (.saoPaulo2018, "2018-11-04T03:00:00Z", "2018-11-04 01:00:00"),
        (.lordHowe2026, "2026-10-03T15:30:00Z", "2026-10-04 02:30:00"),
        (.kathmandu, "2026-01-01T00:00:00Z", "2026-01-01 05:45:00"),
        (.chatham2026, "2026-09-26T14:00:00Z", "2026-09-27 03:45:00"),
        (.apia2011, "2011-12-30T09:59:59Z", "2011-12-29 23:59:59"),
        (.apia2011, "2011-12-30T10:00:00Z", "2011-12-31 00:00:00"),
        (.utc, "1969-12-31T23:59:59.5Z", "1969-12-31 23:59:59"),
    ])
    func wallClock(zone: ZoneOffsets, at: String, shows: String) {
        #expect(zone.localTime(at: instant(at)).description == shows)
    }

    @Test func changesMayComeInAnyOrder() {
        let zone = ZoneOffsets(name: "X", initialOffset: 1, transitions: [.init(at: 20, offset: 3), .init(at: 10, offset: 2)])
        #expect([9, 10, 19, 20].map { zone.offset(at: Timestamp(seconds: $0)) } == [1, 2, 2, 3])
    }
}
