import Synchronization
import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsJSON
import TidingsProvider
import TidingsTestSupport

@testable import ProviderWebPush
@testable import TidingsCapture

/// Values that the tests of Web Push share.
enum WebPushFixture {
    /// 2026-01-01T00:00:00Z.
    static let now = Timestamp(seconds: 1_767_225_600)
    static let subject = "mailto:ops@example.com"
    static let endpoint = "https://push.example.net/wpush/v2/gAAAAABnpdbulnTLVcG1dB8MMTW1w9txxdv6vnAidRDzsDjOTx39"

    /// The browser of RFC 8291 appendix A.
    static let browserKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    /// A subscription as a browser writes it.
    static func token(endpoint: String = endpoint, point: String = point, secret: String = secret) -> String {
        "{\"endpoint\":\"\(endpoint)\",\"expirationTime\":null,\"keys\":{\"p256dh\":\"\(point)\",\"auth\":\"\(secret)\"}}"
    }

    static func subscription(endpoint: String = endpoint) throws -> PushSubscription {
        try PushSubscription(token: token(endpoint: endpoint))
    }

    static func browser() throws -> WebPushBrowser {
        WebPushBrowser(
            key: try P256PrivateKey(rawValue: try #require(Base64URL.decode(browserKey))), secret: try #require(Base64URL.decode(secret)))
    }

    static func identity() throws -> VAPIDIdentity { VAPIDIdentity(key: try P256PrivateKey(pem: P256Keys.pkcs8), subject: subject) }

    static func binding(_ settings: [String: String], channel: Channel = .push) -> ProviderBinding {
        ProviderBinding(name: "browsers", channel: channel, kind: "webpush", settings: settings, addressing: .device)
    }

    static func configuration(
        _ settings: [String: String] = [:], key: String = P256Keys.raw
    ) throws(ProviderConfigurationError) -> WebPushConfiguration {
        let settings = ["vapidPrivateKey": "env:KEY", "subject": subject].merging(settings) { _, own in own }
        return try WebPushConfiguration(
            try ProviderSettings(binding(settings), declared: WebPushProviderFactory.settings, environment: ["KEY": key]))
    }

    static func response(_ status: Int, _ body: String, headers: [(String, String)] = []) -> HTTPResult {
        .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false))
    }

    static func failure(_ kind: HTTPFailure.Kind, arrived: Bool = false) -> HTTPResult {
        .failed(HTTPFailure(kind: kind, requestMayHaveArrived: arrived, message: "broke off"))
    }

    /// The answer of a stand-in, in the form that a provider gets.
    static func result(_ response: CaptureAnswer.Response) -> HTTPResult {
        .response(HTTPResponse(status: response.status, headers: response.headers, body: response.body ?? [], bodyTruncated: false))
    }
}

extension OutgoingDelivery {
    /// An order update for a browser.
    static func webOrder(token: String? = WebPushFixture.token()) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "orderUpdate", category: .transactional, createdAt: WebPushFixture.now,
                expiresAt: nil),
            content: Content(title: "Your order shipped", body: "It arrives \"tomorrow\".", data: "{\"orderId\":\"17\",\"n\":1.5}"),
            endpointAddress: token, idempotencyKey: "key-1", device: OutgoingDevice(platform: "web", environment: "production"))
    }

    /// A silent notification.
    static func webMetadata() -> OutgoingDelivery {
        var item = webOrder()
        (item.header.type, item.header.category, item.content.title, item.content.body, item.silent) = ("metadata", .system, nil, nil, true)
        return item
    }
}

/// A capture server. The requests go over real connections, as those of a page and an operator do.
struct PushService {
    let server: CaptureServer
    let origin: String
    private let transport: HTTPTransport
    private let anywhere = AddressGuard(
        allowedSchemes: ["http"], allowedPorts: nil, allowedNetworks: ["127.0.0.0/8"].compactMap { CIDR($0) })

    init(server: CaptureServer, transport: HTTPTransport) async throws {
        self.server = server
        self.transport = transport
        origin = "http://127.0.0.1:\(try await server.port)"
    }

    /// Makes a new subscription, which is a device's token.
    func subscribe(_ body: String = "") async throws -> String {
        try await answer(request("POST", "\(origin)/webpush/subscriptions", body), status: 201)
    }

    /// The messages that arrived in a subscription.
    func messages(_ token: String) async throws -> [JSON] {
        let endpoint = try #require(try JSON.parse(token)["endpoint"]?.stringValue)
        return try #require(try JSON.parse(try await answer(request("GET", endpoint), status: 200)).arrayValue)
    }

    private func request(_ method: String, _ url: String, _ body: String = "") -> HTTPRequest {
        HTTPRequest(
            method: method, url: url, body: Array(body.utf8), connectTimeout: .seconds(5).patient, totalTimeout: .seconds(15).patient,
            guarding: anywhere)
    }

    private func answer(_ request: HTTPRequest, status: Int) async throws -> String {
        let result = await transport.send(request)
        guard case .response(let response) = result, response.status == status else {
            Issue.record("\(result)")
            throw CaptureError(message: "the push service does not answer \(status)")
        }
        return String(decoding: response.body, as: UTF8.self)
    }
}

/// Runs the body with a provider that may send to a push service on loopback.
func withWebPush(
    _ settings: [String: String] = [:], clock: PushClock = PushClock(), _ body: (WebPushProvider, PushService) async throws -> Void
) async throws {
    let server = try CaptureServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        do {
            let loopback = ["allowHTTP": "true", "allowedPorts": "any", "allowedNetworks": "127.0.0.0/8"]
            let configuration = try WebPushFixture.configuration(loopback.merging(settings) { _, own in own })
            let page = try HTTPTransport.open()
            let provider = WebPushProvider(configuration, try configuration.call.connection(for: "browsers", now: { clock.now }))
            try await body(provider, try await PushService(server: server, transport: page))
            await provider.close()
            await page.close()
            await server.stop()
            try await group.waitForAll()
        } catch {
            await server.stop()
            throw error
        }
    }
}

/// The system's clock, moved forward by a test.
final class PushClock: Sendable {
    private let offset = Mutex(Duration.zero)

    var now: Timestamp { Timestamp.systemTime().adding(offset.withLock { $0 }) }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
