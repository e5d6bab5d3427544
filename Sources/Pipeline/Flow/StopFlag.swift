import Synchronization

/// A flag raised once, at the stop. From then on the process leaves work that can wait to other processes.
public final class StopFlag: Sendable {
    private let raised = Atomic(false)

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { raised.store(true, ordering: .releasing) }
}
