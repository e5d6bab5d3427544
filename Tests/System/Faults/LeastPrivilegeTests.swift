import Foundation
import PrivateServers
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// Every role works with exactly the rights that the documentation gives to its user.
    @Suite struct LeastPrivilegeTests {
        @Test func rolesRunWithoutTheRightToChangeAnythingElse() async throws {
            try await withFaultyServers { servers, system, _ in
                try await Self.makeUsers(servers, system)
                // No queue is declared yet, and the router has no right to declare one. The router says what to do.
                let early = try Self.start("router", servers)
                let refused = await early.finish()
                #expect(refused.exitCode == 77, "\(refused.errors)")
                #expect(
                    refused.errors.contains("tidings.intents") && refused.errors.contains("queue topology --apply"), "\(refused.errors)")

                let applied = try await Self.tidings(["queue", "topology", "--apply"], as: "topology", servers)
                #expect(applied.exitCode == 0, "\(applied.errors)")
                let roles = try ["router", "deliver", "release"].map { try Self.start($0, servers) }
                defer { for role in roles { role.signal(SIGTERM) } }
                // A worker writes ann's entry and the router writes bob's, so each of the two sends a signal.
                let told = try await Self.following(servers) {
                    for arguments in [["--to", "ann", "--critical"], ["--to", "bob"]] {
                        let sent = try await Self.tidings(
                            ["send", "orderUpdate", "--title", "T", "--channel", "inApp"] + arguments, as: "producer", servers)
                        #expect(sent.exitCode == 0, "\(sent.errors)")
                    }
                    let arrives = try await system.eventually(
                        within: .seconds(60), "select count(*) from tidings_ops.deliveries where state = 'delivered'"
                    ) { $0 == 2 }
                    try #require(arrives, "\(roles.map(\.errorsSoFar))")
                }
                #expect(told == ["ann", "bob"])

                try await Self.expectRefused("create table tidings.mine ()", servers)
                try await Self.expectRefused("update tidings.clock_offset set shift = '1 day'", servers)
                try await Self.expectRefused("drop table tidings.packs", servers)
                // The owner's functions create and drop partitions for every user that runs a role.
                _ = try await Self.query("select tidings.ensure_partitions(1, 9)", servers)
                // Two days later the key is moved. For that, the table in which the key was claimed is locked.
                _ = try await system.query("update tidings.clock_offset set shift = interval '2 days 1 minute'")
                let isMoved = try await system.eventually(
                    within: .seconds(60),
                    "select (select count(*) from tidings.idempotency) - (select count(*) from tidings.idempotency_recent)"
                ) { $0 == 2 }
                #expect(isMoved, "\(roles.map(\.errorsSoFar))")
                let taken = try await Self.tidings(["queue", "topology"], as: "producer", servers)
                #expect(taken.exitCode == 0, "what may not be compared is no difference: \(taken.errors)")
                for role in roles {
                    role.signal(SIGTERM)
                    #expect(await role.finish().exitCode == 0)
                }
            }
        }

        /// Follows signals as the user `api` while `body` runs. Returns the people of the first two signals.
        private static func following(_ servers: PrivateServers, _ body: () async throws -> Void) async throws -> Set<String> {
            let url = try #require(try environment(as: "api", servers)["TIDINGS_AMQP_URL"])
            let exchange = ExchangeDeclaration(name: QueueNames.realtimeExchange, kind: "fanout", durable: false)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let consumer = try AMQPConsumer.make(
                configuration: try AMQPConfiguration(url: url), connectionName: "tests",
                ownQueue: OwnQueue(name: QueueNames.realtimeQueue, exchange: exchange, maximumMessages: 100, maximumBytes: 1 << 20),
                prefetch: 10, log: { if case .consuming = $0 { start.yield() } })
            async let end: Void = consumer.run()
            for await _ in started { break }
            var people: Set<String> = []
            do {
                try await body()
                for await batch in consumer.batches {
                    for message in batch.messages { people.formUnion(try InboxSignal.decode(message.body).people.map(\.recipient)) }
                    await consumer.acknowledge(batch.tags)
                    if people.count >= 2 { break }
                }
            } catch {
                await consumer.close()
                throw error
            }
            await consumer.close()
            try await end
            return people
        }

        private static let password = "secret"

        private static func makeUsers(_ servers: PrivateServers, _ system: TestSystem) async throws {
            for permission in BrokerPermissions.all {
                try await servers.rabbitmqctl(["add_user", permission.user, password])
                try await servers.rabbitmqctl(
                    ["set_permissions", permission.user, permission.configure, permission.write, permission.read])
            }
            _ = try await system.query("create role worker login password 'secret' in role tidings_run")
        }

        private static func environment(as user: String, _ servers: PrivateServers) throws -> [String: String] {
            var amqp = try #require(URLComponents(string: servers.amqpURL))
            (amqp.user, amqp.password) = (user, password)
            return ProcessInfo.processInfo.environment.merging(
                ["TIDINGS_AMQP_URL": try #require(amqp.string), "TIDINGS_DATABASE_URL": try databaseURL(servers)]) { $1 }
        }

        private static func databaseURL(_ servers: PrivateServers) throws -> String {
            var url = try #require(URLComponents(string: servers.databaseURL))
            (url.user, url.password) = ("worker", password)
            return try #require(url.string)
        }

        private static func start(_ role: String, _ servers: PrivateServers) throws -> TestProcess {
            try TestProcess([TestSystem.binary, "run", role], environment: try environment(as: role, servers))
        }

        private static func tidings(
            _ arguments: [String], as user: String, _ servers: PrivateServers
        ) async throws -> TestProcess.Result {
            try await TestProcess([TestSystem.binary] + arguments, environment: try environment(as: user, servers)).finish()
        }

        private static func query(_ sql: SQL, _ servers: PrivateServers) async throws -> PostgresResult {
            try await TestSystem.query(sql, at: databaseURL(servers))
        }

        private static func expectRefused(_ sql: SQL, _ servers: PrivateServers) async throws {
            do {
                _ = try await query(sql, servers)
                Issue.record("\(sql.text) is allowed")
            } catch let error as PostgresError {
                #expect(error.sqlState == "42501", "\(sql.text): \(error)")
            }
        }
    }
}
