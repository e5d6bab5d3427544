import Testing
import TidingsAMQP
import TidingsTestSupport

extension ExclusiveBrokerTests {
    /// The address names the TLS listener by DNS name, with its `cacertfile`.
    @Suite(.timeLimit(.minutes(Patience.scaled(1))))
    struct TLSTests {
        private func configuration() throws -> AMQPConfiguration {
            try AMQPConfiguration(url: ExclusiveBroker.current().amqpsURL)
        }

        @Test func messagesTravelOverTLS() async throws {
            let configuration = try configuration()
            let control = try AMQPControl.make(configuration: configuration)
            let queue = Broker.unique("tls")
            try await control.declareQueue(QueueDeclaration(name: queue))
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher")
            let body = [UInt8](repeating: 7, count: 60_000)
            let results = await publisher.publish(
                (0..<200).map { OutgoingMessage(exchange: "", routingKey: queue, body: body, messageID: "m\($0)") })
            #expect(results.allSatisfy { $0 == .confirmed })
            let consumer = try AMQPConsumer.make(
                configuration: configuration, connectionName: "test consumer", queues: [queue], prefetch: 50)
            try await consumer.running { consumer in
                var count = 0
                for await batch in consumer.batches {
                    #expect(batch.messages.allSatisfy { $0.body == body })
                    await consumer.acknowledge(batch.tags)
                    count += batch.messages.count
                    if count == 200 { break }
                }
            }
            await publisher.close()
            try await control.deleteQueue(queue)
            await control.close()
        }

        @Test func aCertificateOfAnUnknownAuthorityIsRefused() async throws {
            var configuration = try configuration()
            configuration.tls?.authorities = try ExclusiveBroker.current().unknownAuthority
            let error = await #expect(throws: AMQPError.self) { try await AMQPControl.make(configuration: configuration).connect() }
            guard case .tlsFailed? = error else {
                Issue.record("expected a TLS failure, got \(String(describing: error))")
                return
            }
            #expect(error?.isRetryable == false)
        }

        @Test func aCertificateForAnotherNameIsRefused() async throws {
            var configuration = try configuration()
            configuration.host = "127.0.0.1"
            await #expect(throws: AMQPError.self) { try await AMQPControl.make(configuration: configuration).connect() }
            configuration.tls?.verifiesHostName = false
            try await AMQPControl.make(configuration: configuration).connect()
        }

        @Test func missingFilesAreNamed() async throws {
            var configuration = try configuration()
            configuration.tls?.authorities = "/nonexistent.pem"
            let error = await #expect(throws: AMQPError.self) { try await AMQPControl.make(configuration: configuration).connect() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("/nonexistent.pem"))
        }
    }
}
