import Foundation
import Testing
import TidingsCore
import TidingsTestSupport

/// `tidings capture` as the receiver of all webhooks, with a record of every request and its answer. The receiver writes the record before it
/// answers, so it never knows less than a sender does.
struct Receiver: Sendable {
    /// The address to which a behaviour is appended as a path, such as `ok` or `slow/200`.
    let url: String
    let process: TestProcess
    private let record: String

    /// Starts the receiver for a system. The receiver ends with the system.
    static func start(in system: TestSystem, folder: String) async throws -> Receiver {
        let record = "\(folder)/captured-\(UUID().uuidString).jsonl"
        let process = try system.start("capture", "--record", record)
        let prefix = "capturing on "
        let isListening = try await process.says(/capturing on [^\n]*\n/)
        guard isListening, let line = process.outputSoFar.split(separator: "\n").first(where: { $0.hasPrefix(prefix) }) else {
            throw TestSystemError(message: "capture does not listen: \(process.errorsSoFar)")
        }
        return Receiver(url: String(line.dropFirst(prefix.count)), process: process, record: record)
    }

    /// The times at which each `webhook-id` was answered with 2xx.
    func acceptances() throws -> [String: [Timestamp]] {
        let text = try String(contentsOfFile: record, encoding: .utf8)
        return try text.split(separator: "\n").reduce(into: [:]) { times, line in
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            guard let id = request.webhookId, let status = request.status, (200...299).contains(status) else { return }
            times[id, default: []].append(Timestamp(rfc3339: request.at) ?? .distantPast)
        }
    }

    /// The times at which each delivery arrived below a path, by idempotency key and with any answer. For services that get the standard
    /// body.
    func calls(below path: String) throws -> [String: [Timestamp]] {
        let text = try String(contentsOfFile: record, encoding: .utf8)
        return try text.split(separator: "\n").reduce(into: [:]) { times, line in
            let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            guard request.path.hasPrefix(path), let body = request.body else { return }
            let key = try JSONDecoder().decode(ServiceBody.self, from: Data(body.utf8)).idempotencyKey
            times[key, default: []].append(Timestamp(rfc3339: request.at) ?? .distantPast)
        }
    }

    private struct ServiceBody: Decodable { var idempotencyKey: String }

    private struct Request: Decodable {
        var at: String
        var path: String
        var body: String?
        var webhookId: String?
        var status: Int?
    }
}

extension TestSystem {
    /// Applies a catalogue whose webhooks may go to this machine, with its topology. `attempts` is the number of attempts of a
    /// transactional delivery.
    func applyCatalogue(folder: String, attempts: Int = 10) async throws {
        try await apply(Self.catalogue, folder: folder, attempts: attempts, environment: environment)
    }

    /// Applies the same catalogue with another name for one of its providers. The broker's URL may differ from the roles' URL.
    func applyCatalogue(folder: String, renaming provider: String, to name: String, amqpURL: String) async throws {
        let renamed = Self.catalogue.replacing("[\(provider)]", with: "[\(name)]").replacing("\n  \(provider):\n", with: "\n  \(name):\n")
        try await apply(renamed, folder: folder, attempts: 10, environment: environment.merging(["TIDINGS_AMQP_URL": amqpURL]) { $1 })
    }

    private func apply(_ catalogue: String, folder: String, attempts: Int, environment: [String: String]) async throws {
        let path = "\(folder)/catalogue.yaml"
        let categories = "categories:\n  transactional:\n    retry: {attempts: \(attempts)}\n"
        try (catalogue + "\n" + categories).write(toFile: path, atomically: true, encoding: .utf8)
        let result = try await TestProcess([Self.binary, "catalogue", "apply", path, "--remove"], environment: environment).finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "catalogue apply: \(result.errors)") }
    }

    /// Gives a person a webhook.
    func setWebhook(of recipient: String, to url: String) async throws {
        let result = try await tidings("recipient", "set", recipient, "--webhook", url)
        guard result.exitCode == 0 else { throw TestSystemError(message: "recipient set: \(result.errors)") }
    }

    /// The single receiver acts as the hosts of many customers, so it takes more concurrent calls than one host gets.
    private static let catalogue = """
        types:
          orderUpdate:
            category: transactional
          invoice:
            category: transactional
            schema: {type: object, required: [total]}
          social:
            category: social
        markets:
          default:
            inApp: [inbox]
            webhook: [webhook]
        defaultMarket: default
        providers:
          inbox:
            channel: inApp
            kind: inbox
            addressing: person
          webhook:
            channel: webhook
            kind: webhook
            addressing: address
            settings:
              allowHTTP: "true"
              allowedPorts: any
              allowedNetworks: 127.0.0.0/8
              allowUnsigned: "true"
              maximumConcurrencyPerHost: 64
        """
}
