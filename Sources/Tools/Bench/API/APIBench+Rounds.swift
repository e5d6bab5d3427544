import Foundation
import NIOHTTP1
import PrivateServers
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsServer
import TidingsStore

/// The rounds of a measurement: one thing over HTTP, and the same below it.
extension APIBench {
    // MARK: Listings

    /// Lists inboxes by pgbench, and then over HTTP.
    func measureLists(of api: BenchAPI, _ turn: Int, _ report: inout APIBenchReport) async throws {
        let below = try await listByPgbench()
        let limit = Duration.seconds(plan.seconds)
        let tokens = (0..<people.count).map { api.token(for: people.recipient(of: $0)) }
        let end = ContinuousClock.now + limit
        let load = RequestLoad(connections: Self.listConnections, expecting: .ok) { _ in
            guard ContinuousClock.now < end, let token = tokens.randomElement() else { return nil }
            return BenchRequest(.GET, "/api/notifications?limit=\(Self.page)", credentials: token)
        }
        let outcome = try await load.run(to: api.server, within: limit + plan.timeout)
        report.others += outcome.others
        report.lists.append(APIBenchReport.Round(http: outcome.perSecond, below: below))
        Output.note("run \(turn) of \(plan.runs): \(Int(outcome.perSecond)) listings/s, pgbench \(Int(below))/s")
    }

    private func listByPgbench() async throws -> Double {
        guard let servers = system.servers else { throw Failure(.usage, "--api needs servers of its own") }
        // The recipients are those of ``BenchPeople/recipient(of:)``.
        let listing = Store.Inbox.listingScript(
            tenant: "'\(Intent.defaultTenant)'", recipient: "('person-\(people.name)-' || :n)", limit: Self.page)
        let script = "\\set n random(0, \(people.count - 1))\n" + listing
        let path = "\(servers.layout.home)/listing.sql"
        do {
            try script.write(toFile: path, atomically: true, encoding: .utf8)
            return try await servers.pgbench(script: path, sessions: Self.sessions, seconds: plan.seconds)
        } catch {
            throw Failure(.config, "pgbench: \(error)")
        }
    }

    // MARK: Doors

    /// Sends intents over AMQP and over HTTP, in turn, with the same number in work.
    func measureDoors(of api: BenchAPI, _ turn: Int, _ report: inout APIBenchReport, _ books: inout APIBenchBooks) async throws {
        let below = try await sendOverAMQP(&books)
        let load = load(plan.intents)
        let doors = RequestLoad(connections: Self.senders, expecting: .accepted) { number in
            guard number < load.intents else { return nil }
            return BenchRequest(
                .POST, "/v1/intents", credentials: api.key, contentType: "application/cloudevents+json", body: load.event(number).encoded)
        }
        let outcome = try await doors.run(to: api.server, within: plan.timeout)
        books.add(load, confirmed: outcome.answered)
        report.others += outcome.others
        report.doors.append(APIBenchReport.Round(http: outcome.perSecond, below: below))
        Output.note("run \(turn) of \(plan.runs): \(Int(outcome.perSecond)) intents/s over HTTP, \(Int(below))/s over AMQP")
    }

    /// Sends over as many channels as HTTP has connections. Each channel sends its next intent when the last one is confirmed. Returns the
    /// intents per second.
    private func sendOverAMQP(_ books: inout APIBenchBooks) async throws -> Double {
        let producers = try (0..<Self.senders).map { _ in try producer() }
        let (first, load) = (load(Self.senders), load(plan.intents))
        let (opened, ledger) = (BenchLedger(watching: .max) { _ in "" }, BenchLedger(watching: .max) { _ in "" })
        // A producer connects with its first intent, which is not measured.
        await Self.send(first, over: producers, ledger: opened)
        let began = ContinuousClock.now
        await Self.send(load, over: producers, ledger: ledger)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        for producer in producers { await producer.close() }
        if let error = opened.failure ?? ledger.failure { throw Failure(error) }
        books.add(first, opened)
        books.add(load, ledger)
        return Double(ledger.confirmed) / seconds
    }

    private static func send(_ load: BenchLoad, over producers: [Producer], ledger: BenchLedger) async {
        await withDiscardingTaskGroup { group in
            for (first, producer) in producers.enumerated() {
                // The share of one channel. The group awaits all.
                group.addTask {
                    for number in stride(from: first, to: load.intents, by: producers.count) where ledger.failure == nil {
                        let results = await producer.publish([load.event(number)])
                        ledger.note(number..<number + 1, results, dueAt: .now)
                    }
                }
            }
        }
    }
}
