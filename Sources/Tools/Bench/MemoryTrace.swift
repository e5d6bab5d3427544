import TidingsCommands
import TidingsServer
import TidingsStore

/// The memory of the roles over a run, and the number of intents that wait meanwhile.
struct MemoryTrace: Sendable {
    struct Moment: Sendable {
        let seconds: Double
        /// Intents that are confirmed and not decided yet.
        let waiting: Int
        /// Resident bytes, one number for each process of ``MemoryTrace/roles``.
        let resident: [Int]
    }

    let roles: [String]
    private(set) var moments: [Moment] = []

    /// The pause between two looks: short enough to see a bump of a second, long enough not to disturb the measurement.
    private static let interval = Duration.milliseconds(250)

    /// Records a moment at each interval, until `isOver` or until the task is cancelled.
    static func record(
        _ processes: [(role: String, processID: Int32)], on store: Store, since before: Totals, confirmed: @Sendable () -> Int,
        until isOver: @Sendable () -> Bool
    ) async -> MemoryTrace {
        var trace = MemoryTrace(roles: processes.map(\.role))
        let began = ContinuousClock.now
        while !isOver(), !Task.isCancelled {
            if let totals = try? await store.operations.totals() {
                let waiting = confirmed() - (totals.accepted - before.accepted)
                let resident = processes.map { ProcessUsage.memory(of: $0.processID)?.now ?? 0 }
                trace.moments.append(
                    Moment(seconds: (ContinuousClock.now - began) / .seconds(1), waiting: max(0, waiting), resident: resident))
            }
            // Time itself is awaited, until the next sample.
            try? await Task.sleep(for: interval)
        }
        return trace
    }
}
