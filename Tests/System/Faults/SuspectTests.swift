import Glibc
import Testing
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// A message that kills every process that takes it is set aside, tried alone and quarantined. The messages that were prefetched with
    /// it are processed.
    @Suite struct SuspectTests {
        private static let innocents = (1...5).map { "innocent-\($0)" }
        private static let guilty = "guilty"

        @Test func theGuiltyIsQuarantinedAndTheInnocentGoOn() async throws {
            try await withTestSystem { system in
                let trap = try await Trap(in: system, for: Self.guilty)
                // Messages that already wait reach the router in one batch. A router that runs while they arrive may take them in several.
                let declarer = try await system.startRole("router")
                declarer.signal(SIGTERM)
                _ = await declarer.finish()
                try await publish(to: system)

                // The router dies each time while it holds all six messages. The broker counts a return for each message.
                for _ in 0...TopologySpec.deliveryLimit { try await trap.kill(system.startRole("router")) }
                // The messages now arrive one by one. The innocent ones are processed, and the guilty one kills again.
                for _ in 0..<3 { try await trap.kill(system.startRole("router")) }
                _ = try await system.startRole("router")

                let isQuarantined = try await system.eventually(
                    "select count(*) from tidings_ops.dead_letters where state = 'quarantined'"
                ) { $0 == 1 }
                #expect(isQuarantined)
                let areTaken = try await system.eventually("select count(distinct event_id) from tidings.notifications") {
                    $0 == Self.innocents.count
                }
                #expect(areTaken, "the innocent are not decided")
                #expect(try await system.count("select count(*) from tidings.notifications where event_id = \(Self.guilty)") == 0)
                let state = "select count(*) from tidings_ops.dead_letters where reason_code = 'poison' and"
                // Each innocent message is resolved after it was processed.
                let areResolved = try await system.eventually("\(unsafe: state) state = 'resolved'") { $0 == Self.innocents.count }
                #expect(areResolved, "the innocent are not told to be")
                #expect(try await system.count("\(unsafe: state) state = 'quarantined' and deaths = 4") == 1)
                try await replays(system, trap)
            }
        }

        /// Once the cause is gone, an operator replays the message.
        private func replays(_ system: TestSystem, _ trap: Trap) async throws {
            try await trap.open()
            let id = try await system.count("select dead_id from tidings_ops.dead_letters where state = 'quarantined'")
            let replay = try await system.tidings("dead", "replay", String(id))
            #expect(replay.exitCode == 0, "\(replay.errors)")
            let isDecided = try await system.eventually(
                "select count(*) from tidings.notifications where event_id = \(Self.guilty)"
            ) { $0 == 1 }
            #expect(isDecided, "the replayed message is not decided")
        }

        private func publish(to system: TestSystem) async throws {
            let producer = try Producer(url: system.amqpURL)
            let results = await producer.publish(
                (Self.innocents + [Self.guilty]).map {
                    IntentEvent(source: "/tests", id: $0, type: "orderUpdate", category: .transactional, recipients: ["person"], title: $0)
                })
            await producer.close()
            #expect(results.allSatisfy { $0 == .confirmed })
        }
    }
}

/// Acts as a bug that one message triggers. A process that stores this event hangs until it is killed.
private final class Trap: Sendable {
    private static let key = 4_711
    private let system: TestSystem
    /// The session that holds the lock for which the victim waits.
    private let holder: PostgresConnection

    init(in system: TestSystem, for event: String) async throws {
        self.system = system
        holder = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
        try await holder.execute(
            script: """
                select pg_advisory_lock(\(Self.key));
                create function tidings.trap() returns trigger language plpgsql as
                    'begin perform pg_advisory_xact_lock_shared(\(Self.key)); return new; end';
                create trigger trap before insert on tidings.notifications for each row when (new.event_id = '\(event)')
                    execute function tidings.trap();
                """)
    }

    /// Waits until the process hangs, kills it as `kill -9` does, and ends the session that it leaves behind.
    func kill(_ process: TestProcess) async throws {
        let caught: SQL = "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'"
        try #require(try await system.eventually(caught) { $0 > 0 }, "nobody is caught: \(process.errorsSoFar)")
        process.signal(SIGKILL)
        _ = await process.finish()
        _ = try await system.query(
            """
            select pg_terminate_backend(pid, \(Int64(Patience.scaled(5_000)))) from pg_stat_activity
            where datname = current_database() and wait_event = 'advisory'
            """)
    }

    /// Removes the trap. From now on the event is like any other.
    func open() async throws {
        try await holder.execute(script: "drop trigger trap on tidings.notifications")
        await holder.close()
    }
}
