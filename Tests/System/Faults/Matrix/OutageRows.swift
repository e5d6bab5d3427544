import Glibc
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Outages in which no process dies. A worker writes the outcomes that it knows once the database is back, and nothing is sent again. The
/// row with a sleeping worker is the exception: the calls that this worker had open may be sent again.
extension FaultRow {
    /// The longest time from the end of the outage until everything has ended.
    private static let promptly = Duration.seconds(15)

    static let outages = [
        FaultRow(
            number: "42", fault: "database away, sessions lost", injected: "the network to PostgreSQL cut for 60 s, calls of 2 s in flight",
            isDatabaseBehindProxy: true, bound: .none, isInOrder: promptly,
            inject: { scene in
                try await scene.answers(like: ["slow/2000"], for: .seconds(3))
                try scene.link().freeze()
                try await scene.holds(.seconds(60))
            },
            heal: { scene in
                try scene.link().thaw()
                try await scene.answersWell()
            }),
        FaultRow(
            number: "43", fault: "worker asleep, cancels in between", injected: "SIGSTOP of one of two deliver for 60 s; somebody cancels",
            cancels: true, bound: .callsOfAWorker, isInOrder: promptly,
            inject: { scene in
                let position = try await scene.crew.position(of: "deliver")
                await scene.crew.signal(at: position, SIGSTOP)
                try await scene.holds(.seconds(60))
            },
            heal: { await $0.crew.signal("deliver", SIGCONT) }),
        FaultRow(
            number: "44", fault: "tables locked",
            injected: "`lock table` on endpoints for 15 s, then on packs for 28 s, calls of 2 s in flight",
            bound: .none, isInOrder: promptly,
            inject: { scene in
                try await scene.answers(like: ["slow/2000"], for: .seconds(3))
                for (table, seconds) in [("endpoints", 15), ("packs", 28)] {
                    try await scene.withSession { session in
                        try await session.execute(script: "begin; lock table tidings.\(table) in access exclusive mode")
                        try await scene.holds(.seconds(seconds))
                        try await session.execute(script: "rollback")
                    }
                    try await scene.moreConfirmed()
                }
            },
            heal: { try await $0.answersWell() }),
        FaultRow(
            number: "45", fault: "sessions refused", injected: "sessions ended and NOLOGIN for 10 s, calls of 2 s in flight",
            bound: .none, isInOrder: promptly,
            inject: { scene in
                try await scene.answers(like: ["slow/2000"], for: .seconds(3))
                try await scene.withSession { session in
                    try await session.execute(script: "alter role tidings nologin")
                    try await session.execute(
                        script:
                            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tidings' and pid <> pg_backend_pid()")
                    try await scene.holds(.seconds(10))
                    try await session.execute(script: "alter role tidings login")
                }
            },
            heal: { try await $0.answersWell() }),
        FaultRow(
            number: "46", fault: "too many connections", injected: "sessions ended and every slot taken for 10 s, calls of 2 s in flight",
            bound: .none, isInOrder: promptly,
            inject: { scene in
                try await scene.answers(like: ["slow/2000"], for: .seconds(3))
                _ = try await scene.system.query(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
                var hogs: [PostgresConnection] = []
                while let hog = try? await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL)) {
                    hogs.append(hog)
                }
                try await scene.holds(.seconds(10))
                for hog in hogs { await hog.close() }
            },
            heal: { try await $0.answersWell() }),
        FaultRow(
            number: "47", fault: "provider renamed under load",
            injected: "the webhook provider renamed while the broker's links are cut for 5 s",
            broker: .behindProxy, bound: .none, isInOrder: promptly,
            inject: { scene in
                try scene.link().freeze()
                // The command goes directly to the broker, because an operator works elsewhere.
                try await scene.system.applyCatalogue(
                    folder: scene.folder, renaming: "webhook", to: "hooks", amqpURL: scene.servers.amqpURL)
                try await scene.holds(.seconds(5))
            },
            heal: { try $0.link().thaw() },
            check: { scene in
                let renamed = try await scene.system.count("select count(*) from tidings_ops.deliveries where provider = 'hooks'")
                #expect(renamed > 0, "nobody followed the catalogue")
            }),
    ]
}
