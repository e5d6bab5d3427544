import Foundation
import Testing

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
    private let process: Process

    init() async throws {
        directory = NSTemporaryDirectory() + "tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        certificatePath = directory + "/certificate.pem"
        let key = directory + "/key.pem"
        let making = Self.command([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificatePath,
        ])
        try making.run()
        making.waitUntilExit()
        process = Self.command(["s_server", "-4", "-accept", "127.0.0.1:0", "-www", "-cert", certificatePath, "-key", key])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        port = try #require(Self.announcedPort(output.fileHandleForReading))
    }

    func stop() {
        // A thread of Dispatch blocks signals. The command inherits that if such a thread starts it, and never gets SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func command(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }

    /// The port in the line `ACCEPT 127.0.0.1:41234`, which the command prints once it listens.
    private static func announcedPort(_ output: FileHandle) -> UInt16? {
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let data = output.availableData
            if data.isEmpty { return nil }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }?.split(separator: ":").last.flatMap { UInt16($0) }
    }
}
