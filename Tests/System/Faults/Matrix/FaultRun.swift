import Foundation
import PrivateServers
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Runs one row with its own servers and roles: load, the fault and its end in the middle of the load, then the audit.
struct FaultRun {
    let row: FaultRow
    let intents: Int

    /// Runs the row. The system ends with this call.
    func run() async throws -> FaultReport {
        if let lacking = await row.lacks() { return FaultReport(row: row, lacking: lacking) }
        return try await withPrivateServers(disk: row.hasDisk) { servers, folder in
            switch row.broker {
            case .alone where row.isDatabaseBehindProxy:
                let (url, proxy) = try Self.proxied(servers.databaseURL)
                defer { proxy.close() }
                return try await run(servers, folder, amqpURL: servers.amqpURL, proxy: proxy, databaseURL: url)
            case .alone: return try await run(servers, folder, amqpURL: servers.amqpURL)
            case .behindProxy:
                let (url, proxy) = try Self.proxied(servers.amqpURL)
                defer { proxy.close() }
                return try await run(servers, folder, amqpURL: url, proxy: proxy)
            case .cluster:
                let cluster = try await PrivateCluster.start(home: "\(folder)/cluster")
                do {
                    let report = try await run(servers, folder, amqpURL: cluster.amqpURL, cluster: cluster)
                    try await cluster.stop()
                    return report
                } catch {
                    try? await cluster.stop()
                    throw error
                }
            }
        }
    }

    /// A proxy in front of a server, and the server's URL through the proxy.
    private static func proxied(_ url: String) throws -> (url: String, FaultProxy) {
        guard var address = URLComponents(string: url), let port = address.port else {
            throw TestSystemError(message: "a server's address has no port")
        }
        let proxy = try FaultProxy(to: port)
        address.port = proxy.port
        return (address.string ?? "", proxy)
    }

    /// - Parameter databaseURL: the URL for the roles. Nil for the servers' own URL.
    private func run(
        _ servers: PrivateServers, _ folder: String, amqpURL: String, proxy: FaultProxy? = nil, cluster: PrivateCluster? = nil,
        databaseURL: String? = nil
    ) async throws -> FaultReport {
        let system = try await TestSystem(databaseURL: servers.databaseURL, amqpURL: amqpURL)
        do {
            let receiver = try await Receiver.start(in: system, folder: folder)
            try await system.applyCatalogue(folder: folder, attempts: row.attempts)
            try await FaultLoad.prepare(system, receiver: receiver, like: row.answers)
            let variables = try await row.variables(folder)
            let crew = Crew(system, with: variables.merging(databaseURL.map { ["TIDINGS_DATABASE_URL": $0] } ?? [:]) { $1 })
            try await crew.start(row.crew)
            let producer = try SteadyProducer(url: amqpURL, source: "row", shape: row.load)
            let report = try await run(
                in: FaultScene(
                    servers: servers, system: system, folder: folder, receiver: receiver, answers: row.answers, crew: crew,
                    producer: producer,
                    proxy: proxy, cluster: cluster))
            try await system.shutDown()
            return report
        } catch {
            try? await system.shutDown()
            throw error
        }
    }

    private func run(in scene: FaultScene) async throws -> FaultReport {
        let canceller = Canceller(scene.system)
        async let production: Void = scene.producer.run()
        async let cancelling: Void = canceller.run(if: row.cancels)
        let healed: (ledger: [String], at: String)
        do {
            healed = try await disturb(scene)
            try await scene.confirmed(atLeast: intents)
        } catch {
            await scene.producer.stop()
            await canceller.stop()
            throw error
        }
        await scene.producer.stop()
        await production
        await canceller.stop()
        await cancelling
        if row.hurries { try await hurry(scene) }

        let ledger = await scene.producer.ledger()
        let audit = try await Conservation(system: scene.system, receiver: scene.receiver)
            .expectEnd(of: ledger, within: row.recovery, promises: await canceller.promises)
        try await row.check(scene)
        let recovery = try await recovery(of: healed, in: scene)
        var report = FaultReport(row: row, audit: audit, recovery: recovery)
        if let limit = row.isInOrder { report.bar.expect(recovery <= limit, "all was in order after \(recovery), the bar is \(limit)") }
        #expect(report.beyondTheWindow == 0, "more was sent again than the fault explains")
        #expect(await scene.crew.fallen.isEmpty, "a role ended by itself")
        return report
    }

    /// Injects the fault after a third of the load, and repairs it. Returns the intents confirmed by then, and the time of the repair by
    /// the database's clock.
    private func disturb(_ scene: FaultScene) async throws -> (ledger: [String], at: String) {
        try await scene.confirmed(atLeast: max(FaultLoad.perSecond, intents / 3))
        try await row.inject(scene)
        try await row.heal(scene)
        let ledger = await scene.producer.ledger()
        let answer = try await scene.system.query("select tidings.clock()::text")
        return (ledger, try answer.rows.first?.decode(String.self) ?? "")
    }

    /// The time from the end of the fault until every intent confirmed by then had ended: decided, sent, and retried if the first attempt
    /// failed.
    private func recovery(of healed: (ledger: [String], at: String), in scene: FaultScene) async throws -> Duration {
        let milliseconds = try await scene.system.count(
            """
            select greatest(0, extract(epoch from max(d.finished_at) - \(healed.at)::timestamptz) * 1000)::bigint
            from tidings.notifications n join tidings_ops.deliveries d on d.notification_id = n.id
            where n.event_id = any(\(healed.ledger))
            """)
        return .milliseconds(milliseconds)
    }

    /// Lets calls in flight finish, then moves the virtual clock forward by a minute.
    private func hurry(_ scene: FaultScene) async throws {
        try await scene.holds(.seconds(2))
        try await scene.system.passAMinute()
    }
}
