import Foundation
import Glibc
import Testing
import TidingsTestSupport

@testable import TidingsHTTP

/// Certificates, against the TLS server of the `openssl` command.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: TLSServer.openssl), "needs the openssl command"))
struct TransportTLSTests {
    private func get(_ url: String, trusting file: String?) async throws -> HTTPResult {
        var request = HTTPRequest.post(url, body: "")
        request.method = "GET"
        return try await withTransport(HTTPConfiguration(certificateAuthorityFile: file)) { [request] in await $0.send(request) }
    }

    @Test func onlyTrustedCertificatesOfTheRightName() async throws {
        let server = try await TLSServer()
        defer { server.stop() }
        let trusted = try await get("https://localhost:\(server.port)/", trusting: server.certificatePath).requireResponse()
        #expect(trusted.status == 200)
        let unknown = try await get("https://localhost:\(server.port)/", trusting: nil).requireFailure()
        #expect(unknown.kind == .tls && !unknown.requestMayHaveArrived)
        let otherName = try await get("https://127.0.0.1:\(server.port)/", trusting: server.certificatePath).requireFailure()
        #expect(otherName.kind == .tls && !otherName.requestMayHaveArrived)
    }
}

/// A server that answers GET over TLS, with a certificate of its own for `localhost`.
private final class TLSServer {
    static let openssl = "/usr/bin/openssl"

    let port: UInt16
    let certificatePath: String
    private let directory: String
    private let process: TestProcess

    init() async throws {
        directory = NSTemporaryDirectory() + "tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        certificatePath = directory + "/certificate.pem"
        let key = directory + "/key.pem"
        let made = try await Self.command([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificatePath,
        ]).finish()
        try #require(made.exitCode == 0, "\(made.errors)")
        process = try Self.command(["s_server", "-4", "-accept", "127.0.0.1:0", "-www", "-cert", certificatePath, "-key", key])
        // The line `ACCEPT 127.0.0.1:41234` comes once the command listens.
        try #require(try await process.says(#/ACCEPT 127.0.0.1:\d+\n/#), "\(process.errorsSoFar)")
        let line = process.outputSoFar.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
        port = try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
    }

    func stop() {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func command(_ arguments: [String]) throws -> TestProcess {
        try TestProcess([openssl] + arguments, environment: [:])
    }
}
