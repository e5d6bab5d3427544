import Testing
import TidingsWaiting

@testable import TidingsPostgres

struct PostgresConfigurationTests {
    @Test func thePasswordIsNeverShown() throws {
        let configuration = try PostgresConfiguration(url: "postgres://app:s3cret@db.example:6543/tidings?sslmode=verify-full")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("postgres://app@db.example:6543/tidings?sslmode=verify-full"))
        }
    }

    @Test(arguments: ["", "mysql://x/y", "postgres://h:p:q:r@/x?y", "postgres://host/db?nonsense=1", "host=x password=s3cret"])
    func anUnreadableURLIsRefusedWithoutRepeatingIt(url: String) async throws {
        let error = try await failure { try PostgresConfiguration(url: url) }
        #expect(error.kind == .configuration)
        #expect(url.isEmpty || !error.debugDescription.contains(url))
    }

    @Test func pausesGrowToTheirLimit() {
        let backoff = Backoff.connecting
        #expect(backoff.pause(afterFailure: 1, random: 1) == .milliseconds(100))
        #expect(backoff.pause(afterFailure: 3, random: 1) == .milliseconds(400))
        #expect(backoff.pause(afterFailure: 1_000, random: 1) == .seconds(5))
        #expect(backoff.pause(afterFailure: 1, random: 0) == .milliseconds(10))
    }

    @Test(
        arguments: [
            ("40001", .retry), ("40P01", .retry), ("55P03", .retry), ("57014", .retry), (nil, .reconnect), ("08006", .reconnect),
            ("57P01", .reconnect), ("57P02", .reconnect), ("57P03", .reconnect), ("25006", .reconnect), ("25P03", .reconnect),
            ("26000", .reconnect), ("53100", .backOff), ("53200", .backOff), ("53300", .backOff), ("22P02", .permanent),
            ("23505", .permanent),
            ("42601", .permanent), ("28P01", .permanent), ("XX000", .permanent),
        ] as [(String?, Retryability)])
    func everySQLStateIsClassified(sqlState: String?, expected: Retryability) { #expect(Retryability(sqlState: sqlState) == expected) }

    @Test func theSQLStateOfARefusalIsRead() {
        let message = "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password authentication failed"
        #expect(PostgresSession.sqlState(inVerbose: message) == "28P01")
        #expect(PostgresSession.sqlState(inVerbose: "connection to server failed: Connection refused") == nil)
    }

    @Test func descriptionsHoldNoData() async throws {
        try await withConnection { connection in
            let error = try await failure { try await connection.query("select \("jane@example.com")::int8") }
            #expect(error.sqlState == "22P02")
            #expect(!"\(error)".contains("jane"))
            #expect(error.debugDescription.contains("jane"))
        }
    }
}
