import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct ReplicationTests {
    @Test("a synchronous standby has each commit, takes over after the loss of its primary, and the old primary starts again beside it")
    func failover() async throws {
        try await TestHome.with { home in
            let pair = try await PrivateReplication.start(home: home.path)
            do {
                try await pair.addStandby(through: pair.ports[0], isSynchronous: true)
                try await pair.query("CREATE TABLE kept AS SELECT 1 AS number", on: .first)
                #expect(try await pair.query("SELECT pg_is_in_recovery()", on: .second) == "t\n")
                try await pair.kill(.first)
                try await pair.promote(.second)
                #expect(try await pair.query("INSERT INTO kept VALUES (2) RETURNING number", on: .second) == "2\n")
                #expect(try await pair.query("SELECT count(*) FROM kept", on: .second) == "2\n")

                try await pair.start(.first)
                #expect(try await pair.query("SELECT pg_is_in_recovery()", on: .first) == "f\n")
                #expect(try await pair.query("SELECT count(*) FROM kept", on: .first) == "1\n")
            } catch {
                try? await pair.stop()
                throw error
            }
            try await pair.stop()
        }
    }

    @Test("the URL of both servers gives a session of the one that takes writes")
    func url() async throws {
        try await TestHome.with { home in
            let pair = try await PrivateReplication.start(home: home.path)
            let places = pair.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
            #expect(
                pair.databaseURL(user: "worker", password: "secret")
                    == "postgres://worker:secret@\(places)/tidings?target_session_attrs=read-write")
            #expect(pair.url(of: .second).contains("127.0.0.1:\(pair.ports[1])/"))
            try await pair.stop()
        }
    }
}
