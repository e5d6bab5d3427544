import HTTPTypes
import Logging
import Synchronization
import Testing
import TidingsHTTP
import TidingsHTTPServer
import TidingsTLS
import TidingsTestSupport

/// The server with TLS. The client is libcurl, which trusts one certificate only.
@Suite struct TLSServerTests {
    /// The certificate in force.
    private final class InForce: Sendable {
        private let state: Mutex<ServerCertificate>

        init(_ certificate: ServerCertificate) { state = Mutex(certificate) }

        var certificate: ServerCertificate { state.withLock { $0 } }

        func replace(by other: ServerCertificate) { state.withLock { $0 = other } }
    }

    /// Echoes the path and the body.
    private static func withServer(
        _ certificate: @escaping @Sendable () -> ServerCertificate, limits: HTTPServerLimits = HTTPServerLimits(),
        _ body: (Int) async throws -> Void
    ) async throws {
        let configuration = HTTPServerConfiguration(
            host: "127.0.0.1", port: 0, limits: limits, session: { certificate().session() })
        let server = HTTPServer(configuration, logger: Logger(label: "test")) { request in
            let body = (try? await request.body.bytes(upTo: 1 << 20)) ?? []
            return ServerResponse(.ok, body: .bytes(Array("\(request.path) ".utf8) + body))
        }
        try await server.run(while: body)
    }

    private static func ask(_ port: Int, trusting certificate: String, body: [UInt8] = []) async throws -> HTTPResult {
        let client = try HTTPTransport.open(HTTPConfiguration(certificateAuthorityFile: certificate))
        let everywhere = AddressGuard(allowedPorts: nil, allowedNetworks: CIDR.everything)
        return await client.send(
            HTTPRequest(
                method: "POST", url: "https://127.0.0.1:\(port)/a", headers: [], body: body, totalTimeout: .seconds(10).patient,
                maximumResponseBytes: 2 << 20, guarding: everywhere))
    }

    private static func answer(_ result: HTTPResult) throws -> [UInt8] {
        switch result {
        case .response(let response):
            #expect(response.status == 200)
            return response.body
        case .failed(let failure): throw failure
        }
    }

    /// Bodies and answers of many records.
    @Test(arguments: [0, 1, 16_384, 16_385, 900_000]) func requestsAndAnswersOfEverySizeArrive(bytes: Int) async throws {
        try await CertificateFiles.withFolder { folder in
            let files = try CertificateFiles(in: folder, named: "one")
            let certificate = try files.load()
            try await Self.withServer({ certificate }) { port in
                let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 / 7) }
                let answer = try Self.answer(await Self.ask(port, trusting: files.certificate, body: body))
                #expect(answer.count == bytes + 3 && answer.starts(with: Array("/a ".utf8) + body))
            }
        }
    }

    @Test func manyClientsAtOnceAreServed() async throws {
        try await CertificateFiles.withFolder { folder in
            let files = try CertificateFiles(in: folder, named: "one")
            let certificate = try files.load()
            try await Self.withServer({ certificate }) { port in
                let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for number in 0..<32 {
                        // Thirty-two handshakes at once, which is the point of the test.
                        group.addTask {
                            let body = Array(repeating: UInt8(number), count: 50_000)
                            return try Self.answer(await Self.ask(port, trusting: files.certificate, body: body))
                        }
                    }
                    return try await group.reduce(into: [[UInt8]]()) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.count == 50_003 } && Set(answers.compactMap(\.last)).count == 32)
            }
        }
    }

    /// A new connection gets the new certificate.
    @Test func aCertificateMayChangeWhileTheServerRuns() async throws {
        try await CertificateFiles.withFolder { folder in
            let (old, new) = (try CertificateFiles(in: folder, named: "old"), try CertificateFiles(in: folder, named: "new"))
            let inForce = InForce(try old.load())
            try await Self.withServer({ inForce.certificate }) { port in
                _ = try Self.answer(await Self.ask(port, trusting: old.certificate))
                inForce.replace(by: try new.load())
                _ = try Self.answer(await Self.ask(port, trusting: new.certificate))
                guard case .failed = try await Self.ask(port, trusting: old.certificate) else {
                    Issue.record("the old certificate is still shown")
                    return
                }
            }
        }
    }

    /// A client that speaks no TLS, one that says nothing, and one that leaves in the middle of its handshake.
    @Test func clientsWithoutTLSAreDisconnected() async throws {
        try await CertificateFiles.withFolder { folder in
            let files = try CertificateFiles(in: folder, named: "one")
            let certificate = try files.load()
            var limits = HTTPServerLimits()
            limits.request = .milliseconds(500)
            try await Self.withServer({ certificate }, limits: limits) { port in
                let plain = try RawClient(port: port)
                plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = await plain.readToEnd()
                #expect(!answer.contains("HTTP/1.1"), "\(answer)")
                let silent = try RawClient(port: port)
                #expect(await silent.readToEnd().isEmpty)
                let leaving = try RawClient(port: port)
                leaving.send("\u{16}\u{03}\u{01}\u{02}")
                leaving.finish()
                #expect(await leaving.readToEnd().isEmpty)
            }
            try await Self.withServer({ certificate }) { port in
                _ = try Self.answer(await Self.ask(port, trusting: files.certificate))
            }
        }
    }
}
