import Foundation
import PrivateServers
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsJSON
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

        /// An API with a user of its own is of use only if the routers believe it.
        @Test func anAPIThatRoutersDoNotBelieveIsFound() async throws {
            try await withFaultyServers { servers, system, folder in
                try await Self.makeUsers(servers, system)
                #expect(try await Self.tidings(["queue", "topology", "--apply"], as: "topology", servers).exitCode == 0)
                // No router runs yet, so nothing can be compared.
                let early = try await Self.startAPI(servers)
                defer { early.signal(SIGTERM) }
                let router = try Self.start("router", servers)
                defer { router.signal(SIGTERM) }
                let isTold = try await router.says("routers do not believe the messages of a role")
                #expect(isTold, "\(router.errorsSoFar)")
                let later = await (try Self.start("api", servers)).finish()
                #expect(later.exitCode == 75 && later.errors.contains("do not believe the user api"), "\(later.errors)")
                let doctor = try await Self.tidings(["doctor", "-o", "json"], as: "router", servers)
                #expect(doctor.output.contains("publisherNotBelieved"), "\(doctor.output)\(doctor.errors)")

                let path = "\(folder)/catalogue.yaml"
                let catalogue = """
                    types: {orderUpdate: {category: transactional}}
                    producers: {api: {vouches: true}, shop: [default]}

                    """
                try catalogue.write(toFile: path, atomically: true, encoding: .utf8)
                let vouched = try await system.tidings("catalogue", "apply", path)
                try #require(vouched.exitCode == 0, "\(vouched.errors)")
                #expect(try await router.says("another catalogue is active"))
                let believed = try await Self.startAPI(servers)
                defer { believed.signal(SIGTERM) }
                let id = try await Self.send(to: believed, servers)
                let isKept = try await system.eventually(
                    "select count(*) from tidings.notifications where id = \(id)::text::uuid"
                ) { $0 == 1 }
                #expect(isKept, "the promised id is that of the notification: \(router.errorsSoFar)")
                let sound = try await Self.tidings(["doctor", "-o", "json"], as: "router", servers)
                #expect(!sound.output.contains("publisherNotBelieved"), "\(sound.output)")
            }
        }

        /// Sends an intent over HTTP. Returns the promised id.
        private static func send(to api: TestProcess, _ servers: PrivateServers) async throws -> String {
            let made = try await tidings(["key", "create", "--name", "shop", "--scope", "intents:write"], as: "router", servers)
            let key = try #require(made.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("tid_") }, "\(made.errors)")
            let log = api.errorsSoFar
            let start = try #require(log.firstRange(of: "address=http://127.0.0.1:"), "\(log)")
            let url = "http://127.0.0.1:" + log[start.upperBound...].prefix { $0.isNumber }
            let event = #"{"specversion":"1.0","id":"p-1","source":"/t","type":"orderUpdate","data":{"recipient":"ann","title":"T"}}"#
            let headers = [("authorization", "Bearer \(key)"), ("content-type", "application/cloudevents+json")]
            let answer = try await LoopbackClient().ask("\(url)/v1/intents", method: "POST", headers: headers, body: event)
            #expect(answer.status == 202, "\(answer.text)")
            return try #require(try JSON.parse(answer.text)["notifications"]?.arrayValue?.first?["id"]?.stringValue, "\(answer.text)")
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
            let environment = try environment(as: role, servers).merging(["TIDINGS_API_LISTEN": "127.0.0.1:0"]) { $1 }
            return try TestProcess([TestSystem.binary, "run", role], environment: environment)
        }

        private static func tidings(
            _ arguments: [String], as user: String, _ servers: PrivateServers
        ) async throws -> TestProcess.Result {
            try await TestProcess([TestSystem.binary] + arguments, environment: try environment(as: user, servers)).finish()
        }

        /// Starts the API, and returns when it listens.
        private static func startAPI(_ servers: PrivateServers) async throws -> TestProcess {
            let process = try start("api", servers)
            let listens = try await process.says(/the API listens[^\n]*\n/)
            try #require(listens && process.isRunning, "\(process.errorsSoFar)")
            return process
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
