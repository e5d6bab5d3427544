import TidingsCommands
import TidingsServer
import TidingsStore

/// What the roles hold in memory over a run, and how much waits meanwhile.
struct MemoryTrace: Sendable {
    struct Moment: Sendable {
        let seconds: Double
        /// Intents that were confirmed and are not decided yet.
        let waiting: Int
        /// Bytes resident, a process of `roles` each.
        let resident: [Int]
    }

    let roles: [String]
    private(set) var moments: [Moment] = []

    /// Often enough to see a bump of a second, seldom enough not to be seen itself.
    private static let interval = Duration.milliseconds(250)

    /// Looks until `isOver`.
    static func record(
        _ processes: [(role: String, processID: Int32)], on store: Store, since before: Totals, confirmed: @Sendable () -> Int,
        until isOver: @Sendable () -> Bool
    ) async -> MemoryTrace {
        var trace = MemoryTrace(roles: processes.map(\.role))
        let began = ContinuousClock.now
        while !isOver() {
            if let totals = try? await store.totals() {
                let waiting = confirmed() - (totals.accepted - before.accepted)
                let resident = processes.map { ProcessUsage.memory(of: $0.processID)?.now ?? 0 }
                trace.moments.append(
                    Moment(seconds: (ContinuousClock.now - began) / .seconds(1), waiting: max(0, waiting), resident: resident))
            }
            try? await Task.sleep(for: interval)
        }
        return trace
    }
}
