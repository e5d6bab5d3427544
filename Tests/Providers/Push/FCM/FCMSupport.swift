import Synchronization
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

@testable import ProviderFCM

/// Values that the tests of Firebase Cloud Messaging share.
enum FCMFixture {
    /// 2026-01-01T00:00:00Z.
    static let now = Timestamp(seconds: 1_767_225_600)
    static let email = "sender@shop-7.iam.gserviceaccount.com"

    /// The key file of a service account.
    static func account(
        tokenURI: String? = "https://oauth2.googleapis.com/token", email: String = email, key: String = FCMKeys.main,
        type: String = "service_account"
    ) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", type)
        json.member("project_id", "shop-7")
        json.member("private_key_id", "key-1")
        json.member("private_key", key)
        json.member("client_email", email)
        json.member("client_id", "1")
        if let tokenURI { json.member("token_uri", tokenURI) }
        json.endObject()
        return json.text
    }

    /// The assertion that the openssl command signs for ``account(tokenURI:email:key:type:)`` at ``now``.
    static let assertion = """
        eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImtleS0xIn0.eyJpc3MiOiJzZW5kZXJAc2hvcC03LmlhbS5nc2Vy\
        dmljZWFjY291bnQuY29tIiwic2NvcGUiOiJodHRwczovL3d3dy5nb29nbGVhcGlzLmNvbS9hdXRoL2ZpcmViYXNlLm1lc3Nh\
        Z2luZyIsImF1ZCI6Imh0dHBzOi8vb2F1dGgyLmdvb2dsZWFwaXMuY29tL3Rva2VuIiwiaWF0IjoxNzY3MjI1NjAwLCJleHAi\
        OjE3NjcyMjkyMDB9.mVwjlRNm5ecczUkICP1zhHsa5kEebeI60c7gWfj1Jt7qHQQ3mXUwFwvjdPpNrO5GDZKX4Q59mBDFmkc\
        37lnoN4sZCnV5rHE_uAmhZHFfGJ-gvi61wyikUPG_wX8Q-m12KMRBjHeePVMSskt4rqrAFgHDiPsPxKFdCQvupTGGZo98q5Q\
        -cfcQt3YHQqGcpcmKIIGSYVV9NxC97XbymSqIqoQroOQkBvRCMZfHBS8zZ7JMBUCbMMmiPI5zrHVDBu4zFBFR8oWLxetsjQ4\
        NibZZQkixWyzRrdMO-J3bp0DVIB0T1PdAF3Kl1PCyMqP8p8Qhno55rGhGHbY8yn-WU3qZIg
        """

    static func binding(_ settings: [String: String], channel: Channel = .push) -> ProviderBinding {
        ProviderBinding(name: "phones", channel: channel, kind: "fcm", settings: settings, addressing: .device)
    }

    static func configuration(
        _ settings: [String: String] = [:], account: String = account()
    ) throws(ProviderConfigurationError) -> FCMConfiguration {
        let settings = settings.merging(["serviceAccount": "env:ACCOUNT"]) { own, _ in own }
        return try FCMConfiguration(
            try ProviderSettings(binding(settings), declared: FCMProviderFactory.settings, environment: ["ACCOUNT": account]))
    }

    /// The answer to a successful exchange.
    static func tokenAnswer(_ text: String, expiresIn: Int = 3_599) -> HTTPResult {
        response(200, "{\"access_token\":\"\(text)\",\"expires_in\":\(expiresIn),\"token_type\":\"Bearer\"}")
    }

    static func response(_ status: Int, _ body: String, headers: [(String, String)] = []) -> HTTPResult {
        .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false))
    }

    static func failure(_ kind: HTTPFailure.Kind, arrived: Bool = false) -> HTTPResult {
        .failed(HTTPFailure(kind: kind, requestMayHaveArrived: arrived, message: "broke off"))
    }
}

extension ServiceAccount {
    func exchangeBody(at now: Timestamp) -> [UInt8] { Self.exchangeBody(of: assertion(at: now)) }
}

extension OutgoingDelivery {
    /// An order update for a device.
    static func fcmOrder(token: String? = "device-1", platform: String? = nil) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "orderUpdate", category: .transactional, createdAt: FCMFixture.now,
                expiresAt: nil),
            content: Content(title: "Your order shipped", body: "It arrives \"tomorrow\".", data: "{\"orderId\":\"17\",\"n\":1.5}"),
            endpointAddress: token, idempotencyKey: "key-1",
            device: platform.map { OutgoingDevice(platform: $0, environment: "production") })
    }

    /// A silent notification.
    static func fcmMetadata(data: String = "{\"file\":{\"size\":12,\"name\":\"a\"}}") -> OutgoingDelivery {
        var item = fcmOrder()
        (item.header.type, item.header.category, item.content.title, item.content.body, item.content.data, item.silent) = (
            "metadata", .system, nil, nil, data, true
        )
        return item
    }
}

/// Runs the body with a provider whose messages and tokens go to a capture server.
func withFCM(
    _ settings: [String: String] = [:], email: String = FCMFixture.email, key: String = FCMKeys.main, clock: FCMClock = FCMClock(),
    _ body: (FCMProvider, CaptureServer) async throws -> Void
) async throws {
    let server = try CaptureServer()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        do {
            let endpoint = "http://127.0.0.1:\(try await server.port)/fcm"
            let configuration = try FCMFixture.configuration(
                settings.merging(["endpoint": endpoint]) { own, _ in own },
                account: FCMFixture.account(tokenURI: "\(endpoint)/token", email: email, key: key))
            let provider = FCMProvider(configuration, try configuration.call.connection(for: "phones", now: { clock.now }))
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

/// The system's clock, moved forward by a test.
final class FCMClock: Sendable {
    private let offset = Mutex(Duration.zero)

    var now: Timestamp { Timestamp.systemTime().adding(offset.withLock { $0 }) }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

/// A counter of calls.
final class FCMCounter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func next() -> Int {
        state.withLock { count in
            count += 1
            return count
        }
    }
}

/// A gate that tasks wait for.
actor FCMGate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
