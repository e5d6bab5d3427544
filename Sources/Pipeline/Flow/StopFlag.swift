import Synchronization

/// Raised once, when work that can wait is to be left to others.
public final class StopFlag: Sendable {
    private let raised = Atomic(false)

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { raised.store(true, ordering: .releasing) }
}
