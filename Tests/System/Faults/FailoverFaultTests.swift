import Foundation
import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

extension WaitingFaults {
    /// A process dies while deliveries fail over to the next provider.
    @Suite struct FailoverFaultTests {
        private static let people = 12

        /// The steps between a refusal and its commit, and the steps just before the standby gets the delivery.
        @Test(arguments: [FaultStep.afterSend, .beforeSettle, .afterSettle, .beforeAck, .beforeRelease, .afterRelease])
        func everythingArrivesOnceByTheStandby(dyingAt step: FaultStep) async throws {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await Self.apply(receiver, to: system, folder: folder)
                    let producer = try Producer(url: system.amqpURL)
                    let crew = Crew(system)
                    try await crew.start(["router", "deliver", "release"])

                    let events = (0..<Self.people).map { "news-\($0)" }
                    try await crew.dies(at: step, times: 1, pass: 1) {
                        let intents = events.map {
                            IntentEvent(
                                source: "/tests", id: $0, type: "orderUpdate", category: .transactional, recipients: ["of-\($0)"], title: $0
                            )
                        }
                        for result in await producer.publish(intents) { #expect(result == .confirmed) }
                    }
                    await producer.close()
                    try await system.passAMinute()
                    try await Self.expectEnd(of: events, in: system, receiver)
                }
            }
        }

        private static func expectEnd(of events: [String], in system: TestSystem, _ receiver: Receiver) async throws {
            let ended = try await system.eventually(
                within: .seconds(60), "select count(*) from tidings_ops.notifications where state = 'done'"
            ) { $0 == events.count }
            let status = try await system.tidings("status").output
            #expect(ended, "\(status)")
            #expect(
                try await system.count("select count(*) from tidings_ops.deliveries where provider = 'takes' and state = 'sent'")
                    == events.count)
            let audit = try await system.tidings("db", "verify")
            #expect(audit.exitCode == 0, "\(audit.output)")
            #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)

            let (refused, taken) = (try receiver.calls(below: "/status/400/refuses"), try receiver.calls(below: "/ok/takes"))
            #expect(refused.count == events.count && taken.count == events.count)
            let rows = try await system.query("select idempotency_key, provider from tidings_ops.possible_duplicates").rows
            let admitted = try rows.map { try $0.decode((String, String).self) }.reduce(into: [:]) {
                $0["\($1.1) \($1.0)", default: 0] += 1
            }
            for (key, times) in refused {
                #expect(times.count <= 1 + admitted["refuses \(key)", default: 0], "\(key) was sent again without a row that says so")
                let heard = try #require(taken[key])
                #expect(heard.count <= 1 + admitted["takes \(key)", default: 0], "\(key) was sent again without a row that says so")
                let (last, first) = (try #require(times.max()), try #require(heard.min()))
                #expect(last <= first, "the standby was called before the first had answered")
            }
        }

        private static func apply(_ receiver: Receiver, to system: TestSystem, folder: String) async throws {
            let path = "\(folder)/catalogue.yaml"
            try """
            types:
              orderUpdate: {category: transactional, channels: [push]}
            markets:
              default:
                push: {providers: [refuses, takes], strategy: first}
            defaultMarket: default
            providers:
              refuses: {channel: push, kind: http, addressing: person, settings: {url: "\(receiver.url)status/400/refuses"}}
              takes: {channel: push, kind: http, addressing: person, settings: {url: "\(receiver.url)ok/takes"}}
            """.write(toFile: path, atomically: true, encoding: .utf8)
            let result = try await system.tidings("catalogue", "apply", path)
            guard result.exitCode == 0 else { throw TestSystemError(message: "catalogue apply: \(result.errors)") }
        }
    }
}
