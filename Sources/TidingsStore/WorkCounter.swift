import Synchronization

/// What one process has handled since it started, for its heartbeat.
public final class WorkCounter: Sendable {
    private let count = Atomic<Int>(0)

    public init() {}

    public func add(_ handled: Int) { count.add(handled, ordering: .relaxed) }

    public var handled: Int { count.load(ordering: .relaxed) }
}
