public import ArgumentParser
import Foundation
import Glibc

/// `tidings capture`: the stand-in for every provider. Runs until it is interrupted.
public struct CaptureCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Stand in for webhook receivers: record what arrives, check signatures, misbehave on request.",
        discussion: """
            Listens on loopback only. The path of a request says how it is answered: /ok, /fail/2 (the first two attempts of each id get
            500), /status/410, /slow/1500, /drip/100 (over HTTP/1.1 only), /hang, /reset, /goaway/100, /page, /redirect. GET
            /_capture/stats counts; GET /_capture/messages shows the last requests. --record keeps every request as a line of JSON,
            written before it is answered.

            PUT /_capture/behaviour programs any other path with JSON, such as {"path": "/shop", "script": [500, 429], "then": 202}. Its
            members are \(CaptureBehaviour.members.joined(separator: ", ")).
            """)

    @Option(help: "0 takes a free port.") var port: UInt16 = 0
    @Option(help: "Listen for HTTP/2 over TLS as well, and write the certificate that clients must trust to this file.")
    var certificate: String?
    @Option(help: "The port of HTTP/2; 0 takes a free one. Needs --certificate.") var tlsPort: UInt16 = 0
    @Option(help: "A file to append every request to.") var record: String?
    @Option(help: "env:NAME or file:PATH of a whsec_ secret that requests should be signed with; repeat it.") var secret: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            A key that tokens for APNs are signed with: its id and a file of it in PEM form, private or public; repeat it. \
            Without a key, every signature is accepted.
            """,
            valueName: "KEYID=FILE"))
    var apnsKey: [String] = []

    public init() {}

    public mutating func run() async throws {
        let server = try CaptureServer(
            configuration: CaptureConfiguration(
                port: port, recordPath: record, secrets: try secret.map(Self.read), apnsKeys: try Self.keys(apnsKey),
                tls: certificate.map { CaptureConfiguration.TLS(port: tlsPort, certificatePath: $0) }))
        let signals = StopSignals()
        // The tasks return true if the command must end.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            // The server. The first task that returns true ends the group.
            group.addTask {
                try await server.run()
                return true
            }
            // Stop the server on a signal.
            group.addTask {
                await signals.wait()
                await server.stop()
                return true
            }
            // Announce the ports in a task of their own: if the server cannot listen, its error is reported, not waited for.
            group.addTask {
                try await Self.announce(server)
                return false
            }
            while let hasEnded = try await group.next(), !hasEnded {}
            group.cancelAll()
        }
    }

    private static func announce(_ server: CaptureServer) async throws {
        var words = "capturing on http://127.0.0.1:\(try await server.port)/\n"
        if let port = server.tlsPort { words += "capturing HTTP/2 on https://127.0.0.1:\(port)/\n" }
        let line = Array(words.utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }

    /// Returns the id and the file's text for each `KEYID=FILE`.
    private static func keys(_ references: [String]) throws -> [String: String] {
        var keys: [String: String] = [:]
        for reference in references {
            let parts = reference.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, APNsProviderToken.isID(parts[0]) else {
                throw ValidationError("--apns-key takes KEYID=FILE, where an id has 10 capital letters and digits, and not \(reference)")
            }
            guard keys[parts[0]] == nil else { throw ValidationError("--apns-key has \(parts[0]) twice") }
            guard let text = try? String(contentsOfFile: parts[1], encoding: .utf8) else {
                throw ValidationError("--apns-key: \(parts[1]) cannot be read")
            }
            keys[parts[0]] = text
        }
        return keys
    }

    private static func read(_ reference: String) throws -> String {
        if reference.hasPrefix("env:"), let value = getenv(String(reference.dropFirst(4))) { return String(cString: value) }
        if reference.hasPrefix("file:"), let file = fopen(String(reference.dropFirst(5)), "re") {
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            if fgets(&line, Int32(line.count), file) != nil {
                return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).filter { !$0.isWhitespace }
            }
        }
        throw ValidationError("--secret takes env:NAME or file:PATH, and \(reference) cannot be read")
    }
}
