import Foundation
import PrivateServers
import Testing
import TidingsAMQP
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// The servers answer and take nothing. `/health/ready`, `status` and `doctor` name the cause, and the end of it.
    @Suite struct OutcomeHealthTests {
        private static let patience = Duration.seconds(60)

        /// An alarm blocks the link of the releaser when it publishes an event.
        @Test func anAlarmIsNamed() async throws {
            try await withFaultyServers { servers, system, _ in
                let process = try await system.startRole("all", with: HealthClient.variables)
                let health = try await HealthClient(of: process)
                try await Self.answers(200, naming: #""missing":[]"#, health, process)

                try await servers.raisesAlarm("memory", by: ["set_vm_memory_high_watermark", "0.0001"])
                try await Self.enqueue("blocked", in: system)
                try await Self.answers(503, naming: "broker: publisher is blocked for ", health, process)
                try await Self.expect(
                    "✗ publishing: the broker has an alarm (low on memory) and takes nothing of all-", of: "status", in: system)
                let doctor = try await system.tidings("doctor")
                #expect(doctor.exitCode == 1 && doctor.output.contains("✗ publishing: "), "\(doctor.output)")
                #expect(doctor.output.contains("✗ broker: the broker has an alarm and takes no message: low on memory"), "\(doctor.output)")
                #expect(doctor.output.contains("rabbitmq-diagnostics alarms"), "\(doctor.output)")

                try await servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"])
                try await Self.answers(200, naming: #""missing":[]"#, health, process)
                try await Self.expect("✓ publishing: ", of: "doctor", in: system)
                try await Self.arrives("blocked", in: system)
            }
        }

        /// A node that is cut off from its cluster accepts connections, answers questions, and confirms nothing.
        @Test func aBrokerThatConfirmsNothingIsNamed() async throws {
            try await withTestSystem { system in
                let proxy = try FaultProxy(to: try AMQPConfiguration(url: system.amqpURL).port)
                defer { proxy.close() }
                var url = try #require(URLComponents(string: system.amqpURL))
                (url.host, url.port) = ("127.0.0.1", proxy.port)
                let variables = HealthClient.variables.merging(["TIDINGS_AMQP_URL": try #require(url.string)]) { $1 }
                let process = try await system.startRole("all", with: variables)
                let health = try await HealthClient(of: process)
                try await Self.answers(200, naming: #""missing":[]"#, health, process)

                proxy.swallowConfirms()
                try await Self.enqueue("unconfirmed", in: system)
                try await Self.answers(503, naming: "broker: publisher gets no confirm for ", health, process)
                try await Self.expect("✗ publishing: the broker answers and confirms no message of all-", of: "status", in: system)
                // The command itself asks the broker directly.
                try await Self.expect("✓ broker: a majority of the nodes of tidings.doctor confirmed a message", of: "doctor", in: system)

                proxy.thaw()
                try await Self.answers(200, naming: #""missing":[]"#, health, process)
                try await Self.arrives("unconfirmed", in: system)
            }
        }

        /// A database whose disk is full still takes a heartbeat, because its row needs no new page.
        @Test func aFullDiskIsNamed() async throws {
            try await withTestSystem { system in
                let process = try await system.startRole("all", with: HealthClient.variables)
                let health = try await HealthClient(of: process)
                _ = try await system.query(
                    """
                    create function tidings.is_full() returns trigger language plpgsql as
                    $$ begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$
                    """)
                _ = try await system.query(
                    "create trigger is_full before insert on tidings.notifications for each statement execute function tidings.is_full()")
                try await Self.enqueue("full", in: system)
                let words = "53100 could not extend file: No space left on device"
                try await Self.answers(503, naming: words, health, process)
                try await Self.answers(503, naming: "intents: a batch in work is not committed for ", health, process)
                try await Self.expect("✗ commits: the database refuses commits since ", of: "status", in: system)
                try await Self.expect("✗ intake: all-", of: "doctor", in: system)
                let status = try await system.tidings("status")
                #expect(status.exitCode == 1 && status.output.contains(words) && status.output.contains("df -h"), "\(status.output)")

                _ = try await system.query("drop trigger is_full on tidings.notifications")
                try await Self.arrives("full", in: system)
                try await Self.answers(200, naming: #""missing":[]"#, health, process)
                try await Self.expect("✓ commits: ", of: "doctor", in: system)
            }
        }

        /// Every commit waits for a standby that is away. The login sees no columns of the standbys, as every login in `tidings_run`.
        @Test func commitsThatWaitForAStandbyAreNamed() async throws {
            try await withFaultyServers { servers, system, _ in
                _ = try await system.query("create role health_worker login password 'secret' in role tidings_run")
                var url = try #require(URLComponents(string: system.databaseURL))
                (url.user, url.password) = ("health_worker", "secret")
                let variables = ["TIDINGS_DATABASE_URL": try #require(url.string)].merging(HealthClient.variables) { $1 }
                let roles = try await ["router", "deliver", "release"].asyncMap { try await system.startRole($0, with: variables) }
                let health = try await HealthClient(of: roles[0])
                try await Self.answers(200, naming: #""missing":[]"#, health, roles[0])

                _ = try await system.query("alter system set synchronous_standby_names = 'nobody'")
                _ = try await system.query("select pg_reload_conf()")
                try await Self.answers(503, naming: "commits: none for ", health, roles[0])
                let cause = "every commit waits: synchronous_standby_names asks for 1 standby, and none is connected"
                try await Self.expect("✗ commits: \(cause)", of: "status", in: system, with: variables)
                let doctor = try await Self.tidings("doctor", in: system, with: variables)
                #expect(doctor.exitCode == 1 && doctor.output.contains("✗ durability: \(cause)"), "\(doctor.output)")
                #expect(!doctor.output.contains("✓ durability"), "\(doctor.output)")
                // The processes count as lost now, and run.
                let areSilent = try await system.eventually(
                    within: Self.patience, "select count(*) from tidings_ops.workers where state = 'lost'"
                ) { $0 == 3 }
                let status = try await Self.tidings("status", in: system, with: variables)
                #expect(areSilent && status.output.contains("✗ commits: \(cause)"), "\(status.output)")
                #expect(!status.output.contains("runs, the last one was lost"), "\(status.output)")

                _ = try await system.query("alter system reset synchronous_standby_names")
                _ = try await system.query("select pg_reload_conf()")
                try await Self.answers(200, naming: #""missing":[]"#, health, roles[0])
                try await Self.expect("✓ durability: ", of: "doctor", in: system, with: variables)
                try await Self.expect("✓ commits: ", of: "doctor", in: system, with: variables)
            }
        }

        // MARK: Asking

        private static func tidings(
            _ command: String, in system: TestSystem, with variables: [String: String] = [:]
        ) async throws -> TestProcess.Result {
            try await TestProcess([TestSystem.binary, command], environment: system.environment.merging(variables) { $1 }).finish()
        }

        /// Asks until a command says so.
        private static func expect(
            _ words: String, of command: String, in system: TestSystem, with variables: [String: String] = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            var last = ""
            let isTold = try await reached(within: patience) {
                last = try await tidings(command, in: system, with: variables).output
                return last.contains(words)
            }
            #expect(isTold, "\(words): \(last)", sourceLocation: sourceLocation)
        }

        private static func answers(
            _ status: Int, naming words: String, _ health: HealthClient, _ process: TestProcess,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            var last = ""
            let isTold = try await reached(within: patience) {
                let answer = try await health.ask("/health/ready")
                last = "\(answer.status) \(answer.text)"
                return answer.status == status && answer.text.contains(words)
            }
            #expect(isTold, "\(words): \(last) \(process.errorsSoFar.suffix(1_000))", sourceLocation: sourceLocation)
        }

        // MARK: Publishing

        /// Lets the releaser publish an event. A producer of its own would wait for the broker.
        private static func enqueue(_ key: String, in system: TestSystem) async throws {
            _ = try await system.query("select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => \(key))")
        }

        private static func arrives(_ key: String, in system: TestSystem) async throws {
            let hasArrived = try await system.eventually(
                within: patience, "select count(*) from tidings_ops.notifications where event_id = \(key)"
            ) { $0 == 1 }
            #expect(hasArrived)
        }
    }
}

extension [String] {
    fileprivate func asyncMap<Result>(_ body: (String) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
