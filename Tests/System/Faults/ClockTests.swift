import Glibc
import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// The clock of a worker's machine is set while a call is in flight.
    @Suite struct ClockTests {
        @Test func aClockSetAheadPlansNoRetryADayLate() async throws {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let clock = FakeClock(in: folder)
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await system.setWebhook(of: "person", to: "\(receiver.url)fail/1")
                    _ = try await system.startRole("router")
                    _ = try await system.startRole("release")
                    // The worker learns the database's time when it claims, and not again until the retry.
                    _ = try await system.startRole("deliver", with: try await clock.variables())

                    receiver.process.signal(SIGSTOP)
                    let producer = try Producer(url: system.amqpURL)
                    let results = await producer.publish([
                        IntentEvent(
                            source: "/tests", id: "one", type: "orderUpdate", category: .transactional, recipients: ["person"], title: "T",
                            channels: [.webhook])
                    ])
                    await producer.close()
                    #expect(results == [.confirmed])
                    let isCalling = try await system.eventually("select count(*) from tidings.packs where claimed_at is not null") {
                        $0 == 1
                    }
                    #expect(isCalling, "nobody took it")
                    try clock.set(86_400)
                    receiver.process.signal(SIGCONT)

                    let isDelivered = try await system.eventually(
                        "select count(*) from tidings_ops.deliveries where state = 'delivered'"
                    ) { $0 == 1 }
                    #expect(isDelivered, "the retry is planned for another day")
                }
            }
        }
    }
}
