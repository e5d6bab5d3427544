import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct PostgresSettingsTests {
    @Test("a quarter of the memory, within bounds", arguments: [(256, 128), (2048, 512), (6000, 1500), (24_000, 2048)])
    func sharedMemory(physical: Int, shared: Int) {
        #expect(PostgresSettings.sharedMegabytes(of: physical) == shared)
    }

    @Test("what was in memory when the server stopped is there again when it has started")
    func memoryIsKept() async throws {
        try await TestHome.with { home in
            let first = try await home.start()
            _ = try await first.psql("CREATE TABLE kept AS SELECT g, repeat('x', 1000) AS word FROM generate_series(1, 7000) g")
            let table = try await first.psql("SELECT pg_relation_filenode('kept')")
            try await first.stop()
            // The file has one line for each page: database, tablespace, file, fork, number.
            let noted = "\(home.layout.databaseFolder)/data/\(PostgresSettings.prewarmNote)"
            let pages = try #require(PrivateFile.read(noted, limitBytes: 1 << 20)).split(separator: "\n").map { $0.split(separator: ",") }
            #expect(pages.count { $0.count == 5 && $0[2] == table } >= 1000)

            let log = "\(home.layout.logFolder)/postgresql.log"
            let second = try await home.start()
            #expect(try #require(PrivateFile.read(log)).contains(PostgresSettings.prewarmEnd))
            #expect(try await second.psql("SELECT count(*) FROM kept WHERE length(word) = 1000") == "7000")
            try await second.stop()
        }
    }
}
