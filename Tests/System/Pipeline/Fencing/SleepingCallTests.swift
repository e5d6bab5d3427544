import Glibc
import Testing
import TidingsPostgres
import TidingsTestSupport

/// The worker is stopped while its calls are out. The receiver answers meanwhile, and the time of the calls passes.
@Suite struct SleepingCallTests {
    /// The time of a call in seconds.
    private static let timeout = min(Patience.scaled(5), 15)
    /// The milliseconds after which the receiver answers: enough to stop the worker.
    private static let slowness = (timeout - 2) * 1_000

    @Test func anAnswerThatCameDuringTheSleepCounts() async throws {
        try await withOwnSystem { system in
            try await Capture.with(in: system) { capture in
                let settings = #"allowUnsigned: "true""#
                try await Pipeline.apply(
                    TestCatalogue.withWebhook.replacing(settings, with: settings + ", timeoutSeconds: \"\(Self.timeout)\""), to: system)
                let people = ["orders", "offers"]
                for person in people {
                    let url = "\(capture.url)slow/\(Self.slowness)/\(person)"
                    #expect(try await system.tidings("recipient", "set", person, "--webhook", url).exitCode == 0)
                }
                for role in ["router", "release"] { try system.start("run", role) }
                let sleeper = try system.start("run", "deliver")
                for (type, person) in zip(["orderUpdate", "promotion"], people) {
                    let sent = try await system.tidings("send", type, "--title", "T", "--channel", "webhook", "--to", person)
                    #expect(sent.exitCode == 0, "\(sent.errors)")
                }
                // The receiver records a call before it waits.
                #expect(try await eventually { try capture.accepted().count == 2 }, "\(sleeper.errorsSoFar)")
                sleeper.signal(SIGSTOP)
                let wake = ContinuousClock.now + .seconds(Self.timeout + 1)
                #expect(try await withoutPlace { try await eventually { ContinuousClock.now > wake } })
                sleeper.signal(SIGCONT)

                let delivered: SQL = "select count(*) from tidings_ops.deliveries where state = 'delivered' and attempts = 1"
                #expect(try await system.eventually(delivered) { $0 == 2 }, "\(sleeper.errorsSoFar)")
                #expect(try await system.count("select count(*) from tidings_ops.attempts where outcome = 'unknown'") == 0)
                #expect(try capture.accepted().values.sorted() == [1, 1])
            }
        }
    }
}
