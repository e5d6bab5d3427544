import Logging
import TidingsAMQP
import TidingsStore

/// Evens out the connections of all processes on the nodes of the broker: tells the others how many this process has, and learns theirs.
///
/// Without the database nothing is learned, and no connection moves because of the others.
struct ConnectionSpread {
    /// The time between two exchanges, as between two heartbeats.
    static let interval = RolesService.heartbeatInterval

    private let runtime: Runtime
    private let worker: WorkerIdentity

    init(_ runtime: Runtime, of worker: WorkerIdentity) { (self.runtime, self.worker) = (runtime, worker) }

    /// Runs until the task is cancelled. Ends at once for a broker of one node.
    func run() async {
        guard runtime.amqp.nodes.count > 1 else { return }
        while !Task.isCancelled {
            do {
                let others = try await runtime.store.upkeep.share(brokerConnections: runtime.amqp.connections, of: worker)
                runtime.amqp.note(connections: others.byNode, ofOthers: others.processes)
            } catch {
                runtime.amqp.note(connections: [:], ofOthers: 0)
                runtime.logger.debug("the connections of other processes cannot be read", metadata: ["error": "\(error)"])
            }
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: Self.interval)
        }
    }
}
