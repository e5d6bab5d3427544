package import TidingsCore

/// A part of the pipeline that scales out by itself. Several may share a process.
package enum Role: Sendable, Hashable {
    /// Takes intents, decides, writes.
    case router
    /// Delivers on these channels.
    case deliver(Set<Channel>)
    /// Brings back what waits, and keeps the house.
    case release

    /// Everything in one process.
    package static let all: [Role] = [.router, .deliver(Set(Channel.allCases)), .release]

    /// As `tidings_ops.workers.role` spells it.
    var name: String {
        switch self {
        case .router: "router"
        case .deliver: "deliver"
        case .release: "release"
        }
    }
}
