import ArgumentParser
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsStore
import TidingsWire

/// Publishes intents as fast as the broker confirms, while the roles work, and waits until each has ended.
struct BenchCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Publish many intents while the roles run, and measure until every delivery has ended.",
        discussion: """
            Works on the servers that are configured, with their catalogue and whatever roles run: nothing is special about these intents.
            Each goes to a recipient of its own, so nothing is cached. deploy/bench does all of it, beside the floor program.
            """)

    @Option(help: "How many.") var intents = 50_000
    @Option(help: "Of which type.") var type = "orderUpdate"
    @Option(help: "Intents confirmed together.") var window = 1_000
    @Option(help: "Seconds to wait for the end.") var timeout = 600
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        guard (1...10_000_000).contains(intents) else { throw ValidationError("--intents is from 1 to 10000000") }
        guard (1...10_000).contains(window) else { throw ValidationError("--window is from 1 to 10000") }
    }

    mutating func run(in context: CommandContext) async throws {
        let (intents, type, window, timeout, format) = (intents, type, window, timeout, output.format)
        try await withStore { store, settings in
            guard let known = try await CatalogueSource(store).current.catalogue.types[type] else {
                throw Failure(.data, "the catalogue has no type \(type)")
            }
            let before = try await store.totals()
            let run = RandomIdentifier.make()
            let started = ContinuousClock.now
            let client = TidingsClient(settings.amqp, connectionName: "tidings bench")
            let confirmed = await publish(intents, of: known, run: run, window: window, client: client)
            let published = ContinuousClock.now - started
            await client.close()
            let deadline = ContinuousClock.now + .seconds(timeout)
            var now = try await store.totals()
            while now.accepted - before.accepted < confirmed || now.planned > now.ended {
                guard ContinuousClock.now < deadline else { throw Failure(.timedOut, "not everything ended within \(timeout) s") }
                try await Task.sleep(for: .milliseconds(20))
                now = try await store.totals()
            }
            let wall = (ContinuousClock.now - started) / .seconds(1)
            let report: JSON = [
                "intents": .number(JSONNumber(Int64(intents))), "confirmed": .number(JSONNumber(Int64(confirmed))),
                "lost": .number(JSONNumber(Int64(max(0, confirmed - (now.accepted - before.accepted))))),
                "deliveries": .number(JSONNumber(Int64(now.ended - before.ended))),
                "intentsPerSecond": .number(JSONNumber(Int64(Double(confirmed) / wall))),
                "publishSeconds": .string(Self.seconds(published / .seconds(1))), "wallSeconds": .string(Self.seconds(wall)),
                "unaccounted": .number(JSONNumber(Int64(try await store.unaccounted().count))),
            ]
            Output.one(report, as: format)
        }
    }

    private func publish(
        _ count: Int, of type: NotificationType, run: String, window: Int, client: TidingsClient
    ) async -> Int {
        var confirmed = 0
        // Two windows under way, so that the next is being sent while the last is being confirmed.
        await withTaskGroup(of: Int.self) { group in
            for (turn, start) in stride(from: 0, to: count, by: window).enumerated() {
                if turn >= 2 { confirmed += await group.next() ?? 0 }
                let range = start..<min(start + window, count)
                group.addTask {
                    await client.publish(range.map { Self.event($0, of: type, run: run) }).count { $0 == .confirmed }
                }
            }
            for await some in group { confirmed += some }
        }
        return confirmed
    }

    private static func event(_ number: Int, of type: NotificationType, run: String) -> IntentEvent {
        IntentEvent(
            source: "/bench/\(run)", id: "\(number)", type: type.name, category: type.category, recipients: ["user-\(run)-\(number)"],
            title: "Your order shipped", body: "Order \(number) is on its way and arrives tomorrow between 9 and 12.",
            data: #"{"orderId":"\#(number)","carrier":"post"}"#)
    }

    private static func seconds(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
