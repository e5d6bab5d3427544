import Foundation
import Testing
import TidingsInbox

/// The tests of the models in the lending app's document, and of the forms of further ones.
@Suite struct InboxModelTests {
    private static func item(_ json: String) throws -> InboxItem { try JSONDecoder().decode(InboxItem.self, from: Data(json.utf8)) }

    private static let appearances: [(NotificationType, String, String)] = [
        ("LOAN_APPROVED", "checkmark.circle.fill", "green"), ("LOAN_REJECTED", "xmark.circle.fill", "red"),
        ("PAYMENT_RECEIVED", "arrow.down.circle.fill", "green"), ("PAYMENT_DUE", "exclamationmark.circle.fill", "orange"),
        ("NEW_LENDER", "person.circle.fill", "blue"), ("SYSTEM_UPDATE", "info.circle.fill", "gray"), ("FUTURE", "bell.fill", "gray"),
    ].map { (NotificationType(rawValue: $0), $1, $2) }

    @Test(arguments: appearances) func everyTypeHasItsIconAndColour(type: NotificationType, icon: String, color: String) {
        #expect(type.appearance == ItemAppearance(icon: icon, color: ItemColor(rawValue: color)))
    }

    @Test func rawValuesAreThoseOfTheServer() {
        #expect(NotificationType.loanApproved.rawValue == "LOAN_APPROVED")
        #expect(NotificationCategory.allCases.map(\.rawValue) == ["transactional", "marketing", "social", "system"])
        #expect(NotificationChannel.inApp.rawValue == "inApp")
        #expect(ItemState.dismissed.rawValue == "dismissed")
    }

    @Test func anItemIsRead() throws {
        let json = Sample.item(2, more: #","extra":{"a":1}"#).replacing(#""deepLink":null"#, with: #""deepLink":"app://loans/7""#)
        let item = try Self.item(json)
        #expect(item.id == Sample.id(2))
        #expect(item.type == .paymentDue)
        #expect(item.data == ["loanId": "7"])
        #expect(item.deepLink?.absoluteString == "app://loans/7")
        #expect(item.createdAt == Date(timeIntervalSince1970: 1_795_600_800))
        #expect(item.isUnread)
    }

    @Test func unknownWordsAreKept() throws {
        let words = #""type":"X","category":"y","channel":"z","state":"w","color":"pink""#
        let item = try Self.item(#"{"id":"a",\#(words),"createdAt":"2026-11-25T10:00:00Z"}"#)
        #expect(item.category.rawValue == "y")
        #expect(item.channel.rawValue == "z")
        #expect(item.state.rawValue == "w")
        #expect(item.color.rawValue == "pink")
        #expect(item.icon == "bell.fill")
    }

    @Test func itemsAreEqualByTheirMembers() throws {
        let (one, two) = (try Self.item(Sample.item(1)), try Self.item(Sample.item(1)))
        #expect(one == two)
        #expect(one != (try Self.item(Sample.item(1, isRead: true))))
        #expect(Set([one, two]).count == 1)
    }

    @Test func anItemKnowsItsPlaceAndItsSnooze() throws {
        let json = Sample.item(2, more: #","position":1764056302989,"snoozedUntil":"2026-11-25T10:00:00.000Z""#)
        let item = try Self.item(json)
        #expect(item.position == 1_764_056_302_989 && item.snoozedUntil == item.createdAt)
        #expect(try JSONDecoder().decode(InboxItem.self, from: JSONEncoder().encode(item)) == item)
        let push = try Self.item(Sample.item(2))
        #expect(push.position == 0 && push.snoozedUntil == nil)
    }

    @Test func anItemSurvivesItsJSON() throws {
        let item = try Self.item(Sample.item(1, isRead: true))
        #expect(try JSONDecoder().decode(InboxItem.self, from: JSONEncoder().encode(item)) == item)
    }

    @Test func preferencesHaveTheirDefaultsAndWriteNulls() throws {
        let preferences = try JSONDecoder().decode(Preferences.self, from: Data(#"{"quietHoursStart":"22:00","quietHoursEnd":null}"#.utf8))
        #expect(preferences.pushEnabled && preferences.localEnabled && preferences.inAppEnabled)
        #expect(preferences.enabledCategories == NotificationCategory.allCases)
        #expect(preferences.quietHoursStart == TimeOfDay(hour: 22, minute: 0))
        #expect(preferences.allows(.promotion))
        let written = try CaseValue(encoding: preferences)
        #expect(written["quietHoursEnd"] == .null)
        #expect(written["quietHoursStart"] == .text("22:00"))
    }

    @Test(arguments: ["24:00", "7:00", "12:60", "noon", "", "-1:00", "12"]) func noOtherTextIsATime(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    @Test func aTokenIsWrittenInHexadecimalDigits() {
        #expect(DeviceRegistration.hexadecimal([0, 1, 0xAB, 0xFF]) == "0001abff")
    }

    @Test func aPlanSurvivesItsJSON() throws {
        let triggers: [LocalTrigger] = [
            .calendar(year: 2026, month: 12, day: 1, hour: 9, minute: 30, repeats: false), .timeInterval(seconds: 60, repeats: false),
        ]
        let requests = triggers.enumerated().map { LocalRequest(identifier: "\($0)", title: "T", body: "B", trigger: $1) }
        let plan = LocalPlan(version: 3, reset: true, requests: requests)
        #expect(try JSONDecoder().decode(LocalPlan.self, from: JSONEncoder().encode(plan)) == plan)
    }

    /// A phone's own notifications take room of the limit, and requests that were shown give theirs back.
    @Test func theLimitIsSharedWithTheApp() {
        let now = Date(timeIntervalSince1970: 0)
        let requests = (1...4).map { number in
            LocalRequest(identifier: "r\(number)", title: "T", body: "", trigger: .timeInterval(seconds: number * 60, repeats: false))
        }
        let reconciler = LocalPlanReconciler(others: 61)
        let first = reconciler.steps(for: LocalPlan(version: 1, reset: true, requests: requests), plan: StoredLocalPlan(), now: now)
        #expect(first.add.map(\.identifier) == ["r1", "r2", "r3"])
        let next = reconciler.steps(
            for: LocalPlan(version: 2, reset: false, requests: [requests[3]]), plan: first.plan, pending: ["r2", "r3"], now: now)
        #expect(next.add.map(\.identifier) == ["r4"])
        #expect(next.remove == [])
        #expect(next.plan.planned.map(\.request.identifier) == ["r2", "r3", "r4"])
    }
}
