import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct PgbenchTests {
    @Test func theRateIsRead() {
        let output = """
            number of failed transactions: 0 (0.000%)
            latency average = 2.104 ms
            initial connection time = 31.062 ms
            tps = 3801.5 (without initial connection time)
            """
        #expect(PrivateServers.rate(in: output) == 3801.5)
        #expect(PrivateServers.rate(in: "latency average = 2.104 ms") == nil)
    }

    @Test func aScriptIsMeasured() async throws {
        try await TestHome.with { home in
            let servers = try await home.start()
            let script = "\(home.layout.home)/one.sql"
            try PrivateFile.write("\\set n random(1, 9)\nselect 'person-' || :n;\n", to: script)
            #expect(try await servers.pgbench(script: script, sessions: 3, seconds: 1) > 0)
            await #expect(throws: PrivateServersError.self) { try await servers.pgbench(script: "/nowhere", sessions: 1, seconds: 1) }
            try await servers.stop()
        }
    }
}
