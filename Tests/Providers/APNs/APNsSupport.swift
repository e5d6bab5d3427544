import Synchronization
import TidingsCore
import TidingsCrypto
import TidingsHTTP
import TidingsHTTP2
import TidingsProvider

@testable import ProviderAPNs

/// Values that the tests of the Apple Push Notification service share.
enum APNsFixture {
    /// 2026-01-01T00:00:00Z.
    static let now = Timestamp(seconds: 1_767_225_600)
    static let topic = "com.example.shop"
    /// A device token of the present length.
    static let device = String(repeating: "0a1B", count: 16)

    static func identity() throws -> SigningIdentity {
        SigningIdentity(key: try P256PrivateKey(pem: APNsKeys.main), keyID: "ABC123DEFG", teamID: "TEAM123456")
    }

    static func binding(_ settings: [String: String], channel: Channel = .push) -> ProviderBinding {
        ProviderBinding(name: "phones", channel: channel, kind: "apns", settings: settings, addressing: .device)
    }

    /// The settings that have no default.
    static let required = ["key": "env:KEY", "keyId": "ABC123DEFG", "teamId": "TEAM123456", "topic": topic]

    /// - Parameter settings: added to ``required``. An empty value counts as not set.
    static func configuration(
        _ settings: [String: String] = [:], key: String = APNsKeys.main
    ) throws(ProviderConfigurationError) -> APNsConfiguration {
        let settings = required.merging(settings) { _, given in given }
        return try APNsConfiguration(
            try ProviderSettings(binding(settings), declared: APNsProviderFactory.settings, environment: ["KEY": key]))
    }

    static func response(_ status: Int, _ body: String = "", headers: [(String, String)] = []) -> HTTPResult {
        .response(HTTPResponse(status: status, headers: headers, body: Array(body.utf8), bodyTruncated: false))
    }

    static func refusal(_ status: Int, _ reason: String) -> HTTPResult { response(status, "{\"reason\":\"\(reason)\"}") }

    static let accepted = response(200, headers: [("apns-id", "019a3c2e-0000-7000-8000-000000000001")])

    static func failure(_ kind: HTTPFailure.Kind, arrived: Bool = false) -> HTTPResult {
        .failed(HTTPFailure(kind: kind, requestMayHaveArrived: arrived, message: "broke off"))
    }
}

extension OutgoingDelivery {
    /// An order update for a device.
    static func apnsOrder(token: String? = APNsFixture.device, environment: String? = nil) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "default", recipient: "user-42", type: "orderUpdate", category: .transactional, createdAt: APNsFixture.now,
                expiresAt: nil),
            content: Content(title: "Your order shipped", body: "It arrives \"tomorrow\".", data: "{\"orderId\":\"17\",\"n\":1.5}"),
            endpointAddress: token, idempotencyKey: "key-1", device: environment.map { OutgoingDevice(platform: "ios", environment: $0) })
    }

    /// A silent notification.
    static func apnsMetadata(token: String = APNsFixture.device) -> OutgoingDelivery {
        var item = apnsOrder(token: token)
        (item.header.type, item.header.category, item.content.title, item.content.body, item.silent) = ("metadata", .system, nil, nil, true)
        item.content.data = #"{"file":{"fileId":"f-1","key":"k","size":12}}"#
        return item
    }
}

extension HTTP2Request {
    /// The whole request as text, with one header on each line.
    var text: String {
        (["\(method) \(path)"] + headers.map { "\($0.0): \($0.1)" } + ["", String(decoding: body, as: UTF8.self)]).joined(separator: "\n")
    }

    func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
}

/// A replacement for one of Apple's services. Gives the answers of a test in order, repeats the last one, and records every event.
final class ScriptedServer: Sendable {
    enum Event: Sendable, Equatable {
        /// A request with its provider token.
        case request(String)
        case retired
        case closed
    }

    private struct State {
        var answers: [HTTPResult]
        var events: [Event] = []
        var requests: [HTTP2Request] = []
    }

    private let state: Mutex<State>

    init(_ answers: HTTPResult...) { state = Mutex(State(answers: answers)) }

    var events: [Event] { state.withLock { $0.events } }
    var requests: [HTTP2Request] { state.withLock { $0.requests } }
    var retirements: Int { events.filter { $0 == .retired }.count }
    /// The provider token of each request.
    var tokens: [String] { requests.map { String($0.header("authorization")?.dropFirst("bearer ".count) ?? "") } }

    /// - Parameter meeting: every request waits there before its answer.
    func server(_ meeting: Meeting? = nil) -> APNsServer {
        APNsServer(
            transmit: { request in
                await meeting?.join()
                return self.answer(request)
            }, retire: { self.note(.retired) }, disconnect: { self.note(.closed) })
    }

    private func answer(_ request: HTTP2Request) -> HTTPResult {
        state.withLock { state in
            state.requests.append(request)
            state.events.append(.request(request.header("authorization") ?? ""))
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }

    private func note(_ event: Event) { state.withLock { $0.events.append(event) } }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let time = Mutex(APNsFixture.now)

    var now: Timestamp { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
}

/// A meeting point for a number of tasks and a number of rounds. A task that arrives after the last round passes at once.
actor Meeting {
    private let size: Int
    private var rounds: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(of size: Int, rounds: Int = 1) {
        self.size = size
        self.rounds = rounds
    }

    func join() async {
        guard rounds > 0 else { return }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard waiting.count == size else { return }
            rounds -= 1
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }
}
