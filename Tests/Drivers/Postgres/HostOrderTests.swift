import Foundation
import Testing
import TidingsTestSupport

@testable import TidingsPostgres

/// The order in which sessions try the hosts of a URL.
struct HostOrderTests {
    private typealias Host = HostOrder.Host

    @Test func theListsOfTheURLArePaired() throws {
        let hosts = { (text: String) in try PostgresConfiguration(url: "postgres://\(text)").hosts.hosts }
        #expect(try hosts("one:1,two/db") == [Host(host: "one", port: "1"), Host(host: "two", port: "5432")])
        #expect(try hosts("one,two/db") == [Host(host: "one", port: "5432"), Host(host: "two", port: "5432")])
        #expect(try hosts("one,two/db?port=7") == [Host(host: "one", port: "7"), Host(host: "two", port: "7")])
        #expect(
            try hosts("/db?hostaddr=127.0.0.1,127.0.0.2") == [Host(address: "127.0.0.1"), Host(address: "127.0.0.2")])
        // A single host, no host, and a list that libpq must see as a whole.
        for text in ["one:1/db", "/db", "one,two/db?target_session_attrs=prefer-standby", "one,/db"] {
            #expect(try hosts(text) == [Host()])
        }
    }

    @Test func aHostThatFailedIsTriedLastForAWhile() {
        let order = HostOrder(host: "a,b,c", address: nil, port: nil)
        let now = ContinuousClock.now
        #expect(order.order(at: now) == [0, 1, 2])
        order.avoid(0, at: now)
        #expect(order.order(at: now + .seconds(1)) == [1, 2, 0])
        order.avoid(1, at: now + .seconds(2))
        #expect(order.order(at: now + .seconds(3)) == [2, 0, 1])
        // If every host failed, the attempts go round.
        order.avoid(2, at: now + .seconds(4))
        #expect(order.order(at: now + .seconds(5)) == [0, 1, 2])
        order.trust(1)
        #expect(order.order(at: now + .seconds(5)) == [1, 0, 2])
        #expect(order.order(at: now + .seconds(60)) == [0, 1, 2])
    }

    /// The first host accepts and never answers, and the second one refuses. libpq would wait for the first until the deadline, each time.
    @Test func aHostThatNeverAnswersDoesNotHideTheOthers() async throws {
        try await withDatabase { configuration in
            let (hole, absent) = (try ListeningSocket(), try AbsentService())
            var several = try Self.configuration("127.0.0.1:\(hole.port),127.0.0.1:\(absent.port)", before: configuration.url)
            several.connectTimeout = .seconds(3).patient
            let connection = try await PostgresConnection.connect(several)
            #expect(try await connection.query("select 1").rows.count == 1)
            #expect(several.hosts.order() == [2, 0, 1])
            await connection.close()
            withExtendedLifetime((hole, absent)) {}
        }
    }

    /// A wrong database is wrong at every host.
    @Test func aRefusalIsNotTakenToTheNextHost() async throws {
        let absent = try AbsentService()
        let several = try Self.configuration("", before: databaseURL("no_such_database"), after: "127.0.0.1:\(absent.port)")
        let error = try await failure { try await PostgresConnection.connect(several) }
        withExtendedLifetime(absent) {}
        #expect(error.sqlState == "3D000")
        #expect(several.hosts.order() == [0, 1])
    }

    /// The same server by two names. Its sessions at the first name became read-only.
    @Test func theHostOfAReadOnlySessionIsTriedLast() async throws {
        try await withDatabase { configuration in
            let port = try Self.port(of: configuration.url)
            let several = try Self.configuration("", before: configuration.url, after: "localhost:\(port)")
            let connection = try await PostgresConnection.connect(several)
            _ = try await connection.query("set default_transaction_read_only = on")
            #expect(try await failure { try await connection.query("create table t ()") }.sqlState == "25006")
            #expect(several.hosts.order() == [1, 0])
        }
    }

    /// The URL with further hosts before and after its own.
    private static func configuration(_ hosts: String, before url: String, after more: String = "") throws -> PostgresConfiguration {
        let parts = try #require(URLComponents(string: url))
        let host = try #require(parts.host)
        let own = "\(host):\(parts.port ?? 5432)"
        let login = parts.percentEncodedUser.map { "\($0)\(parts.percentEncodedPassword.map { ":" + $0 } ?? "")@" } ?? ""
        let all = [hosts, own, more].filter { !$0.isEmpty }.joined(separator: ",")
        return try PostgresConfiguration(url: "postgres://\(login)\(all)\(parts.percentEncodedPath)")
    }

    private static func port(of url: String) throws -> Int { try #require(URLComponents(string: url)).port ?? 5432 }
}
