import Testing
import TidingsCore
import TidingsProvider

/// The deliveries that may share one call.
struct DeliveryContentTests {
    private static let item = OutgoingDelivery(
        header: DeliveryHeader(
            notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
            tenant: "shop", recipient: "user-42", type: "orderUpdate", category: .transactional,
            createdAt: Timestamp(seconds: 1_767_225_600), expiresAt: Timestamp(seconds: 1_767_229_200)),
        content: Content(title: "t", body: "b", data: #"{"a":1}"#, groupKey: "g", collapseKey: "c"), endpointAddress: "token",
        idempotencyKey: "k", silent: false, badge: 1)

    private static func changed(_ change: (inout OutgoingDelivery) -> Void) -> OutgoingDelivery {
        var item = item
        change(&item)
        return item
    }

    @Test func theReceiverOfADeliveryDoesNotMatter() {
        let other = Self.changed {
            $0.header.notificationID = NotificationID(high: 1, low: 2)
            ($0.header.ordinal, $0.header.attempt) = (3, 4)
            ($0.header.recipient, $0.endpointAddress, $0.idempotencyKey) = ("user-43", "other", "other")
            ($0.secrets, $0.header.traceparent) = (["s"], "trace")
            $0.device = OutgoingDevice(platform: "ios", environment: "sandbox")
        }
        #expect(other != Self.item)
        #expect(other.batchKey == Self.item.batchKey)
        #expect(Set([other.batchKey, Self.item.batchKey]).count == 1)
    }

    /// Rows and packs of an older version may have empty texts.
    @Test func anEmptyTextIsAbsent() {
        let empty = Self.changed { $0.content = Content(title: "", body: "", imageURL: "", groupKey: "", collapseKey: "") }
        let texts = [empty.title, empty.body, empty.imageURL, empty.groupKey, empty.collapseKey]
        #expect(texts == [nil, nil, nil, nil, nil])
        #expect(Self.item.title == "t" && Self.item.body == "b" && Self.item.groupKey == "g" && Self.item.collapseKey == "c")
    }

    @Test func theContentOfADeliveryMatters() {
        let others = [
            Self.changed { $0.header.type = "x" }, Self.changed { $0.header.category = .marketing },
            Self.changed { $0.content.title = nil }, Self.changed { $0.content.body = "x" }, Self.changed { $0.content.data = "{}" },
            Self.changed { $0.content.groupKey = nil }, Self.changed { $0.content.collapseKey = nil }, Self.changed { $0.silent = true },
            Self.changed { $0.interruptionLevel = .passive }, Self.changed { $0.badge = 2 }, Self.changed { $0.header.expiresAt = nil },
        ]
        #expect(Set(others.map(\.batchKey) + [Self.item.batchKey]).count == others.count + 1)
    }
}
