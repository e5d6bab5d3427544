import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderJSONOverHTTP

/// An operator's own service, described by the settings of a test.
enum HTTPService {
    static let now = Timestamp(seconds: 1_767_225_600)

    static func binding(
        _ settings: [String: String], channel: Channel = .push, addressing: Addressing = .person, copy: Bool = false
    ) -> ProviderBinding {
        ProviderBinding(name: "dmp", channel: channel, kind: "http", settings: settings, addressing: addressing, copy: copy)
    }

    /// A configuration with an address, unless the settings have one.
    static func configuration(
        _ settings: [String: String], _ environment: [String: String] = [:], addressing: Addressing = .person
    ) throws(ProviderConfigurationError) -> ServiceConfiguration {
        let settings = ["url": "https://dmp.example.com/pushes"].merging(settings) { $1 }
        return try ServiceConfiguration(binding(settings, addressing: addressing), environment: environment)
    }

    static func request(
        _ settings: [String: String] = [:], for item: OutgoingDelivery = .orderShipped(), _ environment: [String: String] = [:]
    ) throws -> HTTPRequest {
        try configuration(settings, environment).request(for: item, channel: .push).message
    }

    /// The body that a template gives.
    static func body(
        _ template: String, for item: OutgoingDelivery = .orderShipped(), contentType: String = "application/json"
    ) throws -> String {
        String(decoding: try request(["body": template, "contentType": contentType], for: item).body, as: UTF8.self)
    }

    /// The error that refuses the settings, as text. Empty if the settings are accepted.
    static func problem(_ settings: [String: String], _ environment: [String: String] = [:]) -> String {
        do throws(ProviderConfigurationError) {
            _ = try configuration(settings, environment)
            return ""
        } catch {
            return error.description
        }
    }

    /// Runs the body with a capture server, and with a provider of these settings that calls a path of the server.
    static func calling<Value: Sendable>(
        _ path: String, _ settings: [String: String] = [:], _ body: (any Provider, CaptureServer) async throws -> Value
    ) async throws -> Value {
        let server = try CaptureServer()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let all = ["url": "http://127.0.0.1:\(try await server.port)\(path)"].merging(settings) { $1 }
            let provider = try HTTPProviderFactory.make(binding: binding(all), environment: [:])
            do {
                let value = try await body(provider, server)
                await provider.close()
                await server.stop()
                try await group.waitForAll()
                return value
            } catch {
                await provider.close()
                await server.stop()
                throw error
            }
        }
    }
}

extension OutgoingDelivery {
    /// An order update to a person, without any optional part.
    static func orderShipped(
        recipient: String = "user-42", title: String? = "Your order shipped", body: String? = "It arrives \"tomorrow\".",
        data: String = #"{"orderId":"17","total":1.50}"#, key: String = "019a3c2e-0000-7000-8000-000000000001_0"
    ) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "shop", recipient: recipient, type: "orderUpdate", category: .transactional, createdAt: HTTPService.now,
                expiresAt: nil),
            content: Content(title: title, body: body, data: data), idempotencyKey: key)
    }

    /// ``orderShipped(recipient:title:body:data:key:)`` with every optional part.
    static func orderShippedInFull() -> OutgoingDelivery {
        var item = orderShipped()
        item.header.attempt = 3
        item.endpointAddress = "device-token"
        item.header.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        item.content.groupKey = "orders"
        item.content.collapseKey = "order-17"
        item.silent = true
        item.badge = 7
        item.header.expiresAt = HTTPService.now.adding(.seconds(3_600))
        return item
    }
}
