import Histogram
import TidingsCommands
import TidingsJSON
import TidingsServer

/// The figures of one run.
struct BenchFigures {
    let intents: Int
    /// Intents of this run that the broker confirmed, and all intents that the roles had to handle, with the backlog.
    var confirmed = 0
    var handled = 0
    var deliveries = 0
    /// Seconds until the broker had confirmed all intents.
    /// The time begins with the first publish, or with the start of the roles if everything was published before.
    var publishSeconds = 0.0
    /// Seconds from the same beginning until every delivery had ended.
    var wallSeconds = 0.0
    /// Seconds of user and system time.
    var roleSeconds = 0.0
    var producerSeconds = 0.0
    /// Nil if the servers may run anywhere.
    var brokerSeconds: Double?
    var databaseSeconds: Double?
    /// Microseconds from the producer's confirm until the inbox showed the intent.
    var waits = VisibilityPoll.noWaits
    /// Resident bytes of each role: the peak during the run, and the value at its end.
    var memory: [(role: String, peak: Int, now: Int)] = []
    /// Resident bytes from moment to moment.
    var trace = MemoryTrace(roles: [])
    /// Deliveries on the requested channels that ended neither `sent` nor `delivered`; 0 if the type chose the channels.
    var unreached = 0
    var lost = 0
    var duplicated = 0
    var unaccounted = 0

    init(intents: Int) { self.intents = intents }

    var intentsPerSecond: Double { Double(handled) / wallSeconds }
    var deliveriesPerSecond: Double { Double(deliveries) / wallSeconds }
    func microsPerIntent(_ seconds: Double) -> Double { seconds * 1e6 / Double(max(1, handled)) }
}

/// All runs of a benchmark together: medians of the figures, and sums of the numbers that must be zero.
struct BenchReport {
    let runs: [BenchFigures]
    /// Intents a second of each floor program, run by run.
    let floors: [(name: String, rates: [Double])]

    private func median(_ value: (BenchFigures) -> Double) -> Double { Self.median(runs.map(value)) }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The report as JSON. New versions only add members.
    var json: JSON {
        func sum(_ count: KeyPath<BenchFigures, Int>) -> JSON { Self.number(runs.map { $0[keyPath: count] }.reduce(0, +)) }
        func micros(_ seconds: KeyPath<BenchFigures, Double>) -> JSON {
            Self.number(median { $0.microsPerIntent($0[keyPath: seconds]) }, digits: 1)
        }
        return [
            "intents": Self.number(runs.first?.intents ?? 0), "runs": Self.number(runs.count),
            "intentsPerSecond": Self.number(median(\.intentsPerSecond), digits: 0),
            "deliveriesPerSecond": Self.number(median(\.deliveriesPerSecond), digits: 0),
            "floorRatio": floorRatios.first.map { Self.number($0.ratio, digits: 3) } ?? .null,
            "floors": .array(floorRatios.map(\.json)),
            "cpuMicrosPerIntent": micros(\.roleSeconds), "producerCpuMicrosPerIntent": micros(\.producerSeconds),
            "brokerCpuMicrosPerIntent": serverMicros(\.brokerSeconds), "databaseCpuMicrosPerIntent": serverMicros(\.databaseSeconds),
            "latencyMilliseconds": latency, "memoryMegabytes": memory,
            "publishSeconds": Self.number(median(\.publishSeconds), digits: 2),
            "wallSeconds": Self.number(median(\.wallSeconds), digits: 2),
            "confirmed": sum(\.confirmed), "lost": sum(\.lost), "duplicated": sum(\.duplicated),
            "unreached": sum(\.unreached),
            "unaccounted": Self.number(runs.last?.unaccounted ?? 0),
            "intentsPerSecondOfRuns": .array(runs.map { Self.number($0.intentsPerSecond, digits: 0) }),
        ]
    }

    /// Whether nothing was lost, doubled or left open, and every person was reached.
    var isSound: Bool { runs.allSatisfy { $0.lost == 0 && $0.duplicated == 0 && $0.unreached == 0 && $0.unaccounted == 0 } }

    private struct FloorRatio {
        let name: String
        let median: Double
        let ratio: Double
        let rates: [Double]

        var json: JSON {
            [
                "program": .string(name), "intentsPerSecond": BenchReport.number(median, digits: 0),
                "ratio": BenchReport.number(ratio, digits: 3),
                "intentsPerSecondOfRuns": .array(rates.map { BenchReport.number($0, digits: 0) }),
            ]
        }
    }

    private var floorRatios: [FloorRatio] {
        floors.map { floor in
            let rate = Self.median(floor.rates)
            return FloorRatio(name: floor.name, median: rate, ratio: median(\.intentsPerSecond) / rate, rates: floor.rates)
        }
    }

    private func serverMicros(_ seconds: KeyPath<BenchFigures, Double?>) -> JSON {
        guard runs.allSatisfy({ $0[keyPath: seconds] != nil }) else { return .null }
        return Self.number(median { $0.microsPerIntent($0[keyPath: seconds] ?? 0) }, digits: 1)
    }

    /// The waits of all runs together.
    private var latency: JSON {
        var all = VisibilityPoll.noWaits
        for run in runs { all.add(run.waits) }
        return Self.milliseconds(all)
    }

    /// Percentiles of waits. Null if there are none.
    static func milliseconds(_ waits: VisibilityPoll.Waits) -> JSON {
        guard waits.totalCount > 0 else { return .null }
        func milliseconds(_ microseconds: UInt64) -> JSON { number(Double(microseconds) / 1_000, digits: 2) }
        return [
            "p50": milliseconds(waits.valueAtPercentile(50)), "p99": milliseconds(waits.valueAtPercentile(99)),
            "p99.9": milliseconds(waits.valueAtPercentile(99.9)), "max": milliseconds(waits.max),
            "samples": number(Int(waits.totalCount)),
        ]
    }

    /// The largest values of all runs, for each process.
    private var memory: JSON {
        let roles = (runs.first?.memory ?? []).indices.map { position in
            let same = runs.compactMap { position < $0.memory.count ? $0.memory[position] : nil }
            func megabytes(_ bytes: Int) -> JSON { Self.number(Double(bytes) / 1_048_576, digits: 1) }
            return [
                "role": .string(same[0].role), "peak": megabytes(same.map(\.peak).max() ?? 0), "now": megabytes(same.map(\.now).max() ?? 0),
            ] as JSON
        }
        return .array(roles)
    }

    static func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }

    static func number(_ value: Double, digits: Int) -> JSON {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = (value * scale).rounded() / scale
        guard rounded.isFinite, digits > 0 else { return rounded.isFinite ? number(Int(rounded)) : .null }
        return JSONNumber(rounded).map { .number($0) } ?? .null
    }
}
