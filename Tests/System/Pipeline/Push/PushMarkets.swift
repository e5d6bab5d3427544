import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Markets with push providers of every kind, all of them played by `tidings capture`.
struct PushMarkets: Sendable {
    /// The address of `tidings capture`, such as `http://127.0.0.1:41873`.
    let capture: String
    /// The address for HTTP/2 over TLS, such as `https://127.0.0.1:41874`.
    let captureOverTLS: String
    private let folder: String

    /// Starts the stand-ins for a system and makes the secrets that the catalogue names. The stand-ins end with the system.
    static func start(in system: TestSystem, folder: String) async throws -> PushMarkets {
        let process = try system.start("capture", "--record", "\(folder)/captured.jsonl", "--certificate", "\(folder)/capture.pem")
        // The command prints a line for each protocol. The last word of a line is the address, with a slash at the end.
        let isListening = try await process.says(/capturing on [^\n]*\n[^\n]+\n/)
        try #require(isListening, "capture does not listen: \(process.errorsSoFar)")
        let addresses = process.outputSoFar.split(separator: "\n").compactMap { $0.split(separator: " ").last?.dropLast() }
        let markets = PushMarkets(capture: String(addresses[0]), captureOverTLS: String(addresses[1]), folder: folder)
        try await markets.writeServiceAccount()
        for name in ["apns", "webpush"] {
            try markets.write(
                try await Self.openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]), asSecretOf: name)
        }
        for name in ["braze", "airship", "airship-secret"] { try markets.write("a-key", asSecretOf: name) }
        return markets
    }

    func write(_ secret: String, asSecretOf provider: String) throws {
        try secret.write(toFile: self.secret(provider), atomically: true, encoding: .utf8)
    }

    func removeSecret(of provider: String) throws { try FileManager.default.removeItem(atPath: secret(provider)) }

    /// The file of a provider's secret.
    func secret(_ provider: String) -> String { "\(folder)/\(provider).secret" }

    /// The bodies of requests below a path that were answered with 2xx.
    func accepted(below path: String) throws -> [String] { try acceptedRequests(below: path).compactMap(\.body) }

    /// The number of 2xx answers by delivery, for requests below a path. The key is the stand-in's id of the delivery.
    func acceptances(below path: String) throws -> [String: Int] {
        try acceptedRequests(below: path).reduce(into: [:]) { counts, request in counts[request.messageId ?? "", default: 0] += 1 }
    }

    private func acceptedRequests(below path: String) throws -> [Request] {
        try requests(below: path).filter { (200...299).contains($0.status ?? 0) }
    }

    /// The requests below a path, with any answer.
    func requests(below path: String) throws -> [Request] {
        let text = try String(contentsOfFile: "\(folder)/captured.jsonl", encoding: .utf8)
        return try text.split(separator: "\n").map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
            .filter { $0.path.hasPrefix(path) }
    }

    struct Request: Decodable {
        var path: String
        var status: Int?
        var messageId: String?
        /// The body of the request. Nil if it is not text.
        var body: String?
    }

    /// Makes the stand-ins misbehave. Nil ends the misbehaviour.
    func behave(_ behaviour: String?) async throws {
        let answer = try await LoopbackClient().ask(
            "\(capture)/_capture/behaviour", method: behaviour == nil ? "DELETE" : "PUT", body: behaviour ?? "")
        try #require(answer.status == 200, "\(answer.text)")
    }

    private static func openssl(_ arguments: [String]) async throws -> String {
        let made = try await TestProcess(["/usr/bin/openssl"] + arguments, environment: [:]).finish()
        try #require(made.exitCode == 0, "\(made.errors)")
        return made.output
    }

    /// Makes a new key each time, because no key is worth keeping.
    private func writeServiceAccount() async throws {
        let key = try await Self.openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
        let account: [String: String] = [
            "type": "service_account", "project_id": "shop", "private_key_id": "1", "private_key": key,
            "client_email": "tidings@shop.example", "token_uri": "\(capture)/fcm/token",
        ]
        try JSONEncoder().encode(account).write(to: URL(fileURLWithPath: secret("fcm")))
    }

    /// The United States use Braze and an in-house service, Canada uses Airship, Mexico uses Firebase and the in-house service, and Europe
    /// uses APNs. Calls of APNs and Firebase end after a second, so that a hanging call does not last long.
    var catalogue: String {
        """
        types:
          orderUpdate:
            category: transactional
            allowsCritical: true
          social:
            category: social
          promotion:
            category: marketing
            channels: [push, inApp]
          reminder:
            category: system
            allowsCritical: true
          metadata:
            category: system
            channels: [push]
            silent: true
            schema: {type: object, required: [file]}
        categories:
          system: {unknownOutcome: stop}
        markets:
          us: {push: [braze, dmp], inApp: [inbox]}
          ca: {push: [airship], inApp: [inbox]}
          mx: {push: [fcm, dmp], local: [localPlan], inApp: [inbox]}
          eu: {push: [apns], inApp: [inbox]}
        defaultMarket: us
        providers:
          inbox: {channel: inApp, kind: inbox}
          localPlan: {channel: local, kind: localPlan}
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
          fcm:
            channel: push
            kind: fcm
            settings: {endpoint: "\(capture)/fcm", serviceAccount: "file:\(secret("fcm"))", timeoutSeconds: \(Patience.scaled(1))}
          apns:
            channel: push
            kind: apns
            settings:
              endpoint: "\(captureOverTLS)"
              certificateAuthorities: "\(folder)/capture.pem"
              key: "file:\(secret("apns"))"
              keyId: ABCDE12345
              teamId: TEAM123456
              topic: com.example.shop
              timeoutSeconds: \(Patience.scaled(1))
          dmp: {channel: push, kind: http, copy: true, settings: {url: "\(capture)/ok/dmp"}}
        """
    }
}

/// Runs `body` with every role. `tidings capture` plays the providers of every market.
func withPushMarkets(
    lackingSecretOf provider: String? = nil, catalogue: (PushMarkets) -> String = \.catalogue,
    _ body: (Pipeline, PushMarkets) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-push-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var markets: PushMarkets?
    let prepare: (TestSystem) async throws -> String? = { system in
        let made = try await PushMarkets.start(in: system, folder: folder)
        // Remove the secret before the catalogue is applied. The command only notes it, because the roles might have the secret.
        if let provider { try made.removeSecret(of: provider) }
        try await Pipeline.apply(catalogue(made), to: system)
        markets = made
        return nil
    }
    try await withPipeline(preparing: prepare) { pipeline in try await body(pipeline, try #require(markets)) }
}

extension Pipeline {
    /// Registers a device. By default this is an Android device, which Firebase serves.
    func register(_ person: String, _ token: String, platform: String = "android", _ options: String...) async throws {
        let result = try await TestProcess(
            [TestSystem.binary, "device", "register", person, token, "--platform", platform] + options, environment: system.environment
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
    }

    /// The end of each provider's delivery of an event, sorted.
    func byProvider(of eventID: String, within patience: Duration = Pipeline.patience) async throws -> [String] {
        _ = try await outcome(of: eventID, within: patience)
        let result = try await system.query(
            """
            select d.provider || ' ' || d.state || ' ' || coalesce(d.reason_code, '') from tidings_ops.deliveries d
            join tidings_ops.notifications n using (notification_id) where n.idempotency_key = \(eventID) order by 1
            """)
        return try result.rows.map { try $0.decode(String.self) }
    }
}
