import Testing
import TidingsPipeline
import TidingsTestSupport

/// Each loop of a role may get stuck, by a fault that nobody knows yet. `/health/live` then says no, so that a supervisor restarts the
/// process.
@Suite struct WedgeTests {
    /// The work that stands still when the process hangs at a place.
    private static func stuck(at point: WedgePoint) -> String {
        switch point {
        case .route: "queue tidings.intents.urgent"
        case .claim: "queue tidings.deliver.push.phone.urgent"
        case .settle: "packs of phone"
        case .release: "release urgent"
        case .relay: "relay fresh"
        case .reserve: "request sendIntents"
        case .heartbeat: "heartbeat"
        }
    }

    @Test(arguments: WedgePoint.allCases) func aProcessThatIsStuckSaysSo(point: WedgePoint) async throws {
        let variables = HealthClient.variables.merging(
            ["TIDINGS_FAULT_HANG": point.rawValue, "TIDINGS_FAULT_PATIENCE": "3", "TIDINGS_API_LISTEN": "127.0.0.1:0"]) { $1 }
        try await withPipeline(catalogue: TestCatalogue.withPush, variables: variables) { pipeline in
            let health = try await HealthClient(of: pipeline.roles)
            await pipeline.publish(event(id: "w-1", to: "reader"))
            let url = try await apiURL(of: pipeline.roles)
            let made = try await pipeline.system.tidings("key", "create", "--name", "w", "--scope", "intents:write")
            let key = try #require(made.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("tid_") }, "\(made.errors)")
            let headers = [("authorization", "Bearer \(key)"), ("content-type", Pipeline.structured)]
            let client = try LoopbackClient()
            // The API answers unless it is the API that hangs.
            async let sent = client.ask(
                "\(url)/v1/intents", method: "POST", headers: headers, body: event(id: "w-2", to: "reader"))
            var words = ""
            let isTold = try await eventually {
                let live = try await health.ask("/health/live")
                words = live.text
                return live.status == 503 && live.text.contains(": \(Self.stuck(at: point))\n")
            }
            #expect(isTold, "\(words) \(pipeline.roles.errorsSoFar)")
            // The process looks at itself once in a second.
            #expect(try await pipeline.roles.says("work stands still, and /health/live says no"))
            #expect(try await health.ask("/metrics").text.contains("\ntidings_live 0\n"))
            _ = try? await sent
        }
    }

    /// The same process without a fault, with little patience, over the same work and an idle time after it.
    @Test func aProcessWithoutWorkIsNotStuck() async throws {
        let variables = HealthClient.variables.merging(["TIDINGS_FAULT_PATIENCE": "6"]) { $1 }
        try await withPipeline(catalogue: TestCatalogue.withPush, variables: variables) { pipeline in
            let health = try await HealthClient(of: pipeline.roles)
            await pipeline.publish(event(id: "w-1", to: "reader"))
            _ = try await pipeline.outcome(of: "w-1")
            let answers: [String] = try await withoutPlace {
                let end = ContinuousClock.now + .seconds(14)
                var answers: [String] = []
                _ = try await eventually {
                    answers.append(try await health.ask("/health/live").text)
                    return ContinuousClock.now > end
                }
                return answers
            }
            #expect(answers.count > 3 && Set(answers) == ["ok\n"], "\(Set(answers))")
        }
    }
}
