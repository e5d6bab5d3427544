import Foundation
import Testing
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Every role as a real process, on a system for one test. The test acts on the roles from outside: through the broker, SQL and the command
/// line.
struct Pipeline: Sendable {
    let system: TestSystem
    /// The process of `tidings run all`.
    let roles: TestProcess
    private let publisher: AMQPPublisher

    /// The longest wait for the work of other processes, on an idle machine. Half a minute is a hundred times what the work takes. The
    /// functions that wait multiply it for the speed of this machine.
    static let patience = Duration.seconds(30)

    /// The option of `send --wait` that limits the wait.
    static let waitLimit = "--timeout=\(Patience.scaled(30))"

    fileprivate init(_ system: TestSystem, catalogue: String?, variables: [String: String]) async throws {
        self.system = system
        publisher = try AMQPPublisher.make(
            configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "tidings pipeline tests")
        if let catalogue { try await Self.apply(catalogue, to: system) }
        roles = try await Self.startRoles(of: system, with: variables)
    }

    /// Starts every role in one more process. Waits until it has declared the topology and registered itself.
    @discardableResult
    static func startRoles(of system: TestSystem, with variables: [String: String] = [:]) async throws -> TestProcess {
        let process = try system.start("run", "all", with: variables)
        let runs = try await system.eventually("select count(*) from tidings_ops.workers where pid = \(Int(process.processID))") { $0 == 1 }
        try #require(runs, "tidings run all did not start: \(process.errorsSoFar)")
        return process
    }

    /// Makes a catalogue file the active one, with options such as `--remove`.
    static func apply(_ catalogue: String, to system: TestSystem, _ options: String...) async throws {
        try await withFile(catalogue) { path in
            let result = try await TestProcess(
                [TestSystem.binary, "catalogue", "apply", path] + options, environment: system.environment
            ).finish()
            try #require(result.exitCode == 0, "\(result.errors)")
        }
    }

    fileprivate func close() async { await publisher.close() }
}

// MARK: - Producing

extension Pipeline {
    static let structured = "application/cloudevents+json"
    static let batch = "application/cloudevents-batch+json"

    /// Publishes the bytes as they are. Fails the test unless the broker confirms.
    func publish(
        _ body: [UInt8], contentType: String = Pipeline.structured, key: String = "transactional.orderUpdate",
        headers: [String: AMQPValue] = [:], exchange: String = QueueNames.intentsExchange
    ) async {
        let result = await publisher.publish([
            OutgoingMessage(
                exchange: exchange, routingKey: key, body: body, contentType: contentType, messageID: UUID().uuidString,
                headers: headers)
        ])
        #expect(result == [.confirmed])
    }

    func publish(_ event: String, contentType: String = Pipeline.structured, key: String = "transactional.orderUpdate") async {
        await publish(Array(event.utf8), contentType: contentType, key: key)
    }
}

/// A structured event. `data` holds further members besides recipient and title.
func event(id: String, type: String = "orderUpdate", to recipient: String, data: String = "", title: String = "A title") -> String {
    let members = [#""recipient":"\#(recipient)""#, #""title":"\#(title)""#, data].filter { !$0.isEmpty }.joined(separator: ",")
    return #"{"specversion":"1.0","id":"\#(id)","source":"/tests","type":"\#(type)","data":{\#(members)}}"#
}

// MARK: - Reading the results

/// The state of one channel of a notification.
struct Ended: Hashable, Sendable, CustomStringConvertible {
    let channel: String
    let state: String
    let reason: String

    init(_ channel: String, _ state: String, _ reason: String) {
        (self.channel, self.state, self.reason) = (channel, state, reason)
    }

    var description: String { "\(channel) \(state) \(reason)" }
}

extension Pipeline {
    /// The state of each channel of an event's notifications, sorted by channel.
    func deliveries(of eventID: String) async throws -> [Ended] {
        let result = try await system.query(
            """
            select d.channel, d.state, coalesce(d.reason_code, '') from tidings_ops.deliveries d
            join tidings_ops.notifications n using (notification_id) where n.idempotency_key = \(eventID) order by 1, 2, 3
            """)
        return try result.rows.map {
            let (channel, state, reason) = try $0.decode((String, String, String).self)
            return Ended(channel, state, reason)
        }
    }

    /// Waits until every notification of an event is done. Returns the end of each channel.
    func outcome(of eventID: String, within patience: Duration = Self.patience) async throws -> [Ended] {
        let done = try await system.eventually(
            within: patience, "select count(*) from tidings_ops.notifications where idempotency_key = \(eventID) and state = 'done'"
        ) { $0 > 0 }
        let deliveries = try await deliveries(of: eventID)
        try #require(done, "\(eventID) is not done: \(deliveries) \(roles.errorsSoFar)")
        return deliveries
    }

    /// Waits until a channel of an event is held.
    func held(_ eventID: String) async throws -> [Ended] {
        let waits = try await system.eventually(
            within: Self.patience,
            """
            select count(*) from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
            where n.idempotency_key = \(eventID) and d.state = 'held'
            """
        ) { $0 > 0 }
        let deliveries = try await deliveries(of: eventID)
        try #require(waits, "\(eventID) is not held: \(deliveries) \(roles.errorsSoFar)")
        return deliveries
    }

    func notificationID(of eventID: String) async throws -> String {
        let result = try await system.query(
            "select notification_id::text from tidings_ops.notifications where idempotency_key = \(eventID)")
        return try #require(result.rows.first).decode(String.self)
    }

    /// The number of intents that routers have taken so far. Each recipient counts once, with any result.
    func taken() async throws -> Int {
        try await system.count(Self.takenQuery)
    }

    static let takenQuery: SQL = """
        select coalesce(sum(n), 0)::bigint from
            (select kind, n from tidings.tally union all select kind, n from tidings.tally_totals) t where kind = 'taken'
        """

    /// Moves the business clock forward for every process of this system.
    func shiftClock(by interval: String) async throws {
        _ = try await system.query("update tidings.clock_offset set shift = shift + \(interval)::text::interval")
    }

    /// Checks that no delivery is lost or in two places, and that the process of the roles still runs.
    func expectSound() async throws {
        #expect(roles.isRunning, "the roles died: \(roles.errorsSoFar)")
        #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
        let audit = try await system.tidings("db", "verify")
        #expect(audit.exitCode == 0, "\(audit.output)\(audit.errors)")
    }

    /// The standard output of a command that must succeed, as JSON.
    func json(_ arguments: String...) async throws -> JSON {
        let environment = system.environment
        let result = try await TestProcess([TestSystem.binary] + arguments + ["-o", "json"], environment: environment).finish()
        try #require(result.exitCode == 0, "\(arguments): \(result.errors)")
        return try JSON.parse(result.output)
    }
}

/// Runs `body` with every role, and ends everything afterwards. At most ``Turnstile/width`` systems work at once.
func withPipeline<Result: Sendable>(
    catalogue: String? = nil, variables: [String: String] = [:], _ body: (Pipeline) async throws -> Result
) async throws -> Result {
    try await withPipeline(variables: variables, preparing: { _ in catalogue }, body)
}

/// Runs `body` with every role and a catalogue that depends on the system, for example on other processes started for it.
func withPipeline<Result: Sendable>(
    variables: [String: String] = [:], preparing: (TestSystem) async throws -> String?, _ body: (Pipeline) async throws -> Result
) async throws -> Result {
    try await withOwnSystem { system in
        let pipeline = try await Pipeline(system, catalogue: try await preparing(system), variables: variables)
        do {
            let result = try await body(pipeline)
            await pipeline.close()
            return result
        } catch {
            await pipeline.close()
            throw error
        }
    }
}

/// Runs `body` with a system without roles, for tests that need only the servers. The database is made before the system takes its place,
/// and dropped after the system has left it: PostgreSQL works then, and the system does not.
func withOwnSystem<Result: Sendable>(_ body: (TestSystem) async throws -> Result) async throws -> Result {
    try await withTestSystem { system in
        try await Turnstile.shared.enter()
        do {
            let result = try await body(system)
            await system.endProcesses()
            await Turnstile.shared.leave()
            return result
        } catch {
            await system.endProcesses()
            await Turnstile.shared.leave()
            throw error
        }
    }
}

/// Runs `wait` without a place among the systems that run at once, and then takes a place again. For the wait for a lease, a pause of a
/// circuit breaker or a rate: the system's processes have nothing to do meanwhile, and another system may run.
func withoutPlace<Result: Sendable>(_ wait: () async throws -> Result) async throws -> Result {
    await Turnstile.shared.leave()
    do {
        let result = try await wait()
        try await Turnstile.shared.enter()
        return result
    } catch {
        try await Turnstile.shared.enter()
        throw error
    }
}

/// Limits the systems that work at once. A test must not time out because thirty others start their processes in the same second.
private actor Turnstile {
    static let shared = Turnstile()
    /// Two systems keep two cores busy while a third starts or waits.
    static let width = 3

    private var inside = 0
    private var line: [CheckedContinuation<Void, Never>] = []

    func enter() async throws {
        if inside < Self.width {
            inside += 1
        } else {
            await withCheckedContinuation { line.append($0) }
        }
    }

    func leave() {
        if line.isEmpty { inside -= 1 } else { line.removeFirst().resume() }
    }
}

// MARK: - Files and waiting

/// Runs `body` with the path of a file that holds this text.
func withFile<Result: Sendable>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-\(UUID().uuidString).yaml")
    try text.write(to: url, atomically: true, encoding: .utf8)
    do {
        let result = try await body(url.path)
        try FileManager.default.removeItem(at: url)
        return result
    } catch {
        try? FileManager.default.removeItem(at: url)
        throw error
    }
}

/// Polls until the condition holds. For states of another process that send no signal, such as its answers over HTTP. A line that a process
/// prints is a signal: ``TestProcess/says(_:within:)``.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + Pipeline.patience.patient
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(50))
    }
    return false
}
