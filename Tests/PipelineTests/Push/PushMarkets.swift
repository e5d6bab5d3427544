import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Markets with push providers of every kind, all of them played by `tidings capture`.
struct PushMarkets: Sendable {
    /// Such as `http://127.0.0.1:41873`.
    let capture: String
    private let folder: String

    /// Starts the stand-ins for a system, whose end is theirs, and makes what the catalogue names.
    static func start(in system: TestSystem, folder: String) async throws -> PushMarkets {
        let process = try system.start("capture", "--record", "\(folder)/captured.jsonl")
        let prefix = "capturing on "
        let isListening = try await eventually { process.outputSoFar.hasPrefix(prefix) && process.outputSoFar.hasSuffix("\n") }
        try #require(isListening, "capture does not listen: \(process.errorsSoFar)")
        let url = process.outputSoFar.dropFirst(prefix.count).trimmingCharacters(in: .whitespacesAndNewlines)
        let markets = PushMarkets(capture: String(url.dropLast()), folder: folder)
        try await markets.writeServiceAccount()
        for name in ["braze", "airship", "airship-secret"] { try markets.write("a-key", asSecretOf: name) }
        return markets
    }

    func write(_ secret: String, asSecretOf provider: String) throws {
        try secret.write(toFile: self.secret(provider), atomically: true, encoding: .utf8)
    }

    func removeSecret(of provider: String) throws { try FileManager.default.removeItem(atPath: secret(provider)) }

    /// The file of a provider's secret.
    private func secret(_ provider: String) -> String { "\(folder)/\(provider).secret" }

    /// Requests below a path that were answered with 2xx, as JSON texts of their bodies.
    func accepted(below path: String) throws -> [String] {
        let text = try String(contentsOfFile: "\(folder)/captured.jsonl", encoding: .utf8)
        return try text.split(separator: "\n").compactMap { line in
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            return request.path.hasPrefix(path) && (200...299).contains(request.status ?? 0) ? request.body : nil
        }
    }

    private struct Request: Decodable {
        var path: String
        var status: Int?
        var body: String
    }

    /// A new key each time: none is worth keeping.
    private func writeServiceAccount() async throws {
        let made = try await TestProcess(
            ["/usr/bin/openssl", "genpkey", "-quiet", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], environment: [:]
        ).finish()
        var key = made.output
        if made.exitCode != 0 {
            // Before OpenSSL 3.2 there is no -quiet.
            key = try await TestProcess(
                ["/usr/bin/openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], environment: [:]
            ).finish().output
        }
        let account: [String: String] = [
            "type": "service_account", "project_id": "shop", "private_key_id": "1", "private_key": key,
            "client_email": "tidings@shop.example", "token_uri": "\(capture)/fcm/token",
        ]
        try JSONEncoder().encode(account).write(to: URL(fileURLWithPath: secret("fcm")))
    }

    /// The United States by Braze and an in-house service, Canada by Airship, Mexico by Firebase and the in-house service.
    var catalogue: String {
        """
        types:
          orderUpdate:
            category: transactional
            allowsCritical: true
          social:
            category: social
          metadata:
            category: system
            channels: [push]
            silent: true
            schema: {type: object, required: [file]}
        markets:
          us: {push: [braze, dmp], inApp: [inbox]}
          ca: {push: [airship], inApp: [inbox]}
          mx: {push: [fcm, dmp], inApp: [inbox]}
        defaultMarket: us
        providers:
          inbox: {channel: inApp, kind: inbox}
          braze:
            {channel: push, kind: braze, addressing: person, settings: {endpoint: "\(capture)/braze", apiKey: "file:\(secret("braze"))"}}
          airship:
            channel: push
            kind: airship
            addressing: person
            settings:
              endpoint: "\(capture)/airship"
              appKey: "file:\(secret("airship"))"
              masterSecret: "file:\(secret("airship-secret"))"
          fcm: {channel: push, kind: fcm, settings: {endpoint: "\(capture)/fcm", serviceAccount: "file:\(secret("fcm"))"}}
          dmp: {channel: push, kind: http, copy: true, settings: {url: "\(capture)/ok/dmp"}}
        """
    }
}

/// Runs `body` with every role up, and every market's providers played by `tidings capture`.
func withPushMarkets(
    lackingSecretOf provider: String? = nil, _ body: (Pipeline, PushMarkets) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-push-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var markets: PushMarkets?
    let prepare: (TestSystem) async throws -> String? = { system in
        let made = try await PushMarkets.start(in: system, folder: folder)
        // A catalogue is refused while a secret that it names is missing; what is lost afterwards is another matter.
        try await Pipeline.apply(made.catalogue, to: system)
        if let provider { try made.removeSecret(of: provider) }
        markets = made
        return nil
    }
    try await withPipeline(preparing: prepare) { pipeline in try await body(pipeline, try #require(markets)) }
}

extension Pipeline {
    /// Registers an Android device, which Firebase serves.
    func register(_ person: String, _ token: String, _ options: String...) async throws {
        let result = try await TestProcess(
            [TestSystem.binary, "device", "register", person, token, "--platform", "android"] + options, environment: system.environment
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
    }

    /// How each provider's delivery of an event ended, sorted.
    func byProvider(of eventID: String) async throws -> [String] {
        _ = try await outcome(of: eventID)
        let result = try await system.query(
            """
            select d.provider || ' ' || d.state || ' ' || coalesce(d.reason_code, '') from tidings_ops.deliveries d
            join tidings_ops.notifications n using (notification_id) where n.idempotency_key = \(eventID) order by 1
            """)
        return try result.rows.map { try $0.decode(String.self) }
    }
}
