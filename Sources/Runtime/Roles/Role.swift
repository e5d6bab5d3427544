package import TidingsCore

/// A part of the pipeline that scales out by itself. Several may share a process.
package enum Role: Sendable, Hashable {
    /// Takes intents, decides, writes.
    case router
    /// Delivers on these channels.
    case deliver(Set<Channel>)
    /// Releases waiting deliveries and does the chores.
    case release

    /// Everything in one process.
    package static let all: [Role] = [.router, .deliver(Set(Channel.allCases)), .release]

    /// The role's name in `tidings_ops.workers.role`.
    var name: String {
        switch self {
        case .router: "router"
        case .deliver: "deliver"
        case .release: "release"
        }
    }
}
