import Testing
import TidingsPostgres
import TidingsTestSupport

/// A second replica starts while the first one waits for slow receivers.
@Suite struct SecondReplicaTests {
    private static let people = 12
    /// The milliseconds after which a receiver answers: longer than a replica takes to start, and within the time of a call.
    private static let slowness = min(Patience.scaled(5), 12) * 1_000

    /// The new replica takes nothing that the first one has claimed, and asks no receiver a second time.
    @Test func workThatIsSlowStaysWhereItIs() async throws {
        try await withOwnSystem { system in
            try await Capture.with(in: system) { capture in
                try await Pipeline.apply(TestCatalogue.withWebhook, to: system)
                for person in 0..<Self.people {
                    let set = try await system.tidings(
                        "recipient", "set", "person-\(person)", "--webhook", "\(capture.url)slow/\(Self.slowness)/\(person)")
                    #expect(set.exitCode == 0, "\(set.errors)")
                }
                let first = try await Pipeline.startRoles(of: system)
                let recipients = (0..<Self.people).flatMap { ["--to", "person-\($0)"] }
                let sent = try await CommandLineTests.run(
                    ["send", "orderUpdate", "--title", "T", "--channel", "webhook"] + recipients, system.environment)
                #expect(sent.exitCode == 0, "\(sent.errors)")
                let inFlight: SQL = "select count(*) from tidings_ops.deliveries where reason_code = 'inFlight'"
                #expect(try await system.eventually(inFlight) { $0 == Self.people }, "\(first.errorsSoFar)")

                let second = try await Pipeline.startRoles(of: system)
                #expect(try await system.count(inFlight) == Self.people, "the first replica does not wait any more")
                let delivered: SQL = "select count(*) from tidings_ops.deliveries where state = 'delivered'"
                #expect(try await system.eventually(delivered) { $0 == Self.people }, "\(first.errorsSoFar)\(second.errorsSoFar)")
                #expect(try capture.accepted().values.sorted() == Array(repeating: 1, count: Self.people))
                #expect(try await system.count("select count(*) from tidings_ops.attempts") == Self.people)
                #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 0)
                #expect(try await system.tidings("db", "verify").exitCode == 0)
            }
        }
    }
}
