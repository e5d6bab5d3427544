import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

/// The payload that an iPhone gets from every provider.
struct ApplePayloadTests {
    private func delivery(
        title: String? = "Your order shipped", body: String? = "It arrives tomorrow.", data: String = "{}", silent: Bool = false
    ) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "shop", recipient: "user-42", type: "orderUpdate", category: .transactional,
                createdAt: Timestamp(seconds: 1_767_225_600), expiresAt: nil),
            content: Content(title: title, body: body, data: data), idempotencyKey: "k", silent: silent)
    }

    private func payload(_ item: OutgoingDelivery) -> String {
        var json = JSONWriter()
        item.writeApplePayload(to: &json)
        return json.text
    }

    @Test func aVisibleOneHasAlertAndData() {
        var item = delivery(data: #"{"orderId":"17","total":1.50,"paid":true,"note":null,"lines":[1,{"a":"b"}]}"#)
        item.badge = 7
        item.content.groupKey = "orders"
        item.interruptionLevel = .timeSensitive
        #expect(
            payload(item) == """
                {"aps":{"alert":{"title":"Your order shipped","body":"It arrives tomorrow."},"sound":"default","badge":7,\
                "thread-id":"orders","category":"transactional","interruption-level":"time-sensitive"},"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate",\
                "category":"transactional","createdAt":"2026-01-01T00:00:00.000Z","data":{"orderId":"17","total":"1.50","paid":"true",\
                "note":"null","lines":"[1,{\\"a\\":\\"b\\"}]"}}
                """)
    }

    @Test func aMissingTitleIsLeftOut() {
        #expect(
            payload(delivery(title: nil)) == """
                {"aps":{"alert":{"body":"It arrives tomorrow."},"sound":"default","category":"transactional"},\
                "id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\
                "createdAt":"2026-01-01T00:00:00.000Z","data":{}}
                """)
    }

    /// Zero removes the number from the icon, so zero must not count as "not known".
    @Test func aBadgeOfZeroIsSent() throws {
        var item = delivery()
        item.badge = 0
        #expect(try JSON.parse(payload(item))["aps"]?["badge"]?.intValue == 0)
    }

    @Test func aSilentOneShowsNothing() {
        var item = delivery(data: #"{"orderId":"17","total":1.50,"lines":[1]}"#, silent: true)
        item.badge = 7
        item.content.groupKey = "orders"
        item.interruptionLevel = .critical
        #expect(
            payload(item) == #"{"aps":{"content-available":1},"type":"orderUpdate","orderId":"17","total":1.50,"lines":[1]}"#)
    }

    @Test func dataReplacesNoMemberOfASilentOne() {
        let data = #"{"aps":{"alert":"x"},"type":"other","APS":1}"#
        #expect(payload(delivery(data: data, silent: true)) == #"{"aps":{"content-available":1},"type":"orderUpdate","APS":1}"#)
    }

    @Test(arguments: [#"","aps":{"badge":9},"x":""#, "a\nb\u{1}", #"\"#, "{{title}}"])
    func noValueChangesTheShape(_ hostile: String) throws {
        let data = (["field": .string(hostile)] as JSON).serialized
        let visible = try JSON.parse(payload(delivery(title: hostile, body: hostile, data: data)))
        #expect(visible.objectValue?.keys == ["aps", "id", "type", "category", "createdAt", "data"])
        #expect(visible["aps"]?["alert"]?["title"]?.stringValue == hostile && visible["data"]?["field"]?.stringValue == hostile)
        let silent = try JSON.parse(payload(delivery(data: data, silent: true)))
        #expect(silent.objectValue?.keys == ["aps", "type", "field"] && silent["field"]?.stringValue == hostile)
    }

    @Test func fieldsStayInOrder() {
        let item = delivery(data: #"{"b":1,"a":"x","c":{"d":[]}}"#)
        #expect(item.dataFields.map(\.0) == ["b", "a", "c"])
        #expect(item.dataFields.map(\.1.serialized) == ["1", #""x""#, #"{"d":[]}"#])
        #expect(item.dataTexts.map(\.1) == ["1", "x", #"{"d":[]}"#])
    }

    @Test(arguments: ["", "[]", #"{"a":1,"a":2}"#, "null"])
    func dataThatIsNoObjectHasNoFields(_ data: String) {
        #expect(delivery(data: data).dataFields.isEmpty && delivery(data: data).dataTexts.isEmpty)
    }
}
