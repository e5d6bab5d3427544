#if TIDINGS_FAULT_HOOKS
    import Glibc
#endif

/// A place at which a loop of a process may get stuck. Tests let it hang there, and ask whether `/health/live` tells.
package enum WedgePoint: String, Sendable, CaseIterable {
    /// A router holds a batch of intents.
    case route
    /// A worker is about to claim packs.
    case claim
    /// Outcomes wait for their commit.
    case settle
    /// A releaser begins a turn.
    case release
    /// A relay begins a turn.
    case relay
    /// The API is about to reserve the ids of requests.
    case reserve
    /// A process is about to record its heartbeat.
    case heartbeat
}

/// Hangs for a day if the variable `TIDINGS_FAULT_HANG` names the place. Compiled to nothing unless TIDINGS_FAULT_HOOKS is defined. Debug
/// builds, which the tests run, define it.
package func mayHang(_ point: WedgePoint) async {
    #if TIDINGS_FAULT_HOOKS
        guard WedgeOrder.ofThisProcess == point else { return }
        // Time itself is awaited. The cancellation of a stop ends it.
        try? await Task.sleep(for: .seconds(86_400))
    #endif
}

#if TIDINGS_FAULT_HOOKS
    private enum WedgeOrder {
        static let ofThisProcess = getenv("TIDINGS_FAULT_HANG").flatMap { WedgePoint(rawValue: String(cString: $0)) }
    }
#endif
