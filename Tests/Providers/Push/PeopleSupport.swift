import TidingsCapture
import TidingsCore
import TidingsProvider

/// The secrets, by the names in the tests' settings.
let peopleEnvironment = ["KEY": "key-1", "SECRET": "secret-1", "WRONG": "wrong-1", "FORBIDDEN": "forbidden-1"]

/// A binding of a platform that addresses people and keeps their devices itself.
func peopleBinding(
    kind: String, _ settings: [String: String], channel: Channel = .push, addressing: Addressing = .person
) -> ProviderBinding {
    ProviderBinding(name: "people", channel: channel, kind: kind, settings: settings, addressing: addressing)
}

/// Runs the body with a capture server, and with a provider that sends to the stand-in for its kind.
func withStandIn<Factory: ProviderFactory>(
    of factory: Factory.Type, _ settings: [String: String], _ body: (any Provider, CaptureServer) async throws -> Void
) async throws {
    let server = try CaptureServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        do {
            var settings = settings
            settings["endpoint"] = "http://127.0.0.1:\(try await server.port)/\(Factory.kind)/"
            let provider = try Factory.make(binding: peopleBinding(kind: Factory.kind, settings), environment: peopleEnvironment)
            try await body(provider, server)
            await provider.close()
            await server.stop()
            try await group.waitForAll()
        } catch {
            await server.stop()
            throw error
        }
    }
}

extension OutgoingDelivery {
    /// An order update for a person, accepted at 2026-01-01T00:00:00Z.
    static func orderUpdate(for recipient: String = "user-42", number: UInt64 = 1) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0000 + number), ordinal: 0, attempt: 1,
                tenant: "default", recipient: recipient, type: "orderUpdate", category: .transactional,
                createdAt: Timestamp(seconds: 1_767_225_600), expiresAt: nil),
            content: Content(title: "Your order shipped", body: "It arrives \"tomorrow\".", data: "{\"orderId\":\"17\"}"),
            idempotencyKey: "key-\(number)")
    }

    /// A silent notification. A field of its data is no text.
    static func metadata(for recipient: String = "user-42") -> OutgoingDelivery {
        var item = orderUpdate(for: recipient)
        (item.header.type, item.header.category, item.content.title, item.content.body) = ("metadata", .system, nil, nil)
        item.content.data = "{\"type\":\"mine\",\"aps\":1,\"file\":{\"size\":12,\"name\":\"a\"}}"
        item.silent = true
        return item
    }
}
