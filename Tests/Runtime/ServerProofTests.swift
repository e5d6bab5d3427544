import Testing

@testable import TidingsServer

/// The addresses of servers on other machines, and whether these servers must prove who they are.
@Suite struct ServerProofTests {
    private func warned(_ database: String, _ broker: String? = nil, with more: [String: String] = [:]) throws -> [String] {
        var environment = more
        environment["TIDINGS_DATABASE_URL"] = database
        environment["TIDINGS_AMQP_URL"] = broker
        let findings = ServerProof(try Settings(environment: environment, needsBroker: false)).findings
        #expect(findings.allSatisfy { $0.level == .warning && $0.code == .serverUnproven })
        return findings.map(\.check)
    }

    @Test(arguments: [
        "postgres://a@127.0.0.1:5432/b", "postgres://a@localhost/b", "postgres://a@[::1]/b", "postgres:///b",
        "postgres://a@/b?host=/var/run/postgresql", "postgres://a@db.example/b?sslmode=verify-full",
        "postgres://a@db.example/b?hostaddr=127.0.0.1",
    ])
    func aServerThatProvesItselfIsGood(database: String) throws { #expect(try warned(database).isEmpty) }

    @Test(arguments: [
        "postgres://a@db.example/b", "postgres://a@db.example/b?sslmode=require", "postgres://a@10.0.0.1/b?sslmode=verify-ca",
        "postgres://a@localhost,db.example/b", "postgres://a@localhost/b?hostaddr=10.0.0.1",
    ])
    func aServerThatProvesNothingIsNot(database: String) throws { #expect(try warned(database) == ["database"]) }

    /// libpq reads its own variables if the URL says nothing.
    @Test func modeAndHostMayStandInTheEnvironment() throws {
        let mode = ["PGSSLMODE": "verify-full"]
        #expect(try warned("postgres://a@db.example/b", with: mode).isEmpty)
        #expect(try warned("postgres://a@db.example/b?sslmode=prefer", with: mode) == ["database"])
        for name in ["PGHOST", "PGHOSTADDR"] {
            #expect(try warned("postgres:///b", with: [name: "10.0.0.1"]) == ["database"], "\(name)")
        }
    }

    @Test func theBrokerProvesItselfToo() throws {
        let here = "postgres://a@127.0.0.1/b"
        for good in ["amqp://a:b@127.0.0.1:5672/", "amqp://a:b@localhost/", "amqps://a:b@broker.example/?cacertfile=/ca.pem"] {
            #expect(try warned(here, good).isEmpty, "\(good)")
        }
        let bad = [
            "amqp://a:b@broker.example/", "amqp://a:b@localhost,two.example/", "amqps://a:b@broker.example/?verify=verify_none",
            "amqps://a:b@broker.example/?server_name_indication=disable",
        ]
        for broker in bad { #expect(try warned(here, broker) == ["broker"], "\(broker)") }
    }
}
