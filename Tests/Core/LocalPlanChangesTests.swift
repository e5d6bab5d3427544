import Testing
import TidingsCore

@Suite struct LocalPlanChangesTests {
    private static let later = noon.adding(.seconds(3_600))

    private static func id(_ number: UInt64) -> NotificationID { NotificationID(milliseconds: number, fraction: 0, random: 0) }

    private static func item(
        _ verdict: LocalVerdict, told: LocalPlanItem.Told? = nil, number: UInt64 = 1, collapse: String? = nil
    ) -> LocalPlanItem {
        LocalPlanItem(id: id(number), collapseKey: collapse, told: told, verdict: verdict)
    }

    private static func told(_ at: Timestamp?, confirmed: Bool = false, zone: String = "UTC") -> LocalPlanItem.Told {
        LocalPlanItem.Told(at: at, zone: zone, isConfirmed: confirmed)
    }

    private static func change(_ item: LocalPlanItem) -> LocalPlanChange { localPlanChanges([item], zone: "UTC", now: noon)[0] }

    @Test func onlyNewsIsTold() {
        #expect(Self.change(Self.item(.showNow)) == .tell(at: nil))
        #expect(Self.change(Self.item(.showNow, told: Self.told(nil))) == .none)
        #expect(Self.change(Self.item(.show(at: Self.later))) == .tell(at: Self.later))
        #expect(Self.change(Self.item(.show(at: Self.later), told: Self.told(Self.later))) == .none)
        #expect(Self.change(Self.item(.show(at: Self.later), told: Self.told(noon))) == .tell(at: Self.later))
        let elsewhere = Self.told(Self.later, zone: "Asia/Kathmandu")
        #expect(Self.change(Self.item(.show(at: Self.later), told: elsewhere)) == .tell(at: Self.later))
    }

    @Test func aPlannedNotificationThatMayNotBeShownIsTakenBack() {
        #expect(Self.change(Self.item(.hide(.channelDisabled))) == .none)
        #expect(Self.change(Self.item(.hide(.channelDisabled), told: Self.told(Self.later))) == .takeBack(nil, nil))
        #expect(Self.change(Self.item(.end(.cancelled, .cancelledByProducer))) == .takeBack(.cancelled, .cancelledByProducer))
    }

    /// After its time, a notification that the device has confirmed is left to the device. An unconfirmed notification is told again.
    @Test func aShownNotificationIsLeftAlone() {
        let past = noon.adding(.seconds(-60))
        for verdict in [LocalVerdict.showNow, .hide(.paused), .end(.suppressed, .channelDisabled), .show(at: Self.later)] {
            #expect(Self.change(Self.item(verdict, told: Self.told(past, confirmed: true))) == .none)
            #expect(Self.change(Self.item(verdict, told: Self.told(nil, confirmed: true))) == .none)
        }
        #expect(Self.change(Self.item(.showNow, told: Self.told(past))) == .tell(at: nil))
    }

    @Test func theSoonestHaveRoom() {
        let items = (1...80).map { number in
            Self.item(.show(at: noon.adding(.seconds(Int64(10_000 - number)))), number: UInt64(number))
        }
        let changes = localPlanChanges(items, zone: "UTC", now: noon)
        let planned = changes.indices.filter { changes[$0] != .none }
        #expect(planned == Array(16..<80))
        #expect(planned.count == LocalPlan.limit)
    }

    @Test func aSoonerOnePushesTheLatestOut() {
        var items = (1...64).map { number in
            let time = noon.adding(.seconds(Int64(1_000 + number)))
            return Self.item(.show(at: time), told: Self.told(time, confirmed: true), number: UInt64(number))
        }
        items.append(Self.item(.showNow, number: 65))
        let changes = localPlanChanges(items, zone: "UTC", now: noon)
        #expect(changes.last == .tell(at: nil))
        #expect(changes[63] == .takeBack(nil, nil))
        #expect(changes.filter { $0 != .none }.count == 2)
    }

    @Test func theNewestOfACollapseKeyCounts() {
        let items = [
            Self.item(.show(at: Self.later), told: Self.told(Self.later), number: 1, collapse: "score"),
            Self.item(.show(at: Self.later), number: 2, collapse: "score"), Self.item(.showNow, number: 3, collapse: "other"),
            Self.item(.end(.cancelled, .cancelledByProducer), number: 4, collapse: "score"),
        ]
        #expect(
            localPlanChanges(items, zone: "UTC", now: noon) == [
                .takeBack(.suppressed, .collapsed), .tell(at: Self.later), .tell(at: nil), .takeBack(.cancelled, .cancelledByProducer),
            ])
    }

    /// Swift calls the two keys equal, and they are two keys for the database.
    @Test func collapseKeysAreComparedByBytes() {
        let items = [Self.item(.showNow, number: 1, collapse: "caf\u{e9}"), Self.item(.showNow, number: 2, collapse: "cafe\u{301}")]
        #expect(localPlanChanges(items, zone: "UTC", now: noon) == [.tell(at: nil), .tell(at: nil)])
    }
}
