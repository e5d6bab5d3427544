import Foundation
import PrivateServers
import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// Runs one schedule with its own servers and roles: load, the faults in the middle of it, then the audit.
struct ClusterRun {
    /// The source of all intents.
    private static let source = "cluster"
    /// The processes that a supervisor keeps up.
    private static let roles = ["router", "router", "deliver", "deliver", "release", "release"]

    let schedule: ClusterSchedule
    /// The least number of intents. A schedule that lasts longer has more.
    let intents: Int
    var perSecond = FaultLoad.perSecond

    /// Runs the schedule. Every server and process ends with this call, and every change of the machine is undone.
    func run() async throws -> ClusterReport {
        try await withFolder { folder in
            let servers = try await ClusterServers.start(for: schedule, in: folder)
            do {
                let report = try await run(on: servers, folder)
                try await servers.stop()
                return report
            } catch {
                try? await servers.stop()
                throw error
            }
        }
    }

    private func run(on servers: ClusterServers, _ folder: String) async throws -> ClusterReport {
        let system = try await TestSystem(databaseURL: servers.databases.databaseURL, amqpURL: servers.brokers.amqpURL)
        do {
            try await servers.grant()
            let receiver = try await Receiver.start(in: system, folder: folder)
            try await system.applyCatalogue(folder: folder)
            try await FaultLoad.prepare(system, receiver: receiver, like: FaultLoad.answersThatNeverFail)
            var variables = HealthClient.variables.merging(["TIDINGS_DATABASE_URL": servers.workerURL]) { $1 }
            if schedule.movesClocks { variables.merge(try await FakeClock(in: folder).variables()) { $1 } }
            let crew = Crew(system, with: variables)
            try await crew.start(Self.roles)
            try await servers.brokers.expectReplicas()
            let scene = ClusterScene(
                servers: servers, system: system, folder: folder, receiver: receiver, crew: crew,
                producer: try SteadyProducer(url: system.amqpURL, source: Self.source, perSecond: perSecond),
                observer: HealthObserver(
                    crew: crew, environment: system.environment.merging(["TIDINGS_DATABASE_URL": servers.operatorURL]) { $1 }))
            let report = try await run(in: scene)
            try await system.shutDown()
            return report
        } catch {
            try? await system.shutDown()
            throw error
        }
    }

    private func run(in scene: ClusterScene) async throws -> ClusterReport {
        let since = Date().formatted(.iso8601)
        async let production: Void = scene.producer.run()
        async let observation: Void = scene.observer.run()
        let healed: (ledger: [String], at: String)
        do {
            healed = try await disturb(scene)
            try await scene.confirmed(atLeast: intents)
        } catch {
            await scene.producer.stop()
            await scene.observer.stop()
            throw error
        }
        await scene.producer.stop()
        await production
        var report = ClusterReport(schedule: schedule)
        try await awaitEnd(scene)
        await scene.observer.stop()
        await observation
        try await measure(&report, healed, in: scene)
        if schedule.promise.loss == .namedByReconcile { try await reconcile(&report, since: since, in: scene) }
        report.audit = try await Conservation(system: scene.system, receiver: scene.receiver).audit(of: await scene.producer.ledger())
        for line in await scene.observer.lines { print(line) }
        report.firstNotGreen = await scene.observer.firstNotGreen
        report.fallen = await scene.crew.fallen
        report.judge()
        return report
    }

    /// Performs the steps after a third of the load. Returns the intents confirmed by the end of the faults, and the time of that end by the
    /// database's clock.
    private func disturb(_ scene: ClusterScene) async throws -> (ledger: [String], at: String) {
        try await scene.confirmed(atLeast: max(perSecond, intents / 3))
        try await scene.perform(schedule.preparation)
        await scene.observer.begin()
        try await scene.perform(schedule.steps)
        let ledger = await scene.producer.ledger()
        let answer = try await scene.system.query("select tidings.clock()::text")
        return (ledger, try answer.rows.first?.decode(String.self) ?? "")
    }

    /// Waits until no delivery is in progress and every intent is decided or certainly lost: then no queue holds a message.
    private func awaitEnd(_ scene: ClusterScene) async throws {
        let conservation = Conservation(system: scene.system, receiver: scene.receiver)
        let ledger = await scene.producer.ledger()
        let hasEnded = try await reached(within: schedule.promise.ended, every: .seconds(1)) {
            guard try await conservation.isIdle() else { return false }
            if try await conservation.missing(ledger).isEmpty { return true }
            guard schedule.promise.loss == .namedByReconcile else { return false }
            return try await scene.servers.messagesLeft() == 0
        }
        if !hasEnded {
            Issue.record("not everything ended in time: \(try await scene.system.tidings("status").output) \(await scene.crew.lastWords)")
        }
    }

    private func measure(_ report: inout ClusterReport, _ healed: (ledger: [String], at: String), in scene: ClusterScene) async throws {
        report.gap = .milliseconds(
            try await scene.system.count(
                """
                select coalesce(max(extract(epoch from following - accepted_at)) * 1000, 0)::bigint
                from (select accepted_at, lead(accepted_at) over (order by accepted_at) as following from tidings.notifications) decisions
                """))
        let confirms = await scene.producer.confirms()
        report.undecided = .milliseconds(
            try await scene.system.count(
                """
                select coalesce(max(extract(epoch from n.accepted_at) * 1000 - told.at), 0)::bigint
                from unnest(\(confirms.ids), \(confirms.at.map { Int($0.microseconds / 1_000) })) as told(id, at)
                join tidings.notifications n on n.event_id = told.id
                """))
        report.recovery = .milliseconds(
            try await scene.system.count(
                """
                select coalesce(greatest(0, extract(epoch from max(d.finished_at) - \(healed.at)::timestamptz) * 1000), 0)::bigint
                from tidings.notifications n join tidings_ops.deliveries d on d.notification_id = n.id
                where n.event_id = any(\(healed.ledger))
                """))
        report.urgent = try await latestUrgentCall(scene)
    }

    /// The longest time from the decision about an urgent webhook to its first call.
    private func latestUrgentCall(_ scene: ClusterScene) async throws -> Duration {
        let calls = try scene.receiver.acceptances()
        let rows = try await scene.system.query(
            """
            select replace(delivery_id, '/', '-'), (extract(epoch from created_at) * 1000)::bigint from tidings_ops.deliveries
            where channel = 'webhook' and category = 'transactional'
            """
        ).rows.map { try $0.decode((String, Int).self) }
        let waits = rows.compactMap { id, decided in calls[id]?.min().map { Int($0.microseconds / 1_000) - decided } }
        return .milliseconds(max(0, waits.max() ?? 0))
    }

    /// Asks for the intents that must be published again, publishes them, and waits until everything has ended.
    private func reconcile(_ report: inout ClusterReport, since: String, in scene: ClusterScene) async throws {
        let conservation = Conservation(system: scene.system, receiver: scene.receiver)
        let ledger = await scene.producer.ledger()
        let lost = try await conservation.missing(ledger)
        let file = "\(scene.folder)/ledger.txt"
        try ledger.map { $0 + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let answer = try await scene.system.tidings("reconcile", "--source", Self.source, "--since", since, file)
        let named = Set(answer.output.split(separator: "\n").map(String.init))
        report.lostBefore = lost.count
        report.named = lost.count { named.contains($0) }
        #expect(report.named == lost.count, "reconcile names \(named.count) ids: \(answer.exitCode) \(answer.errors)")
        try await SteadyProducer.publishAgain(Array(named), url: scene.system.amqpURL, source: Self.source)
        let isWhole = try await reached(within: schedule.promise.ended, every: .seconds(1)) {
            guard try await conservation.missing(ledger).isEmpty else { return false }
            return try await conservation.isIdle()
        }
        #expect(isWhole, "not everything ended after it was published again")
    }
}
