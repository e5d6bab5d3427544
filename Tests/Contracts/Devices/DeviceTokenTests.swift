import Testing
import TidingsContracts

@Suite struct DeviceTokenTests {
    private static let stored = #"{"endpoint":"https://push.test/w/gAAA","keys":{"p256dh":"BCVx-_4","auth":"BTBZ"}}"#

    @Test(arguments: [
        stored,
        #"{"endpoint":"https://push.test/w/gAAA","expirationTime":null,"keys":{"p256dh":"BCVx-_4","auth":"BTBZ"}}"#,
        #"{"keys":{"auth":"BTBZ==","p256dh":"BCVx+/4="},"expirationTime":1767225600000,"endpoint":"https:\/\/push.test\/w\/gAAA"}"#,
        """
        {
          "endpoint": "https://push.test/w/gAAA",
          "expirationTime": null,
          "keys": {
            "p256dh": "BCVx-_4",
            "auth": "BTBZ"
          }
        }

        """,
    ])
    func aSubscriptionHasOneForm(_ written: String) {
        #expect(DeviceToken(written)?.text == Self.stored)
    }

    @Test(arguments: [
        "0a1b", "fcm:APA91b+/=", "{}", #"{"endpoint":"a"}"#, #"{"keys":{"auth":"a","p256dh":"b"}}"#,
        #"{"endpoint":1,"keys":{"auth":"a","p256dh":"b"}}"#, #"{"endpoint":"a","keys":["auth"]}"#, "{",
        String(repeating: "x", count: 4_096),
    ])
    func anyOtherTokenIsItself(_ written: String) {
        #expect(DeviceToken(written)?.text == written)
    }

    @Test(arguments: [
        "", "two words", "line\n", "tab\t", "é", "\u{7F}", String(repeating: "x", count: 4_097), #"{ "endpoint": "a" }"#,
        #"{"endpoint":"https://push.test/é","keys":{"p256dh":"a","auth":"b"}}"#,
        #"{"endpoint":"https://push.test/\n","keys":{"p256dh":"a b","auth":"b"}}"#,
        "{\"endpoint\":\"\(String(repeating: "x", count: 4_096))\",\"keys\":{\"p256dh\":\"a\",\"auth\":\"b\"}}",
    ])
    func whatCannotBeStoredIsNoToken(_ written: String) {
        #expect(DeviceToken(written) == nil)
    }
}
