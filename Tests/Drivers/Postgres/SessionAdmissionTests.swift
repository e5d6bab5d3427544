import Synchronization
import Testing
import TidingsTestSupport

@testable import TidingsPostgres

/// A judge of servers refuses sessions, and gives up those that it admitted.
struct SessionAdmissionTests {
    private final class Judge: SessionAdmission {
        private struct State {
            var refusals: Int
            var round = 0
            var asked: [PostgresTimeline?] = []
        }
        private let state: Mutex<State>

        /// - Parameter refusals: so many sessions are refused, and the later ones admitted.
        init(refusals: Int) { state = Mutex(State(refusals: refusals)) }

        var asked: [PostgresTimeline?] { state.withLock { $0.asked } }
        func giveUp() { state.withLock { $0.round += 1 } }

        func admit(_ timeline: PostgresTimeline?) async throws(PostgresError) -> SessionTicket {
            let (isRefused, round) = state.withLock { state in
                state.asked.append(timeline)
                state.refusals -= 1
                return (state.refusals >= 0, state.round)
            }
            if isRefused { throw .oldTimeline("an old primary") }
            return SessionTicket(timeline: timeline, round: round)
        }

        func isAdmitted(_ ticket: SessionTicket) -> Bool { state.withLock { $0.round == ticket.round } }
    }

    /// The server of the tests as two hosts of a URL, by two names.
    private static func withTwoHosts(_ judge: Judge, _ body: (PostgresConfiguration) async throws -> Void) async throws {
        try await withDatabase { configuration in
            let url = configuration.url
            let host = try #require(url.firstMatch(of: /@([^:\/@]+):(\d+)\//), "the URL of the tests names host and port")
            let hosts = "@\(host.1):\(host.2),localhost:\(host.2)/"
            var several = try PostgresConfiguration(url: url.replacing(host.0, with: hosts))
            several.admission = judge
            try await body(several)
        }
    }

    @Test func theNextHostIsTriedWhenOneIsRefused() async throws {
        let judge = Judge(refusals: 1)
        try await Self.withTwoHosts(judge) { configuration in
            let connection = try await PostgresConnection.connect(configuration)
            #expect(await connection.hostName?.hasPrefix("localhost:") == true)
            #expect(connection.ticket?.timeline != nil && judge.asked.count == 2)
            #expect(judge.asked[0] == judge.asked[1], "it is the same server")
            await connection.close()
        }
    }

    @Test func aRefusalByEveryHostNamesTheFirst() async throws {
        let judge = Judge(refusals: .max)
        try await Self.withTwoHosts(judge) { configuration in
            let error = try await failure { try await PostgresConnection.connect(configuration) }
            #expect(error.kind == .connectFailed && error.isOldTimeline && error.retryability == .reconnect)
            #expect(!error.cause.hasPrefix("localhost") && error.cause.hasSuffix(": an old primary"), "\(error.cause)")
            #expect(judge.asked.count == 2, "each host once")
        }
    }

    /// A caller waits as for a server that is away, and the pool pauses between two attempts.
    @Test func aPoolDoesNotHammerAServerThatIsRefused() async throws {
        let judge = Judge(refusals: .max)
        try await Self.withTwoHosts(judge) { configuration in
            let pool = PostgresPool(configuration, size: 2, name: "test", acquireTimeout: .seconds(1))
            let error = try await failure { try await pool.query("select 1") }
            #expect(error.isOldTimeline)
            #expect(judge.asked.count <= 20, "\(judge.asked.count) sessions in a second")
            await pool.close()
        }
    }

    @Test func anIdleSessionThatIsGivenUpIsReplaced() async throws {
        let judge = Judge(refusals: 0)
        try await withDatabase { configuration in
            var configuration = configuration
            configuration.admission = judge
            let pool = PostgresPool(configuration, size: 1, name: "test", acquireTimeout: .seconds(10).patient)
            func process() async throws -> Int32 { try await pool.query("select pg_backend_pid()").rows[0].decode(Int32.self) }
            let first = try await process()
            #expect(try await process() == first)
            judge.giveUp()
            #expect(try await process() != first)
            try await pool.withConnection { connection in
                let lent = await connection.processID
                judge.giveUp()
                #expect(await connection.processID == lent, "a statement that runs is not interrupted")
            }
            #expect(judge.asked.count == 2)
            _ = try await process()
            #expect(judge.asked.count == 3)
            await pool.close()
        }
    }
}
