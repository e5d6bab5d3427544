import Foundation
import Testing
import TidingsAMQP
import TidingsPostgres
import TidingsTestSupport

/// `tidings send` says what became of the event if a server is away, and why an event was not checked.
@Suite struct SendOutcomeTests {
    private static let send = ["send", "orderUpdate", "--to", "ann", "--title", "T", "--channel", "inApp"]

    /// The broker has the event, but its confirm is lost with the connection. Publishing again with the printed id is safe.
    @Test func theOutcomeIsUnknownIfNoConfirmComes() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let proxy = try FaultProxy(to: try AMQPConfiguration(url: system.amqpURL).port)
            proxy.swallowConfirms()
            var url = try #require(URLComponents(string: system.amqpURL))
            (url.host, url.port) = ("127.0.0.1", proxy.port)
            let environment = system.environment.merging(["TIDINGS_AMQP_URL": try #require(url.string)]) { $1 }
            let command = Self.send + [Pipeline.waitLimit]
            let process = try TestProcess([TestSystem.binary] + command, environment: environment)
            let arrived = try await system.eventually("select count(*) from tidings_ops.notifications") { $0 == 1 }
            proxy.close()
            let result = await process.finish()
            try #require(arrived, "\(result.errors)")
            let id = try await system.query("select event_id from tidings_ops.notifications").rows[0].decode(String.self)
            #expect(result.exitCode == 69 && result.output.isEmpty, "\(result.exitCode) \(result.errors)")
            #expect(result.errors.contains("unknown whether the event \(id) arrived"), "\(result.errors)")
            #expect(result.errors.contains("--id \(id)"), "\(result.errors)")

            let again = try await CommandLineTests.run(Self.send + ["--id", id, "--wait", Pipeline.waitLimit], system.environment)
            #expect(again.exitCode == 0, "\(again.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.notifications") == 1)
        }
    }

    /// No exchange exists yet, so the broker refuses the message itself.
    @Test func aRefusedEventIsNotPublished() async throws {
        try await withOwnSystem { system in
            let result = try await CommandLineTests.run(Self.send + ["--id", "early"], system.environment)
            #expect(result.exitCode == 69 && result.errors.contains("the event early was not published"), "\(result.errors)")
            #expect(result.errors.contains("tidings run router"), "\(result.errors)")
        }
    }

    /// The database is away. Without a wait that is no failure. With a wait the failure says that the event is confirmed. Half of the
    /// timeout is for the check, so that time is left for the broker.
    @Test func aConfirmedEventIsToldAsConfirmedWhileTheDatabaseIsAway() async throws {
        try await withOwnSystem { system in
            #expect(try await system.tidings("queue", "topology", "--apply").exitCode == 0)
            let absent = try AbsentService()
            let away = ["TIDINGS_DATABASE_URL": "postgres://nobody@127.0.0.1:\(absent.port)/none"]
            let environment = system.environment.merging(away) { $1 }
            let seconds = Patience.scaled(3)
            let limit = "--timeout=\(seconds)"

            let sent = try await CommandLineTests.run(Self.send + ["--id", "sent", limit], environment)
            #expect(sent.exitCode == 0 && sent.output.contains("confirmed"), "\(sent.errors)")
            #expect(!sent.errors.contains("not checked"), "\(sent.errors)")
            let tried = min(Double(seconds) / 2, 10)
            #expect(sent.errors.contains("trying for \(Duration.seconds(tried))"), "\(sent.errors)")

            let waited = try await CommandLineTests.run(Self.send + ["--id", "waited", "--wait", limit], environment)
            #expect(waited.exitCode == 69 && waited.output.isEmpty, "\(waited.exitCode) \(waited.errors)")
            for said in ["Connection refused", "the broker confirmed the event waited", "tidings why waited"] {
                #expect(waited.errors.contains(said), "\(waited.errors)")
            }
        }
    }

    /// The database answers and refuses a step of the check. The event goes out, and the reason is told.
    @Test func anEventThatIsNotCheckedIsNoted() async throws {
        try await withOwnSystem { system in
            #expect(try await system.tidings("queue", "topology", "--apply").exitCode == 0)
            var url = try #require(URLComponents(string: system.databaseURL))
            url.password = "wrong"
            for (variables, reason) in [
                (["PGOPTIONS": "-c role=tidings_ops_read"], "permission denied"),
                (["TIDINGS_DATABASE_URL": try #require(url.string)], "password"),
            ] {
                let environment = system.environment.merging(variables) { $1 }
                let sent = try await CommandLineTests.run(Self.send, environment)
                #expect(sent.exitCode == 0 && sent.output.contains("confirmed"), "\(sent.errors)")
                let note = sent.errors.split(separator: "\n").first { $0.hasPrefix("note: not checked: the database: ") }
                #expect(note?.contains(reason) == true, "\(sent.errors)")
                let silent = try await CommandLineTests.run(Self.send + ["--no-check"], environment)
                #expect(silent.exitCode == 0 && !silent.errors.contains("not checked"), "\(silent.errors)")
            }
        }
    }

    /// The check writes nothing, so a standby can answer.
    @Test func aReadOnlyDatabaseChecks() async throws {
        try await withOwnSystem { system in
            let environment = system.environment.merging(["PGOPTIONS": "-c default_transaction_read_only=on"]) { $1 }
            let refused = try await CommandLineTests.run(["send", "noSuchType", "--to", "ann", "--title", "T"], environment)
            #expect(refused.exitCode == 65 && refused.errors.contains("unknownType"), "\(refused.errors)")
            #expect(try await system.count("select count(*) from tidings.catalogues") == 0)
        }
    }
}
