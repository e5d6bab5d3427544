import PrivateServers
import Testing
import TidingsTestSupport

extension WaitingFaults {
    /// A role that cannot do its work reports this for as long as it lasts, stays alive, and reports the end.
    @Suite struct ReadinessTests {
        private static let patience = Duration.seconds(60)

        @Test func readinessFollowsBrokerAndDatabase() async throws {
            try await withFaultyServers { servers, system, _ in
                let process = try await system.startRole("all", with: HealthClient.variables)
                let health = try await HealthClient(of: process)
                try await answers(200, naming: #""missing":[]"#, health, process)

                try await servers.stopBroker()
                try await answers(503, naming: "broker: tidings.intents.urgent", health, process)
                #expect(try await health.ask("/metrics").text.contains(#"tidings_broker_connected{link="tidings.intents.urgent"} 0"#))
                try await servers.startBroker()
                try await answers(200, naming: #""missing":[]"#, health, process)
                #expect(try await health.ask("/metrics").text.contains(#"tidings_broker_connected{link="tidings.intents.urgent"} 1"#))

                try await servers.stopDatabase()
                try await answers(503, naming: #""database""#, health, process)
                #expect(try await health.ask("/metrics").text.contains("tidings_database_up 0"))
                try await servers.startDatabase()
                try await answers(200, naming: #""missing":[]"#, health, process)
                // However many statements failed meanwhile.
                #expect(try await reached(within: Self.patience) { process.errorsSoFar.contains("the database answers again") })
                for line in ["the database does not answer", "the database answers again"] {
                    #expect(process.errorsSoFar.ranges(of: line).count == 1, "\(line)")
                }
            }
        }

        private func answers(_ status: Int, naming words: String, _ health: HealthClient, _ process: TestProcess) async throws {
            var last = ""
            let isTold = try await reached(within: Self.patience) {
                let answer = try await health.ask("/health/ready")
                last = "\(answer.status) \(answer.text)"
                return answer.status == status && answer.text.contains(words)
            }
            #expect(isTold, "\(last) \(process.errorsSoFar.suffix(1_000))")
            #expect(try await health.ask("/health/live").status == 200)
        }
    }
}
