import Foundation
import PrivateServers
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// Producers with users of their own. The tests are in this suite because users can only be made on private servers.
    @Suite struct TenantTests {
        @Test func aProducerSendsForItsOwnTenantsAlone() async throws {
            try await withFaultyServers { servers, system, folder in
                try await Self.makeUsers(servers, system)
                try await Self.apply(Self.catalogue, in: folder, to: system)
                let router = try await system.startRole("router")
                // The releaser's user differs from the router's. The catalogue lets the releaser's user vouch.
                let release = try TestProcess([TestSystem.binary, "run", "release"], environment: Self.environment(as: "release", servers))
                defer { release.signal(SIGKILL) }

                try await Self.expectRightsOfUsers(servers, system)
                try await Self.expectNobodyToBeTakenForAnother(servers, system, folder)
                try await Self.expectRightsOfRoles(servers, system, release)
                try await Self.expectReplaysToKeepTheProducer(system, router, folder)
            }
        }

        private static func expectRightsOfUsers(_ servers: PrivateServers, _ system: TestSystem) async throws {
            let cases: [(user: String, tenant: String, source: String, end: String)] = [
                ("shop", "acme", "/shop", accepted), ("shop", "acme", "/shop/eu", accepted),
                ("shop", "globex", "/shop", "tenantForbidden"),
                ("shop", "default", "/shop", "tenantForbidden"), ("shop", "acme", "/web", "sourceNotAllowed"),
                ("web", "default", "/web", accepted), ("web", "acme", "/web", "tenantForbidden"),
                ("web", "default", "/shop/eu", "sourceNotAllowed"),
            ]
            for (number, asked) in cases.enumerated() {
                let id = "user-\(number)"
                try await publish(id, as: asked.user, tenant: asked.tenant, source: asked.source, servers)
                #expect(try await end(of: id, system) == asked.end, "\(asked)")
            }
        }

        /// A producer cannot choose the id of its notification: the router believes ids only from users that vouch.
        private static func expectNoIDOfAProducer(_ servers: PrivateServers, _ system: TestSystem) async throws {
            let milliseconds = UInt64(Date().timeIntervalSince1970 * 1_000)
            let id = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(40 - 8 * $0)) } + [0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1]
            let headers: [String: AMQPValue] = [QueueNames.idsHeader: .bytes(id)]
            try await publish("forged-id", as: "web", tenant: "default", source: "/web", headers: headers, servers)
            #expect(try await end(of: "forged-id", system) == accepted)
            let count = try await system.count(
                "select count(*) from tidings_ops.notifications where notification_id = encode(\(id), 'hex')::uuid")
            #expect(count == 0)
        }

        /// A producer's own header has no effect. The broker refuses the name of another user, and the router refuses a message without a
        /// name.
        private static func expectNobodyToBeTakenForAnother(_ servers: PrivateServers, _ system: TestSystem, _ folder: String) async throws
        {
            for (id, said) in [("forged-role", "db:billing"), ("forged-user", "shop"), ("forged-nobody", "")] {
                try await publish(id, as: "web", tenant: "acme", source: "/w", headers: [QueueNames.producerHeader: .string(said)], servers)
                #expect(try await end(of: id, system) == "tenantForbidden", "\(id)")
                let producer = try await system.query("select producer from tidings.rejected where event_id = \(id)").rows.first
                #expect(try producer?.decode(String?.self) == "web", "\(id)")
            }
            try await expectNoIDOfAProducer(servers, system)
            let liar = try AMQPPublisher.make(
                configuration: try AMQPConfiguration(url: try url(as: "web", servers)), connectionName: "liar")
            var lie = message("lie", tenant: "acme", source: "/shop")
            lie.userID = "shop"
            let answer = await liar.publish([lie])
            await liar.close()
            guard case .failed(.channelClosed(code: 406, _)) = answer.first else { throw TestSystemError(message: "\(answer)") }

            let script = "\(folder)/unsigned.py"
            try unsigned.write(toFile: script, atomically: true, encoding: .utf8)
            let body = String(decoding: message("unsigned", tenant: "default", source: "/w").body, as: UTF8.self)
            let sent = try await TestProcess(
                ["/usr/bin/python3", script, try url(as: "web", servers), body], environment: ProcessInfo.processInfo.environment
            ).finish()
            try #require(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await end(of: "unsigned", system) == "producerUnknown")
        }

        /// The login of the session counts, even after the session has changed its role.
        private static func expectRightsOfRoles(_ servers: PrivateServers, _ system: TestSystem, _ release: TestProcess) async throws {
            let cases: [(role: String, tenant: String, end: String)] = [
                ("billing", "globex", accepted), ("billing", "acme", "tenantForbidden"), ("stranger", "default", accepted),
                ("stranger", "globex", "tenantForbidden"),
            ]
            for (number, asked) in cases.enumerated() {
                let id = "role-\(number)"
                let connection = try await PostgresConnection.connect(PostgresConfiguration(url: try databaseURL(as: asked.role, servers)))
                _ = try await connection.query("set role tidings_produce")
                _ = try await connection.query(
                    "select tidings_api.enqueue('orderUpdate', 'ann', title => 'T', key => \(id), tenant => \(asked.tenant))")
                await connection.close()
                #expect(try await end(of: id, system) == asked.end, "\(asked) \(release.errorsSoFar)")
                guard asked.end != accepted else { continue }
                let producer = try await system.query("select producer from tidings.rejected where event_id = \(id)").rows.first
                #expect(try producer?.decode(String?.self) == "db:\(asked.role)")
            }
        }

        /// Once the type exists, the event is accepted for the producer's tenant. A replay by an operator gives a producer no rights that
        /// it does not have.
        private static func expectReplaysToKeepTheProducer(_ system: TestSystem, _ router: TestProcess, _ folder: String) async throws {
            let refused = try await number(of: "user-2", system)
            // The exit code is 1 if the router refuses the event before the command closes the row.
            let replay = try await system.tidings("rejected", "replay", refused)
            #expect([0, 1].contains(replay.exitCode), "\(replay.errors)")
            let again = try await system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'user-2' and occurrences = 2 and reason_code = 'tenantForbidden'"
            ) { $0 == 1 }
            #expect(again, "\(router.errorsSoFar)")

            try await apply(catalogue.replacing("globex]", with: "globex, acme]"), in: folder, to: system)
            #expect(try await reached(within: .seconds(30)) { router.errorsSoFar.contains("another catalogue is active") })
            #expect(try await system.tidings("rejected", "replay", try await number(of: "role-1", system)).exitCode == 0)
            let isTaken = try await system.eventually(
                "select count(*) from tidings.notifications where event_id = 'role-1' and tenant = 'acme'"
            ) { $0 == 1 }
            #expect(isTaken, "\(router.errorsSoFar)")
        }

        // MARK: Catalogue, users and messages

        private static let accepted = "accepted"
        private static let password = "secret"

        private static let catalogue = """
            types:
              orderUpdate: {category: transactional, channels: [inApp]}
            producers:
              shop: {tenants: [acme], sources: ["/shop"]}
              "db:billing": [globex]
              release: {vouches: true}

            """

        private static let unsigned = """
            import sys
            import pika

            connection = pika.BlockingConnection(pika.URLParameters(sys.argv[1]))
            channel = connection.channel()
            channel.confirm_delivery()
            channel.basic_publish("tidings.intents", "transactional.orderUpdate", sys.argv[2].encode(), mandatory=True,
                properties=pika.BasicProperties(content_type="application/cloudevents+json", delivery_mode=2))
            connection.close()
            """

        private static func makeUsers(_ servers: PrivateServers, _ system: TestSystem) async throws {
            for (user, part) in [("shop", "producer"), ("web", "producer"), ("release", "release")] {
                let permission = try #require(BrokerPermissions.all.first { $0.user == part })
                try await servers.rabbitmqctl(["add_user", user, password])
                try await servers.rabbitmqctl(["set_permissions", user, permission.configure, permission.write, permission.read])
            }
            _ = try await system.query("create role billing login password 'secret' in role tidings_produce")
            _ = try await system.query("create role stranger login password 'secret' in role tidings_produce")
        }

        private static func url(as user: String, _ servers: PrivateServers) throws -> String {
            var amqp = try #require(URLComponents(string: servers.amqpURL))
            (amqp.user, amqp.password) = (user, password)
            return try #require(amqp.string)
        }

        private static func databaseURL(as role: String, _ servers: PrivateServers) throws -> String {
            var url = try #require(URLComponents(string: servers.databaseURL))
            (url.user, url.password) = (role, password)
            return try #require(url.string)
        }

        private static func environment(as user: String, _ servers: PrivateServers) throws -> [String: String] {
            ProcessInfo.processInfo.environment.merging(
                ["TIDINGS_AMQP_URL": try url(as: user, servers), "TIDINGS_DATABASE_URL": servers.databaseURL]) { $1 }
        }

        private static func apply(_ catalogue: String, in folder: String, to system: TestSystem) async throws {
            let path = "\(folder)/catalogue.yaml"
            try catalogue.write(toFile: path, atomically: true, encoding: .utf8)
            let result = try await system.tidings("catalogue", "apply", path)
            try #require(result.exitCode == 0, "\(result.errors)")
        }

        private static func message(
            _ id: String, tenant: String, source: String, headers: [String: AMQPValue] = [:]
        ) -> OutgoingMessage {
            let event =
                #"{"specversion":"1.0","id":"\#(id)","source":"\#(source)","type":"orderUpdate","data":{"recipient":"ann","title":"T","#
                + #""tenant":"\#(tenant)"}}"#
            return OutgoingMessage(
                exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate", body: Array(event.utf8),
                contentType: "application/cloudevents+json", messageID: id, headers: headers)
        }

        private static func publish(
            _ id: String, as user: String, tenant: String, source: String, headers: [String: AMQPValue] = [:], _ servers: PrivateServers
        ) async throws {
            let publisher = try AMQPPublisher.make(
                configuration: try AMQPConfiguration(url: try url(as: user, servers)), connectionName: user)
            let answer = await publisher.publish([message(id, tenant: tenant, source: source, headers: headers)])
            await publisher.close()
            #expect(answer == [.confirmed])
        }

        /// Returns ``accepted``, or the reason for which the event was refused.
        private static func end(of id: String, _ system: TestSystem) async throws -> String {
            let isDecided = try await system.eventually(
                """
                select (select count(*) from tidings.rejected where event_id = \(id))
                    + (select count(*) from tidings.notifications where event_id = \(id))
                """
            ) { $0 == 1 }
            try #require(isDecided, "\(id) is not decided")
            return try await system.query("select reason from tidings.rejected where event_id = \(id)").rows.first?
                .decode(String.self) ?? accepted
        }

        private static func number(of id: String, _ system: TestSystem) async throws -> String {
            String(try await system.count("select id from tidings.rejected where event_id = \(id)"))
        }
    }
}
