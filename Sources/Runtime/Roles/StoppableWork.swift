/// Work without an end of its own. Its pieces run together until ``stop()`` or until the caller is cancelled.
///
/// A stop that comes before the start counts: the work is cancelled as soon as it has begun.
struct StoppableWork: Sendable {
    private let stops: AsyncStream<Void>
    private let stopping: AsyncStream<Void>.Continuation

    init() {
        (stops, stopping) = AsyncStream.makeStream()
    }

    /// Returns when every piece of work has returned. Each piece must return when its task is cancelled.
    func run(_ work: [@Sendable () async -> Void]) async {
        await withDiscardingTaskGroup { group in
            // A task for each piece, until the stop; the group cancels and awaits all.
            for piece in work { group.addTask { await piece() } }
            // Ends at the stop, and when the caller is cancelled.
            for await _ in stops {}
            group.cancelAll()
        }
    }

    func stop() {
        stopping.finish()
    }
}
