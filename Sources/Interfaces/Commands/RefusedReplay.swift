import ArgumentParser
import Synchronization
import TidingsClient
import TidingsServer
import TidingsStore
import UnixSignals

/// Publishes rows again at a given pace. Closes each row when the broker has confirmed its message.
struct RefusedReplay: Sendable {
    /// Messages a second without `--rate`. Routers take far more, so new intents do not wait behind old ones.
    static let standardRate = 100
    /// The highest `--rate`: each message costs one round trip to the broker and one to the database.
    static let highestRate = 1_000
    /// Chunks a second. The messages of a chunk are published together, then their rows are closed.
    /// An interrupt is noticed between two chunks.
    private static let chunksPerSecond = 10
    /// Bytes from which on a chunk takes no further message. The last message may exceed them.
    private static let chunkBytes = 4 << 20
    private static let betweenNotes = Duration.seconds(3)

    private let selection: RefusedSelection
    private let rate: Int
    private let store: Store
    private let producer: Producer
    private let interrupt = Interrupt()

    init(_ selection: RefusedSelection, rate: Int, in store: Store, _ settings: Settings) throws {
        self.selection = selection
        self.rate = rate
        self.store = store
        producer = try Producer(settings.amqpOfCommand, connectionName: "tidings replay")
    }

    /// Runs until all rows are done, an interrupt arrives, or the broker takes nothing.
    /// Prints the counts. Throws unless all rows were published.
    func run() async throws {
        var counts = RefusedCounts(selection)
        var failure: (any Error)?
        do {
            try await interrupt.watching {
                var pace = Pace(rate: rate, noting: Self.betweenNotes)
                try await selection.forEachPage(in: store) { rows in
                    for chunk in chunks(of: counts.publishable(rows)) {
                        guard !interrupt.arrived else { return false }
                        try await replay(chunk, &counts)
                        if pace.isNoteDue { Output.note("\(counts.done) published again so far") }
                        await pace.wait(after: chunk.count)
                    }
                    return !interrupt.arrived
                }
            }
        } catch {
            failure = error
        }
        await producer.close()
        if interrupt.arrived, failure == nil { failure = Failure(.bad, "interrupted: the other rows stay open") }
        try counts.finish("published again", stoppedBy: failure)
    }

    private func chunks(of rows: [RefusedRow]) -> [[RefusedRow]] {
        var chunks: [[RefusedRow]] = []
        var bytes = 0
        for row in rows {
            if let last = chunks.last, last.count < max(1, rate / Self.chunksPerSecond), bytes < Self.chunkBytes {
                chunks[chunks.count - 1].append(row)
            } else {
                chunks.append([row])
                bytes = 0
            }
            bytes += row.bytes
        }
        return chunks
    }

    private enum Answer: Sendable {
        case confirmed(KeptMessage)
        /// The row has changed since it was found.
        case changed(Int64)
        case returned(Int64, String)
        case failed(any Error)
    }

    /// Publishes the rows together. If a row fails, the confirmed rows are closed all the same; then the failure is thrown.
    private func replay(_ rows: [RefusedRow], _ counts: inout RefusedCounts) async throws {
        let (store, table, producer) = (store, selection.table, producer)
        let answers = await withTaskGroup(of: Answer.self) { group in
            for row in rows {
                // A task for each message; the group awaits all.
                group.addTask {
                    do {
                        guard let kept = try await store.refused.kept(row.id, in: table) else { return .changed(row.id) }
                        try await publishAgain(kept, with: producer)
                        return .confirmed(kept)
                    } catch let error as Returned {
                        return .returned(row.id, "the broker returned it: \(error.code) \(error.text)")
                    } catch {
                        return .failed(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var confirmed: [KeptMessage] = []
        var failure: (any Error)?
        for answer in answers {
            switch answer {
            case .confirmed(let kept): confirmed.append(kept)
            case .changed(let id): counts.note(id, "the row was closed or deleted meanwhile")
            case .returned(let id, let text): counts.note(id, text)
            case .failed(let error): failure = error
            }
        }
        counts.done += confirmed.count
        if !confirmed.isEmpty {
            let refused = confirmed.count - (try await store.refused.markReplayed(confirmed, in: selection.table)).count
            counts.done -= refused
            counts.stillOpen += refused
        }
        if let failure { throw failure }
    }
}

/// Catches SIGINT and SIGTERM as a flag, so that a command ends between two steps.
/// A second signal does not end the process either: a step takes a bounded time.
private final class Interrupt: Sendable {
    private let flag = Atomic(false)

    var arrived: Bool { flag.load(ordering: .relaxed) }

    /// Runs `body` while signals are caught.
    func watching(_ body: () async throws -> Void) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            // Runs until the body has ended; `cancelAll` below cancels it.
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { self.flag.store(true, ordering: .relaxed) }
            }
            try await body()
            group.cancelAll()
        }
    }
}

/// Keeps a number of messages a second, no matter how long each message takes.
private struct Pace {
    private let interval: Duration
    private let betweenNotes: Duration
    private var next = ContinuousClock.now
    private var noteDue: ContinuousClock.Instant

    init(rate: Int, noting: Duration) {
        interval = .seconds(1) / rate
        betweenNotes = noting
        noteDue = .now + noting
    }

    var isNoteDue: Bool {
        mutating get {
            guard ContinuousClock.now >= noteDue else { return false }
            noteDue = .now + betweenNotes
            return true
        }
    }

    /// Waits for the time of the next message. Messages after a slow stretch do not go faster to make up for it.
    mutating func wait(after count: Int) async {
        next = max(next + interval * count, .now)
        // Time itself is awaited. Nothing cancels the sleep: a signal is noticed after it, within a second at the slowest rate.
        try? await Task.sleep(until: next, clock: .continuous)
    }
}
