import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct ServerFailureTests {
    @Test("servers come back after every fault, on the same URL, with their data")
    func faults() async throws {
        try await TestHome.with { home in
            let servers = try await home.start()
            let port = servers.broker.port
            try await servers.makeVirtualHosts(["kept"])
            try await servers.makeVirtualHosts(["kept", "new"])
            #expect(servers.amqpURL(virtualHost: "kept") == servers.amqpURL + "kept")

            try await servers.pauseBroker()
            #expect(LoopbackPort.accepts(port))
            #expect(!LoopbackPort.speaksAMQP(port))
            try await servers.resumeBroker()
            #expect(LoopbackPort.speaksAMQP(port))

            try await servers.killBroker()
            #expect(!LoopbackPort.accepts(port))
            try await servers.startBroker()
            #expect(try await servers.rabbitmqctl(["-q", "list_vhosts", "--no-table-headers"]).contains("kept\n"))
            try await servers.stopBroker()
            #expect(!LoopbackPort.accepts(port))
            try await servers.startBroker()
            try await servers.startBroker()
            #expect(LoopbackPort.speaksAMQP(port))

            #expect(try await servers.psql("CREATE TABLE kept (); SELECT 1") == "1")
            for immediate in [true, false] {
                try await servers.stopDatabase(immediate: immediate)
                #expect(!LoopbackPort.accepts(servers.database.port))
                try await servers.startDatabase()
                try await servers.startDatabase()
                #expect(try await servers.psql("SELECT to_regclass('kept') IS NOT NULL") == "t")
            }

            await #expect(throws: PrivateServersError.badName("a\"b")) { try await servers.makeVirtualHosts(["fine", "a\"b"]) }
            let error = await #expect(throws: PrivateServersError.self) { try await servers.rabbitmqctl(["no_such_command"]) }
            guard case .commandFailed("rabbitmqctl", let status?, _) = error else {
                Issue.record("unexpected \(String(describing: error))")
                return
            }
            #expect(status != 0)
            try await servers.stop()
        }
    }

    @Test("a server that cannot start says why, with the end of its log, and leaves nothing running")
    func brokenData() async throws {
        try await TestHome.with { home in
            try await home.start().stop()
            let data = try PostgresFolder.prepare(home.layout, fresh: false).dataFolder
            try PrivateFile.write("not_a_setting = 1\n", to: "\(data)/postgresql.conf", owner: try Account.forPostgres())
            let error = await #expect(throws: PrivateServersError.self) { try await home.start() }
            guard case .didNotStart("PostgreSQL", _, _, let lastLines) = error else {
                Issue.record("unexpected \(String(describing: error))")
                return
            }
            #expect(lastLines.contains("not_a_setting"))
            #expect(Leftovers(home.layout).running().isEmpty)
        }
    }
}
