import Glibc
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The server of a test cannot be promoted, because other tests use it. Instead, the test notes a later timeline at the broker, as a process
/// on a promoted standby would. The server of the roles is then an old primary.
@Suite struct OldPrimaryTests {
    @Test func noIntentIsDecidedByAnOldPrimary() async throws {
        try await withPipeline(variables: HealthClient.variables) { pipeline in
            let system = pipeline.system
            let health = try await HealthClient(of: pipeline.roles)
            await pipeline.publish(event(id: "before", to: "reader"))
            _ = try await pipeline.outcome(of: "before")
            let timeline = try await Self.timeline(of: system)
            let seen = try await system.eventually(
                "select count(*) from tidings_ops.database_timelines where timeline = \(Int(timeline.number)) and seen_by like 'all-%'"
            ) { $0 == 1 }
            #expect(seen, "\(pipeline.roles.errorsSoFar)")
            let healthy = try await system.tidings("doctor")
            #expect(healthy.output.contains("✓ timeline: PostgreSQL is on timeline \(timeline.number)"), "\(healthy.output)")

            try await Self.promote(beyond: timeline, in: system)
            #expect(try await pipeline.roles.says(/a server of the database is refused/), "\(pipeline.roles.errorsSoFar)")
            await pipeline.publish(event(id: "after", to: "reader"))
            let isUnready = try await eventually {
                let answer = try await health.ask("/health/ready")
                return answer.status == 503 && answer.text.contains("database: the server is on timeline \(timeline.number)")
            }
            #expect(isUnready)
            let doctor = try await system.tidings("doctor")
            #expect(doctor.exitCode == 1 && doctor.output.contains("✗ timeline: this server is on timeline"), "\(doctor.output)")
            #expect(doctor.output.contains("Fence it") && doctor.output.contains("tidings db accept-timeline"), "\(doctor.output)")

            // A supervisor starts processes again, which have no memory of their own.
            let restarted = try system.start("run", "router")
            let end = await restarted.finish()
            #expect(end.exitCode == 69 && end.errors.contains("an old primary"), "\(end.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.notifications where event_id = 'after'") == 0)
            #expect(pipeline.roles.isRunning)

            let asked = try await system.tidings("db", "accept-timeline")
            #expect(asked.exitCode == 64 && asked.errors.contains("--yes"), "\(asked.errors)")
            let accepted = try await system.tidings("db", "accept-timeline", "--yes")
            #expect(accepted.exitCode == 0 && accepted.errors.contains("is accepted"), "\(accepted.errors)")
            #expect(try await pipeline.outcome(of: "after").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.roles.says(/the database is used again/), "\(pipeline.roles.errorsSoFar)")
            #expect(try await eventually { try await health.ask("/health/ready").status == 200 })
            let again = try await system.tidings("db", "accept-timeline", "--yes")
            #expect(again.exitCode == 0 && again.errors.contains("accepted already"), "\(again.errors)")
            try await pipeline.expectSound()
        }
    }

    /// A pack of a later timeline has no row at an old primary. Its message goes back to the queue, where a worker of the new primary finds it.
    @Test func aPackOfALaterTimelineIsNotLost() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            await pipeline.publish(event(id: "one", to: "reader", data: #""critical":true"#))
            _ = try await pipeline.outcome(of: "one")
            let timeline = try await Self.timeline(of: system)
            pipeline.roles.signal(SIGTERM)
            _ = await pipeline.roles.finish()
            let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL))
            let queue = QueueNames.deliver(channel: .inApp, provider: "inbox", lane: .urgent)
            let worker = try system.start("run", "deliver", "inApp")
            let runs = try await system.eventually("select count(*) from tidings_ops.workers where role = 'deliver'") { $0 == 1 }
            #expect(runs, "\(worker.errorsSoFar)")

            try await Self.promote(beyond: timeline, in: system)
            let later = PostgresTimeline(system: timeline.system, number: timeline.number + 1)
            await pipeline.publish(
                Array("{}".utf8), contentType: Pack.contentType, key: queue,
                headers: [QueueNames.timelineHeader: .string(later.description)], exchange: QueueNames.deliverExchange)
            #expect(try await worker.says(/a server of the database is refused/), "\(worker.errorsSoFar)")
            worker.signal(SIGTERM)
            _ = await worker.finish()
            #expect(try await eventually { try await control.queueStatus(queue)?.messages == 1 })
            #expect(try await system.count("select count(*) from tidings.dead") == 0)
            _ = try await control.purge(queue)
            await control.close()
        }
    }

    private static func timeline(of system: TestSystem) async throws -> PostgresTimeline {
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "old primary tests")
        let timeline = try await store.timeline()
        await store.close()
        return try #require(timeline)
    }

    private static func promote(beyond timeline: PostgresTimeline, in system: TestSystem) async throws {
        let register = try BrokerTimelineRegister.make(configuration: try AMQPConfiguration(url: system.amqpURL))
        let isNoted = await register.note(PostgresTimeline(system: timeline.system, number: timeline.number + 1))
        await register.close()
        try #require(isNoted)
    }
}
