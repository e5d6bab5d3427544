import Testing
import TidingsCore
import TidingsProvider

/// The secret parts of an address.
struct CapabilityURLTests {
    private static let endpoint = "https://a.test/fcm/send/eAzLfIxkZ2k:APA91bH4-PaLpK68?token=BQYAAABcdefghijklmnop&v=2"

    @Test(arguments: [
        ("no \(endpoint) here", endpoint, "no https://a.test… here"),
        ("eAzLfIxkZ2k:APA91bH4-PaLpK68 is unknown at a.test", endpoint, "… is unknown at a.test"),
        ("POST /fcm/send/eAzLfIxkZ2k:APA91bH4-PaLpK68 failed", endpoint, "POST … failed"),
        ("/fcm/send/eAzLfIxkZ2k%3AAPA91bH4-PaLpK68", endpoint, "…"), (#""\/fcm\/send\/eAzLfIxkZ2k:APA91bH4-PaLpK68""#, endpoint, #""…""#),
        ("token BQYAAABcdefghijklmnop, v 2", endpoint, "token …, v 2"),
        ("/w/capability/4711-abcdef", "https://a.test/w/capability%2F4711-abcdef", "…"),
        ("cut at /fcm/send/eAzLf", endpoint, "cut at …"),
        ("send it again", endpoint, "send it again"), ("https://a.test", "https://a.test", "https://a.test"),
        ("GET /hooks/shop", "https://a.test/hooks/shop", "GET /hooks/shop"),
        ("fragment-0123456789", "https://a.test/x#fragment-0123456789", "…"), ("a.test:8443/x", "no address", "a.test:8443/x"),
    ])
    func theSecretPartOfAnAddressIsHidden(_ text: String, _ url: String, _ told: String) {
        #expect(SendResult(.rejected(.providerRejected), detail: text).hidingAddress(url).detail == told)
    }
}
