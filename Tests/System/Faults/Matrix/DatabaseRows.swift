import Foundation
import Glibc
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A database that dies, hangs, refuses sessions or has no room.
extension FaultRow {
    static let databases = [
        FaultRow(
            number: "23", fault: "PostgreSQL crash", injected: "immediate shutdown for 5 s, then recovery, twice", bound: .callsOfAWorker,
            inject: { scene in
                for _ in 0..<2 {
                    try await scene.servers.stopDatabase(immediate: true)
                    try await scene.holds(.seconds(5))
                    try await scene.servers.startDatabase()
                    try await scene.moreConfirmed()
                }
            }),
        FaultRow(
            number: "24", fault: "PostgreSQL backends killed", injected: "all sessions terminated 5 times, then kill -9 of one",
            bound: .callsOfAWorker,
            inject: { scene in
                for _ in 0..<5 {
                    _ = try await scene.system.query(
                        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
                    )
                    try await scene.moreConfirmed(FaultLoad.perSecond / 2)
                }
                let victim = try await scene.system.count(
                    """
                    select pid::bigint from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                        and backend_type = 'client backend' order by random() limit 1
                    """)
                // PostgreSQL then ends every session and recovers.
                kill(pid_t(victim), SIGKILL)
            },
            heal: { scene in
                let isBack = try await reached(within: .seconds(60)) { (try? await scene.system.count("select 1")) == 1 }
                #expect(isBack, "PostgreSQL did not recover")
            }),
        FaultRow(
            number: "25", fault: "PostgreSQL frozen",
            injected: "SIGSTOP of all its processes for 40 s, longer than a lease and a statement may take",
            recovery: .seconds(150), bound: .atMost(2 * 128),
            inject: { scene in
                scene.signalDatabase(SIGSTOP)
                try await scene.holds(.seconds(40))
            },
            heal: { $0.signalDatabase(SIGCONT) }),
        FaultRow(
            number: "26", fault: "database's disk full", injected: "the data's own file system filled to the last byte for 15 s",
            hasDisk: true,
            recovery: .seconds(180), bound: .callsOfAWorker, lacks: { geteuid() == 0 ? nil : "the right to mount a file system" },
            inject: { scene in
                try DataDisk(below: scene.folder).fill()
                try await scene.holds(.seconds(15))
            },
            heal: { scene in
                try DataDisk(below: scene.folder).makeRoom()
                // If PostgreSQL's log found no room, the server has stopped.
                try await scene.servers.startDatabase()
                let isBack = try await reached(within: .seconds(60)) { (try? await scene.system.count("select 1")) == 1 }
                #expect(isBack, "PostgreSQL did not recover")
            }),
        FaultRow(
            number: "27", fault: "locks and an old snapshot",
            injected: "`lock table` on packs for 10 s; a repeatable read transaction all the while",
            bound: .callsOfAWorker,
            inject: { scene in
                try await scene.withSession { old in
                    try await old.execute(script: "begin isolation level repeatable read; select count(*) from tidings.recipients")
                    try await scene.withSession { session in
                        try await session.execute(script: "begin; lock table tidings.packs in access exclusive mode")
                        try await scene.holds(.seconds(10))
                        try await session.execute(script: "rollback")
                    }
                    try await scene.moreConfirmed(2 * FaultLoad.perSecond)
                    try await old.execute(script: "rollback")
                }
            }),
        FaultRow(
            number: "28", fault: "connection slots gone", injected: "others hold every slot of PostgreSQL for 15 s", bound: .callsOfAWorker,
            inject: { scene in
                var hogs: [PostgresConnection] = []
                _ = try await scene.system.query(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
                while let hog = try? await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL)) {
                    hogs.append(hog)
                }
                try await scene.holds(.seconds(15))
                #expect(hogs.count > 100, "only \(hogs.count) slots were taken")
                for hog in hogs { await hog.close() }
            }),
        FaultRow(
            number: "29", fault: "deadlocks", injected: "8 sessions lock packs and what is due in the wrong order for 15 s",
            bound: .callsOfAWorker,
            inject: { scene in
                let end = ContinuousClock.now + .seconds(15)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await scene.withSession { session in
                                while ContinuousClock.now < end {
                                    // This session exists to be the victim of a deadlock, so its errors are expected.
                                    _ = try? await session.execute(
                                        script: """
                                            begin; select from tidings.due order by notification_id desc limit 50 for update;
                                            select from tidings.packs order by id desc for update; select pg_sleep(0.02); commit
                                            """)
                                    _ = try? await session.execute(script: "rollback")
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }),
        FaultRow(
            number: "31", fault: "our clocks jump", injected: "every process of ours a day ahead for 10 s, then a day behind for 10 s",
            variables: { try await FakeClock(in: $0).variables() },
            inject: { scene in
                for shift: Int64 in [86_400, -86_400] {
                    try FakeClock(in: scene.folder).set(shift)
                    try await scene.holds(.seconds(10))
                }
            },
            heal: { try FakeClock(in: $0.folder).set(0) },
            check: { scene in
                let expired = try await scene.system.count(
                    "select count(*) from tidings_ops.deliveries where state = 'expired'")
                #expect(expired == 0, "expired by a clock that was set ahead")
            }),
    ]
}

extension FaultScene {
    /// Sends a signal to PostgreSQL's postmaster and all of its processes.
    func signalDatabase(_ number: Int32) {
        for process in servers.processIDs.database {
            let children = (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)) ?? ""
            for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, number) }
            kill(process, number)
        }
    }

    /// Runs the body with a session of the database's owner.
    func withSession(_ body: (PostgresConnection) async throws -> Void) async throws {
        let session = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
        do {
            try await body(session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }
}
