import NIOHTTP1
import PrivateServers
import TidingsAMQP
import TidingsClient
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// A measurement of the API on servers of its own: event streams, listings, and intents over HTTP. Listings and intents are compared with
/// the same work below the API, in the same run.
struct APIBench {
    /// The sizes of the measurement.
    struct Plan: Sendable {
        /// Event streams, each of a person of its own. All other figures are about the same people.
        let streams: Int
        /// Notifications in the inboxes of these people before the measurement.
        let stored: Int
        /// Notifications a second while the streams are open.
        let perSecond: Int
        /// Notifications while the streams are open, and intents over each of the two doors.
        let intents: Int
        /// Rounds of listings and of intents. Their figures are medians.
        let runs: Int
        /// Seconds of a round of listings.
        let seconds: Int
        let bodyBytes: Int?
        let timeout: Duration
    }

    let system: BenchSystem
    let type: NotificationType
    let plan: Plan
    let people: BenchPeople

    /// The connections of listings, and the sessions of pgbench: those of one process of the API.
    static let (listConnections, sessions) = (16, 8)
    /// Intents in work over each door.
    static let senders = 64
    /// Items of a listing: those of a page for which the app names no number.
    static let page = 20
    /// Intents in one message while inboxes are filled, which nobody measures.
    private static let fillBatch = 100
    /// The time in which a change whose signal was lost is told, and some more.
    private static let healing = Duration.seconds(60)
    /// The pause between two looks at the streams.
    private static let look = Duration.milliseconds(20)

    init(on system: BenchSystem, type: NotificationType, plan: Plan) {
        self.system = system
        self.type = type
        self.plan = plan
        people = BenchPeople(name: RandomIdentifier.make(), count: plan.streams)
    }

    func run() async throws -> APIBenchReport {
        var report = APIBenchReport(plan: plan)
        var books = try await APIBenchBooks(system.store)
        var programs = try await system.startRoles(.one)
        do {
            try await fill(&books)
            let api = try await BenchAPI.start(on: system, streams: plan.streams)
            programs.append(api.program)
            try await measureStreams(of: api, &report, &books)
            for turn in 1...plan.runs { try await measureLists(of: api, turn, &report) }
            // The doors alone are compared: the roles would take from both.
            await system.stop([programs.removeFirst()])
            for turn in 1...plan.runs { try await measureDoors(of: api, turn, &report, &books) }
            await system.stop([programs.removeFirst()])
            programs = try await system.startRoles(.one)
            _ = try await system.waitForTheEnd(of: books.confirmed, since: books.before, within: plan.timeout)
            (report.lost, report.duplicated) = try await books.audit(system.store)
            report.confirmed = books.confirmed
            report.unaccounted = try await system.store.operations.unaccounted().count
        } catch {
            await system.stop(programs)
            throw error
        }
        await system.stop(programs)
        return report
    }

    func load(_ intents: Int, perMessage: Int = 1) -> BenchLoad {
        BenchLoad(
            run: RandomIdentifier.make(), type: type, channels: [.inApp], bodyBytes: plan.bodyBytes, eventsPerMessage: perMessage,
            intents: intents, people: people)
    }

    func producer() throws -> Producer { try Producer(system.settings.amqpOfCommand, connectionName: "tidings bench") }

    // MARK: Streams

    private func fill(_ books: inout APIBenchBooks) async throws {
        guard plan.stored > 0 else { return }
        Output.note("storing \(plan.stored) notifications")
        let load = load(plan.stored, perMessage: Self.fillBatch)
        let ledger = BenchLedger(watching: .max) { _ in "" }
        let producer = try producer()
        await load.publishAll(with: producer, ledger: ledger)
        await producer.close()
        if let error = ledger.failure { throw Failure(error) }
        books.add(load, ledger)
        _ = try await system.waitForTheEnd(of: books.confirmed, since: books.before, within: plan.timeout)
    }

    private func measureStreams(of api: BenchAPI, _ report: inout APIBenchReport, _ books: inout APIBenchBooks) async throws {
        let recipients = (0..<plan.streams).map { people.recipient(of: $0) }
        let requests = recipients.map { BenchRequest(.GET, "/api/notifications/stream", credentials: api.token(for: $0)) }
        let before = ProcessUsage.memory(of: api.program.processID)?.now ?? 0
        let began = ContinuousClock.now
        let streams = try await EventStreams.open(requests, to: api.server, within: plan.timeout)
        report.firstEventSeconds = (ContinuousClock.now - began) / .seconds(1)
        Output.note("\(plan.streams) streams are open after \(Int(report.firstEventSeconds * 1_000)) ms")
        do {
            let load = load(plan.intents)
            let ledger = BenchLedger(watching: 1) { load.recipient(of: $0) }
            let producer = try producer()
            await load.publish(perSecond: plan.perSecond, with: producer, ledger: ledger)
            await producer.close()
            if let error = ledger.failure { throw Failure(error) }
            books.add(load, ledger)
            try await waitUntilTold(ledger.confirmed, by: streams)
            let memory = ProcessUsage.memory(of: api.program.processID)
            report.bytesPerStream = Double((memory?.now ?? 0) - before) / Double(plan.streams)
            report.peakBytes = memory?.peak ?? 0
            report.streams = streams.outcome(of: Self.confirms(ledger, of: recipients))
        } catch {
            await streams.close()
            throw error
        }
        await streams.close()
    }

    /// Waits until events have named this number of items, or until the looks of the API would have told of all of them.
    private func waitUntilTold(_ count: Int, by streams: EventStreams) async throws {
        let deadline = ContinuousClock.now + Self.healing
        while streams.told < count, ContinuousClock.now < deadline {
            // Poll: an event notes its moment and wakes nobody, so that it does not disturb the measurement.
            try await Task.sleep(for: Self.look)
        }
    }

    /// The moments of the confirms for each recipient, in their order.
    private static func confirms(_ ledger: BenchLedger, of recipients: [String]) -> [[ContinuousClock.Instant]] {
        var moments: [String: [ContinuousClock.Instant]] = [:]
        for watched in ledger.dequeueWatched() { moments[watched.recipient, default: []].append(watched.since) }
        return recipients.map { moments[$0] ?? [] }
    }
}
