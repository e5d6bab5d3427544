import Testing
import TidingsAMQP
import TidingsContracts
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The memory of timelines at a real broker.
@Suite struct TimelineRegisterTests {
    private static func timeline(_ number: UInt32, of system: UInt64 = 7) -> PostgresTimeline {
        PostgresTimeline(system: system, number: number)
    }

    private static func with(_ body: (BrokerTimelineRegister, TestSystem) async throws -> Void) async throws {
        try await withOwnSystem { system in
            #expect(try await system.tidings("queue", "topology", "--apply").exitCode == 0)
            let register = try BrokerTimelineRegister.make(configuration: try AMQPConfiguration(url: system.amqpURL))
            try await body(register, system)
            await register.close()
        }
    }

    @Test func aLaterTimelineMakesEveryEarlierOneOldForGood() async throws {
        try await Self.with { register, system in
            #expect(await register.answer(about: Self.timeline(3)) == .current, "nothing is known yet")
            for number: UInt32 in [1, 5] { #expect(await register.note(Self.timeline(number))) }
            // A process that restarts has a register of its own, and finds what the others noted.
            let other = try BrokerTimelineRegister.make(configuration: try AMQPConfiguration(url: system.amqpURL))
            for number: UInt32 in 1...4 { #expect(await other.answer(about: Self.timeline(number)) == .old, "\(number)") }
            for number: UInt32 in 5...6 { #expect(await other.answer(about: Self.timeline(number)) == .current, "\(number)") }
            #expect(await other.note(Self.timeline(2)), "an old primary notes its own")
            #expect(await other.answer(about: Self.timeline(4)) == .old)
            #expect(await other.answer(about: Self.timeline(1, of: 8)) == .current, "another cluster")
            await other.close()
        }
    }

    @Test func anAcceptedTimelineIsCurrentAgainAndTheEarlierOnesStayOld() async throws {
        try await Self.with { register, _ in
            #expect(await register.note(Self.timeline(40)))
            #expect(await register.answer(about: Self.timeline(7)) == .current, "too long ago to be noted at once")
            #expect(await register.answer(about: Self.timeline(8)) == .old)
            try await register.accept(Self.timeline(30))
            for number: UInt32 in [30, 39, 40] { #expect(await register.answer(about: Self.timeline(number)) == .current, "\(number)") }
            #expect(await register.answer(about: Self.timeline(29)) == .old)
        }
    }

    /// The queue or the exchange was deleted. The next note makes both again.
    @Test func deletedNotesAreMadeAgain() async throws {
        try await Self.with { register, system in
            let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL))
            #expect(await register.hasNotes(about: 7) == false)
            #expect(await register.note(Self.timeline(3)))
            #expect(await register.hasNotes(about: 7) == true)
            #expect(await register.hasNotes(about: 8) == false)
            try await control.deleteQueue(QueueNames.timelines)
            #expect(await register.answer(about: Self.timeline(2)) == .current, "lost with the queue")
            #expect(await register.hasNotes(about: 7) == false)
            #expect(await register.note(Self.timeline(3)))
            #expect(await register.answer(about: Self.timeline(2)) == .old)
            try await control.deleteExchange(QueueNames.timelines)
            #expect(await register.answer(about: Self.timeline(2)) == .unknown)
            #expect(await register.hasNotes(about: 7) == nil)
            #expect(await register.note(Self.timeline(3)))
            #expect(await register.answer(about: Self.timeline(2)) == .old)
            await control.close()
        }
    }

    @Test func manyQuestionsLeaveOneMessage() async throws {
        try await Self.with { register, system in
            #expect(await register.note(Self.timeline(2)))
            for _ in 0..<20 { #expect(await register.answer(about: Self.timeline(1)) == .old) }
            let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL))
            #expect((try await control.queueStatus(QueueNames.timelines)?.messages ?? 0) <= 1)
            await control.close()
        }
    }

    @Test func aBrokerThatIsAwayAnswersNothing() async throws {
        let register = try BrokerTimelineRegister.make(configuration: try AMQPConfiguration(url: "amqp://guest:guest@127.0.0.1:1/"))
        #expect(await register.answer(about: Self.timeline(1)) == .unknown)
        #expect(await !register.note(Self.timeline(2)))
        await register.close()
    }
}
