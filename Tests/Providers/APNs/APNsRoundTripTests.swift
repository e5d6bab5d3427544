import Synchronization
import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsHTTP2
import TidingsProvider

@testable import ProviderAPNs
@testable import TidingsCapture

/// The way of a delivery through the stand-in to its outcome, without a network.
struct APNsRoundTripTests {
    private func device(_ recipient: String) -> String { Hexadecimal.encode(Array(recipient.utf8)) }

    private func isAccepted(_ result: SendResult) -> Bool {
        guard case .accepted(let id?, false) = result.outcome else { return false }
        return NotificationID(id) != nil && result.status == 200 && result.detail == nil
    }

    @Test func aPushThatTheProviderBuildsIsValid() async throws {
        let loop = try Loop()
        var full = OutgoingDelivery.apnsOrder()
        (full.header.ordinal, full.header.attempt, full.badge, full.content.groupKey) = (2, 5, 0, "orders")
        (full.content.collapseKey, full.header.expiresAt) = (String(repeating: "é", count: 200), APNsFixture.now.adding(.seconds(3_600)))
        var odd = OutgoingDelivery.apnsOrder(token: "0A")
        odd.content.collapseKey = " a\u{0}b "
        for item in [OutgoingDelivery.apnsOrder(), .apnsMetadata(), full, odd] { #expect(isAccepted(await loop.provider.send(item))) }
        let device = APNsFixture.device.lowercased()
        let id = full.notificationID
        #expect(loop.link.messages == ["\(device) \(id)", "\(device) metadata", "\(device) \(id)", "0a \(id)"])
    }

    @Test func theIDThatIsSentIsTheOneThatIsTold() async throws {
        let loop = try Loop()
        var item = OutgoingDelivery.apnsOrder()
        item.header.attempt = 2
        #expect(await loop.provider.send(item).outcome == .accepted(providerMessageID: item.apnsID, delivered: false))
    }

    @Test(
        arguments: [
            ("test+gone", .endpointGone), ("test+rejected", .rejected(.providerRejected)),
            ("test+BadDeviceToken", .rejected(.tokenMalformed)),
            ("test+TooManyRequests", .retry(after: nil, .providerThrottled)), ("test+Shutdown", .retry(after: nil, .providerUnavailable)),
            ("test+TopicDisallowed", .misconfigured(.misconfigured)), ("test+timeout", .unknown(.timeout)),
            ("test+IdleTimeout", .retry(after: nil, .connectionFailed)),
        ] as [(String, Outcome)])
    func fixedDevicesHaveTheirOutcomes(_ recipient: String, _ outcome: Outcome) async throws {
        let loop = try Loop()
        let result = await loop.provider.send(.apnsOrder(token: device(recipient)))
        #expect(result.outcome == outcome)
        #expect(result.goneSince == (outcome == .endpointGone ? APNsFixture.now : nil))
    }

    @Test func throttledAndFlakyDevicesAreReachedTheSecondTime() async throws {
        let loop = try Loop()
        for (name, outcome) in [
            ("throttled", Outcome.retry(after: nil, .providerThrottled)), ("flaky", .retry(after: nil, .providerUnavailable)),
        ] {
            let token = device("test+\(name)")
            #expect(await loop.provider.send(.apnsOrder(token: token)).outcome == outcome)
            #expect(isAccepted(await loop.provider.send(.apnsOrder(token: token))))
        }
    }

    /// A worker keeps one connection for a day and changes its token every 45 minutes. Apple accepts every push.
    @Test func aConnectionMayBeKeptForHours() async throws {
        let loop = try Loop()
        for _ in 0..<100 {
            #expect(isAccepted(await loop.provider.send(.apnsOrder())))
            loop.clock.advance(by: .seconds(7 * 60))
        }
        #expect(loop.link.connection == 1)
        #expect((12...17).contains(loop.link.tokens.count))
    }

    /// The provider's clock is two hours behind Apple's.
    @Test func aClockThatIsWrongIsTheOperatorsMatter() async throws {
        let loop = try Loop(ahead: .seconds(7_200))
        let result = await loop.provider.send(.apnsOrder())
        #expect(result.outcome == .misconfigured(.misconfigured))
        #expect(result.detail?.hasPrefix("ExpiredProviderToken: ") == true)
    }

    @Test func anotherTeamsKeyIsTheOperatorsMatter() async throws {
        let loop = try Loop(key: APNsKeys.other)
        let result = await loop.provider.send(.apnsOrder())
        #expect(result.outcome == .misconfigured(.misconfigured) && result.detail == "InvalidProviderToken")
    }

    /// Another process has left the connection to a proxy, bound to another key.
    @Test func aConnectionOfAnotherKeyIsReplaced() async throws {
        let loop = try Loop()
        var other = try APNsFixture.identity()
        other.keyID = "XYZ123DEFG"
        let push = try APNsPush(of: .apnsOrder(), topic: APNsFixture.topic)
        _ = loop.link.answer(push.request(under: other.token(at: APNsFixture.now), within: .seconds(1)), at: APNsFixture.now)
        #expect(isAccepted(await loop.provider.send(.apnsOrder())))
        #expect(loop.link.connection == 2)
    }
}

/// A provider whose requests go to a stand-in with the team's key. The stand-in sees them as requests over HTTP/2 connections.
private struct Loop {
    let clock = TestClock()
    let link: Link
    let provider: APNsProvider

    /// - Parameters:
    ///   - key: the key with which the provider signs.
    ///   - ahead: the time by which Apple's clock is ahead of the provider's.
    init(key: String = APNsKeys.main, ahead: Duration = .zero) throws {
        let (clock, link) = (clock, Link(try Self.standIn()))
        let server = APNsServer(
            transmit: { link.answer($0, at: clock.now.adding(ahead)) }, retire: { link.retire() }, disconnect: {})
        self.link = link
        provider = APNsProvider(
            name: "phones", configuration: try APNsFixture.configuration(key: key), production: server, sandbox: server
        ) { clock.now }
    }

    /// A stand-in that knows two keys of the team.
    private static func standIn() throws -> APNsStandIn {
        let key = try P256PrivateKey(pem: APNsKeys.main).publicKey
        return APNsStandIn(keys: ["ABC123DEFG": key, "XYZ123DEFG": key])
    }
}

/// One connection at a time to a stand-in.
private final class Link: Sendable {
    private struct State {
        var connection = 1
        var attempts: [String: Int] = [:]
        var messages: [String] = []
        var tokens: Set<String> = []
    }

    private let standIn: APNsStandIn
    private let state = Mutex(State())

    init(_ standIn: APNsStandIn) { self.standIn = standIn }

    /// The number of the current connection.
    var connection: Int { state.withLock { $0.connection } }
    /// The messages that arrived, each with its device.
    var messages: [String] { state.withLock { $0.messages } }
    /// Every provider token that arrived.
    var tokens: Set<String> { state.withLock { $0.tokens } }

    func retire() { state.withLock { $0.connection += 1 } }

    func answer(_ request: HTTP2Request, at now: Timestamp) -> HTTPResult {
        let headers = Dictionary(uniqueKeysWithValues: request.headers)
        let answer = standIn.answer(
            StandInRequest(
                method: request.method, path: String(request.path.dropFirst(APNsStandIn.path.count)), headers: headers,
                body: request.body, now: now, connection: connection))
        let attempt = state.withLock { state in
            state.tokens.insert(headers["authorization", default: ""])
            guard let id = answer.messageID else { return 1 }
            state.messages.append(id)
            state.attempts[id, default: 0] += 1
            return state.attempts[id, default: 0]
        }
        switch answer.answer(attempt: attempt) {
        case .close, .goAway: return APNsFixture.failure(.timeoutAfterSend, arrived: true)
        case .http(let response):
            return .response(
                HTTPResponse(status: response.status, headers: response.headers, body: response.body ?? [], bodyTruncated: false))
        }
    }
}
