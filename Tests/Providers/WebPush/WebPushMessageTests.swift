import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderWebPush

/// The message that the page's service worker gets.
struct WebPushMessageTests {
    private func message(_ item: OutgoingDelivery) throws(Refusal) -> String {
        String(decoding: try webPushMessage(of: item).message, as: UTF8.self)
    }

    @Test func aVisibleMessageShowsItsTexts() throws {
        #expect(
            try message(.webOrder()) == #"""
                {"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "title":"Your order shipped","body":"It arrives \"tomorrow\".","createdAt":"2026-01-01T00:00:00.000Z",\#
                "data":{"orderId":"17","n":1.5}}
                """#)
    }

    @Test func theMessageHasEverythingThatADeliveryMayHave() throws {
        var item = OutgoingDelivery.webOrder()
        (item.content.groupKey, item.content.collapseKey, item.badge, item.header.expiresAt) = ("orders", "order-17", 3, WebPushFixture.now)
        #expect(
            try message(item) == #"""
                {"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "title":"Your order shipped","body":"It arrives \"tomorrow\".","createdAt":"2026-01-01T00:00:00.000Z","tag":"order-17",\#
                "groupKey":"orders","badge":3,"data":{"orderId":"17","n":1.5}}
                """#)
    }

    /// Only the collapse key is a tag: the messages of a thread stand beside each other.
    @Test func aThreadReplacesNothing() throws {
        var item = OutgoingDelivery.webOrder()
        item.content.groupKey = "chat-7"
        #expect(try JSON.parse(webPushMessage(of: item).message)["tag"] == nil)
        #expect(try message(item).contains(#""groupKey":"chat-7","data""#))
        (item.content.groupKey, item.content.collapseKey) = (nil, "chat-7")
        #expect(try JSON.parse(webPushMessage(of: item).message)["groupKey"] == nil)
        #expect(try message(item).contains(#""tag":"chat-7","data""#))
    }

    /// A silent notification may have a title, but the title is not sent.
    @Test func silent() throws {
        var item = OutgoingDelivery.webMetadata()
        let expected = #"""
            {"id":"019a3c2e-0000-7000-8000-000000000001","type":"metadata","category":"system","createdAt":"2026-01-01T00:00:00.000Z",\#
            "data":{"orderId":"17","n":1.5},"silent":true}
            """#
        #expect(try message(item) == expected)
        (item.content.title, item.content.body) = ("a", "b")
        #expect(try message(item) == expected)
    }

    @Test func aMessageThatShowsNothingIsNotSent() throws {
        var item = OutgoingDelivery.webOrder()
        (item.content.title, item.content.body) = (nil, nil)
        #expect(throws: Refusal(.contentMissing, "the message has neither title nor body")) { try message(item) }
        (item.content.title, item.content.body) = ("", "")
        #expect(throws: Refusal(.contentMissing, "the message has neither title nor body")) { try message(item) }
        (item.content.title, item.content.body) = ("", "b")
        #expect(try message(item).contains(#""category":"transactional","body":"b","createdAt""#))
    }

    @Test func theLimitIsWhatOneRecordHolds() throws {
        var item = OutgoingDelivery.webOrder()
        item.content.body = "y"
        let room = 3_994 - (try message(item)).utf8.count
        item.content.body = String(repeating: "y", count: room)
        #expect(try message(item).utf8.count == 3_993)
        #expect(try webPushMessage(of: item).note == nil)
        item.content.body = String(repeating: "y", count: room + 1)
        #expect(try message(item).utf8.count == 3_993)
        #expect(
            try webPushMessage(of: item).note
                == "Web Push takes 3993 bytes for the message: the body was shortened from \(room + 1) to \(room) bytes")
        // The limit counts the bytes that are sent: two for the letter, and two for a line break in JSON.
        for text in ["ü", "\n", "\""] {
            item.content.body = String(repeating: text, count: room)
            #expect((3_992...3_993).contains(try message(item).utf8.count))
        }
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_000))\"}"
        let error = #expect(throws: Refusal.self) { try message(item) }
        #expect(error?.result.outcome == .rejected(.payloadTooLarge) && error?.result.detail?.contains("Web Push takes 3993") == true)
    }
}
