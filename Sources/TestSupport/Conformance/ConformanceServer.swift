import Foundation
import Synchronization
import TidingsHTTP2Server

/// The service that a provider under test calls. Answers as its subject says, or misbehaves.
final class ConformanceServer: Sendable {
    enum Mode: Sendable {
        case answering(ConformanceOutcome)
        /// Never answers a delivery.
        case hanging
        /// Resets the stream of each delivery after reading the request.
        case resetting
        case echoing(ConformanceEcho)
    }

    private struct State {
        var mode = Mode.answering(.accepted)
        var deliveries = 0
        var latestDelivery: ConformanceRequest?
        var secrets: ConformanceSecrets
        var hasEchoed = false
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let subject: any ConformanceSubject
    private let server: HTTP2Server
    private let state: Mutex<State>
    let service: ConformanceService

    init(_ subject: any ConformanceSubject) throws {
        guard let certificate = SelfSignedCertificate() else { throw TestSystemError(message: "OpenSSL makes no certificate") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-conformance-\(UUID().uuidString).pem").path
        try certificate.pem.write(toFile: file, atomically: true, encoding: .utf8)
        self.subject = subject
        state = Mutex(State(secrets: ConformanceSecrets(named: subject.secrets)))
        server = try HTTP2Server.open(HTTP2ServerConfiguration(certificate: certificate, firstStreams: 100))
        service = ConformanceService(origin: "https://127.0.0.1:\(server.port)", certificateAuthorityFile: file)
    }

    deinit { try? FileManager.default.removeItem(atPath: service.certificateAuthorityFile) }

    func run() async { await server.run { await self.answer($0) } }

    func stop() async { await server.stop() }

    func become(_ mode: Mode) {
        state.withLock { state in
            state.mode = mode
            state.hasEchoed = false
        }
    }

    /// Whether the service has repeated a request since ``become(_:)``.
    var hasEchoed: Bool { state.withLock { $0.hasEchoed } }

    /// The secrets of the subject, and the credentials of all requests so far.
    var secrets: ConformanceSecrets { state.withLock { $0.secrets } }

    /// The number of requests so far that carried a delivery.
    var deliveries: Int { state.withLock { $0.deliveries } }

    /// The latest request that carried a delivery.
    var latestDelivery: ConformanceRequest? { state.withLock { $0.latestDelivery } }

    /// Returns when this number of deliveries has arrived.
    func waitForDeliveries(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.deliveries < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func answer(_ request: HTTP2ServerRequest) async -> HTTP2ServerAnswer {
        let seen = ConformanceRequest(
            method: request.method, path: request.path, headers: Dictionary(request.headers) { _, last in last }, body: request.body)
        let isDelivery = subject.isDelivery(seen)
        switch note(seen, isDelivery: isDelivery) {
        case .echoing(let echo) where isDelivery || echo.isForAll:
            guard let answer = echo.answer(to: seen, of: subject) else { break }
            state.withLock { $0.hasEchoed = true }
            return Self.response(answer)
        case .answering(let outcome) where isDelivery: return Self.response(subject.answer(to: seen, meaning: outcome))
        case .resetting where isDelivery: return .reset(code: 2)
        case .hanging where isDelivery:
            // Sleep longer than any provider waits. Stopping the server cuts the sleep short.
            try? await Task.sleep(for: .seconds(60))
            return .hangUp
        case .answering, .hanging, .resetting, .echoing: break
        }
        return Self.response(subject.answer(to: seen, meaning: .accepted))
    }

    /// Counts the request and returns the mode for its answer.
    private func note(_ request: ConformanceRequest, isDelivery: Bool) -> Mode {
        state.withLock { state in
            state.secrets.note(request)
            guard isDelivery else { return state.mode }
            state.deliveries += 1
            state.latestDelivery = request
            let ready = state.waiters.filter { $0.count <= state.deliveries }
            state.waiters.removeAll { $0.count <= state.deliveries }
            for waiter in ready { waiter.continuation.resume() }
            return state.mode
        }
    }

    private static func response(_ answer: ConformanceAnswer) -> HTTP2ServerAnswer {
        .response(status: answer.status, headers: answer.headers, body: Array(answer.body.utf8))
    }
}
