import Glibc
import Testing
import TidingsAMQP
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// `tidings doctor` reports everything that is missing or different before a person waits for a notification in vain.
@Suite struct DoctorTests {
    @Test func aHealthySystemPassesAndDriftIsTold() async throws {
        try await withPipeline { pipeline in
            let healthy = try await pipeline.system.tidings("doctor")
            #expect(healthy.exitCode == 0, "\(healthy.output)\(healthy.errors)")
            for check in [
                "database", "durability", "catalogue", "broker", "workers", "commits", "publishing", "confirms", "intake", "consumers",
                "overdue", "conservation",
            ] { #expect(healthy.output.contains("✓ \(check): "), "\(check): \(healthy.output)") }
            #expect(healthy.output.contains("a majority of the nodes of tidings.doctor confirmed a message"), "\(healthy.output)")
            var alone = pipeline.system.environment
            alone["TIDINGS_AMQP_URL"] = nil
            let withoutBroker = try await CommandLineTests.run(["doctor"], alone)
            #expect(withoutBroker.exitCode == 0, "\(withoutBroker.output)\(withoutBroker.errors)")
            #expect(withoutBroker.output.contains("· broker: not asked"), "\(withoutBroker.output)")

            // No role runs, so nothing repairs the damage that the test does.
            pipeline.roles.signal(SIGTERM)
            let ended = await pipeline.roles.finish()
            #expect(ended.exitCode == 0, "a clean stop: \(ended.errors)")

            let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: pipeline.system.amqpURL))
            try await control.deleteQueue("tidings.intents.bulk")
            try await control.deleteQueue("tidings.deliver.inApp.inbox.urgent")
            try await control.declareQueue(QueueDeclaration(name: "tidings.deliver.inApp.inbox.urgent"))

            let checks = try await pipeline.system.tidings("doctor", "-o", "json")
            // Delete the changed queue again: the next system on this virtual host could not start with it.
            try await control.deleteQueue("tidings.deliver.inApp.inbox.urgent")
            await control.close()
            #expect(checks.exitCode == 1)
            let failed = (try JSON.parse(checks.output).arrayValue ?? []).filter { $0["verdict"] == "fail" && $0["check"] == "broker" }
                .compactMap { $0["detail"]?.stringValue }
            #expect(failed.contains { $0.contains("tidings.intents.bulk is missing") }, "\(failed)")
            #expect(failed.contains { $0.contains("tidings.deliver.inApp.inbox.urgent is different") }, "\(failed)")
            #expect(failed.count == 2, "\(failed)")
        }
    }

    /// A key that is bound to a tenant is no wall while everybody may name the tenant over AMQP.
    @Test func doctorWarnsOfTenantsThatOnlyKeysKeepApart() async throws {
        try await withOwnSystem { system in
            func key(_ name: String, _ tenant: String) async throws {
                let made = try await system.tidings("key", "create", "--name", name, "--tenant", tenant, "--scope", "intents:write")
                try #require(made.exitCode == 0, "\(made.errors)")
            }
            try await key("web", "default")
            try await key("all", "*")
            let single = try await system.tidings("doctor").output
            #expect(single.contains("✓ catalogue: ") && !single.contains("tenants: "), "\(single)")
            for tenant in ["globex", "acme"] { try await key(tenant, tenant) }
            let warned = try await system.tidings("doctor").output
            #expect(warned.contains("! tenants: API keys are bound to the tenant acme and 1 more"), "\(warned)")
            try await Pipeline.apply(TestCatalogue.types + "producers: {shop: [acme]}\n", to: system)
            let guarded = try await system.tidings("doctor").output
            #expect(guarded.contains("✓ catalogue: ") && !guarded.contains("tenants: "), "\(guarded)")
        }
    }

    /// A server whose settings may lose confirmed data, and a server that takes no writes.
    @Test func doctorTellsSettingsThatWeakenThePromise() async throws {
        try await withOwnSystem { system in
            let name = try await system.query("select current_database()").rows[0].decode(String.self)
            _ = try await system.query("alter database \(unsafe: name) set synchronous_commit = off")
            let weak = try await system.tidings("doctor")
            #expect(weak.output.contains("! durability: synchronous_commit is weaker than on"), "\(weak.output)")
            #expect(weak.output.contains("\(name): synchronous_commit=off"), "\(weak.output)")
            _ = try await system.query("alter database \(unsafe: name) set default_transaction_read_only = on")
            let closed = try await system.tidings("doctor")
            #expect(closed.exitCode == 1, "\(closed.output)")
            #expect(closed.output.contains("read-only"), "\(closed.output)")
            for check in ["✗ workers: no router runs", "✓ overdue: ", "✓ failures: "] {
                #expect(closed.output.contains(check), "a read-only database can be read: \(closed.output)")
            }
        }
    }

    /// A missing queue of the built-in catalogue proves nothing while the active catalogue is not known.
    @Test func queuesAreNotComparedWithACatalogueThatWasNotRead() async throws {
        try await withOwnSystem { system in
            var environment = system.environment
            environment["TIDINGS_DATABASE_URL"] = "postgres://nobody@127.0.0.1:1/none"
            let away = try await CommandLineTests.run(["doctor"], environment)
            #expect(away.exitCode == 1 && away.output.contains("✗ database: "), "\(away.output)\(away.errors)")
            #expect(away.output.contains("its queues were not compared") && !away.output.contains("✗ broker"), "\(away.output)")

            _ = try await system.query("insert into tidings.catalogues (hash, yaml, applied_at) values ('strange', 'types: 1', now())")
            _ = try await system.query("insert into tidings.active_catalogue (hash) values ('strange')")
            let strange = try await system.tidings("doctor")
            #expect(strange.exitCode == 1, "\(strange.output)")
            for line in [
                "✓ database: ", "✗ catalogue: this binary cannot read the active catalogue: ", "✗ workers: no router runs", "✓ overdue: ",
            ] { #expect(strange.output.contains(line), "\(strange.output)") }
            #expect(strange.output.contains("its queues were not compared") && !strange.output.contains("✗ broker"), "\(strange.output)")
        }
    }

    @Test func doctorNamesTheServerThatIsAway() async throws {
        try await withOwnSystem { system in
            var environment = system.environment
            environment["TIDINGS_AMQP_URL"] = "amqp://guest:guest@127.0.0.1:1/"
            let result = try await CommandLineTests.run(["doctor"], environment)
            #expect(result.exitCode == 1)
            #expect(result.output.contains("✓ database") && result.output.contains("✗ broker"), "\(result.output)")
        }
    }
}
