import Foundation
import PrivateServers
import Testing
import TidingsAMQP

/// Suites that share one broker of their own, because they raise alarms and need a TLS listener. The tests run one at a time: an alarm
/// stops every publisher.
@Suite(.exclusiveBroker, .serialized) struct ExclusiveBrokerTests {}

/// The broker of ``ExclusiveBrokerTests``. The suites start it themselves, so no variable decides whether they run.
struct ExclusiveBroker: Sendable {
    let amqpURL: String
    /// The URL of the TLS listener, with its DNS name and the authority to trust.
    let amqpsURL: String
    /// A PEM file of an authority that has not signed this broker's certificate.
    let unknownAuthority: String
    fileprivate let broker: PrivateCluster

    @TaskLocal fileprivate static var running: ExclusiveBroker?

    static func current() throws -> ExclusiveBroker {
        try #require(running, "only suites within ExclusiveBrokerTests have it")
    }

    /// Runs `rabbitmqctl` and returns its standard output.
    @discardableResult
    func control(_ arguments: String...) async throws -> String { try await broker.rabbitmqctl(node: 0, arguments) }
}

/// Starts the broker before the first test of a suite. After the last test, failed or not, stops the broker and deletes its folder.
struct ExclusiveBrokerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-exclusive-broker-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for part in ["certificate", "stranger"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(part)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let certificate = try await BrokerCertificate.make(in: "\(folder)/certificate")
        let stranger = try await BrokerCertificate.make(in: "\(folder)/stranger")
        let broker = try await PrivateCluster.start(home: "\(folder)/broker", size: 1, certificate: certificate)
        do {
            let running = ExclusiveBroker(
                amqpURL: broker.amqpURL, amqpsURL: try #require(broker.amqpsURL), unknownAuthority: stranger.authority, broker: broker)
            try await ExclusiveBroker.$running.withValue(running) { try await function() }
        } catch {
            try? await broker.stop()
            throw error
        }
        try await broker.stop()
    }
}

extension Trait where Self == ExclusiveBrokerTrait {
    static var exclusiveBroker: Self { Self() }
}
