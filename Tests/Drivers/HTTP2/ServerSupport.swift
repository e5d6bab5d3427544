import Foundation
import Synchronization
import Testing
import TidingsHTTP
import TidingsHTTP2
import TidingsHTTP2Server
import TidingsTestSupport

/// A server on loopback with the test's own handler, and a transport that trusts the server.
struct TestServer {
    let transport: HTTP2Transport
    let log: RequestLog
    let port: UInt16
    /// A PEM file with the authority that a client must trust.
    let authorityFile: String

    static func run(
        firstStreams: UInt32 = 1, maximumStreams: UInt32 = 100, connections: Int = 4, connectTimeout: Duration = .seconds(5).patient,
        answering handler: @escaping @Sendable (HTTP2ServerRequest, RequestLog) async -> HTTP2ServerAnswer,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let certificate = try #require(SelfSignedCertificate())
        let file = try certificate.writeAuthorityFile()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let server = try HTTP2Server.open(
            HTTP2ServerConfiguration(certificate: certificate, firstStreams: firstStreams, maximumStreams: maximumStreams))
        let transport = try HTTP2Transport.open(
            HTTP2Configuration(
                origin: "https://127.0.0.1:\(server.port)", maximumConnections: connections, connectTimeout: connectTimeout,
                certificateAuthorityFile: file))
        let log = RequestLog()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await server.run { request in
                    log.note(request)
                    return await handler(request, log)
                }
            }
            try await body(TestServer(transport: transport, log: log, port: server.port, authorityFile: file))
            await transport.close()
            await server.stop()
            try await group.waitForAll()
        }
    }
}

extension HTTP2Request {
    /// A request with the product's own limit, for the speed of this machine.
    static func patient(
        method: String = "POST", path: String, headers: [(String, String)] = [], unindexed: Set<String> = [], body: [UInt8] = [],
        maximumResponseBytes: Int = 64 << 10
    ) -> HTTP2Request {
        HTTP2Request(
            method: method, path: path, headers: headers, unindexed: unindexed, body: body, totalTimeout: .seconds(15).patient,
            maximumResponseBytes: maximumResponseBytes)
    }
}

extension SelfSignedCertificate {
    /// Writes the certificate to a new PEM file and returns its path. The caller removes the file.
    func writeAuthorityFile() throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString).pem").path
        try pem.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}

/// The requests that a server got, in order.
final class RequestLog: Sendable {
    private let requests = Mutex<[HTTP2ServerRequest]>([])

    func note(_ request: HTTP2ServerRequest) { requests.withLock { $0.append(request) } }

    var all: [HTTP2ServerRequest] { requests.withLock { $0 } }
    func count(of path: String) -> Int { all.count { $0.path == path } }
    var connections: Set<Int> { Set(all.map(\.connection)) }
}

/// A gate that opens once. A waiting task goes on when the gate opens or when the task is cancelled.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}

func response(_ body: String = "", status: Int = 200, headers: [(String, String)] = []) -> HTTP2ServerAnswer {
    .response(status: status, headers: headers, body: Array(body.utf8))
}

extension HTTPResult {
    var status: Int? { if case .response(let response) = self { response.status } else { nil } }
    var text: String? { if case .response(let response) = self { String(decoding: response.body, as: UTF8.self) } else { nil } }
    var failure: HTTPFailure? { if case .failed(let failure) = self { failure } else { nil } }
}
