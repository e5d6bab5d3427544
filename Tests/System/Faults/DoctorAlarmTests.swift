import PrivateServers
import Testing
import TidingsTestSupport

extension WaitingFaults {
    /// An alarm of RabbitMQ blocks every publisher, while connections, declarations and consumers go on.
    @Suite struct DoctorAlarmTests {
        private static let patience = Duration.seconds(60)

        @Test func doctorNamesTheAlarmOfTheBroker() async throws {
            try await withFaultyServers { servers, system, _ in
                let applied = try await system.tidings("queue", "topology", "--apply")
                #expect(applied.exitCode == 0, "\(applied.errors)")
                try await Self.expect("✓ broker: ", butNot: "✗ broker", in: system)

                try await servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.00001"])
                try await Self.expect(
                    "✗ broker: the broker has an alarm and takes no message: low on memory", butNot: "has not confirmed", in: system)
                try await servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"])
                try await Self.expect("✓ broker: ", butNot: "✗ broker", in: system)
            }
        }

        /// Asks until the broker's alarm has begun or ended, which takes the broker a second.
        private static func expect(_ words: String, butNot others: String, in system: TestSystem) async throws {
            var last = ""
            let isTold = try await reached(within: patience) {
                last = try await system.tidings("doctor").output
                return last.contains(words) && !last.contains(others)
            }
            #expect(isTold, "\(words): \(last)")
        }
    }
}
