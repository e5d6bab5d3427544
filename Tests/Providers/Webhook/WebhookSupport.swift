import ProviderWebhook
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsProvider
import TidingsTestSupport

/// The secret of the published test vectors, of 24 bytes.
let testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

/// Runs the body with a capture server on a free port.
func withCapture<Value: Sendable>(
    _ configuration: CaptureConfiguration = CaptureConfiguration(secrets: [testSecret]),
    _ body: (CaptureServer, String) async throws -> Value
) async throws -> Value {
    let server = try CaptureServer(configuration: configuration)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        let origin = "http://127.0.0.1:\(try await server.port)"
        do {
            let value = try await body(server, origin)
            await server.stop()
            try await group.waitForAll()
            return value
        } catch {
            await server.stop()
            throw error
        }
    }
}

/// Runs the body with a provider that may send to loopback.
func withWebhooks<Value: Sendable>(
    timeout: Duration = .seconds(30).patient, secrets: [String] = [], allowsUnsigned: Bool = false, guarding: AddressGuard = .loopback,
    _ body: (WebhookProvider) async throws -> Value
) async throws -> Value {
    let configuration = WebhookConfiguration(
        guarding: guarding, timeout: timeout, connectTimeout: timeout, secrets: try WebhookSecret.parse(secrets),
        allowsUnsigned: allowsUnsigned)
    let provider = WebhookProvider(configuration, try ServiceConnection.open(HTTPConfiguration(), for: "webhook"))
    do {
        let value = try await body(provider)
        await provider.close()
        return value
    } catch {
        await provider.close()
        throw error
    }
}

extension AddressGuard {
    static let loopback = AddressGuard(
        allowedSchemes: ["http", "https"], allowedPorts: nil, allowedNetworks: ["127.0.0.0/8"].compactMap { CIDR($0) })
}

extension OutgoingDelivery {
    /// An order update to an address.
    static func sample(
        to address: String?, key: String = "019a3c2e-0000-7000-8000-000000000001_0", secrets: [String] = [testSecret], data: String = "{}"
    ) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "orderUpdate", category: .transactional,
                createdAt: Timestamp(seconds: 1_767_225_600), expiresAt: nil),
            content: Content(title: "Your order shipped", body: "It arrives \"tomorrow\".", data: data), endpointAddress: address,
            secrets: secrets, idempotencyKey: key)
    }
}
