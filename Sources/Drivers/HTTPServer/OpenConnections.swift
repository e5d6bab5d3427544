import HTTPTypes
import Synchronization

/// The open connections of a server, counted together and by their groups.
final class OpenConnections: Sendable {
    /// A connection that is counted.
    struct Place: Sendable {
        /// Nil if the connection counts for no group.
        fileprivate let group: String?
    }

    enum Entry: Sendable {
        case admitted(Place)
        /// The connection is beyond a bound. It is answered with this status and closed.
        case refused(HTTPResponse.Status)
    }

    private struct State {
        var count = 0
        var byGroup: [String: Int] = [:]
    }

    private let limits: HTTPServerLimits
    private let group: @Sendable (String) -> String?
    private let admits: @Sendable (String) -> Bool
    private let state = Mutex(State())

    init(_ limits: HTTPServerLimits, group: @escaping @Sendable (String) -> String?, admits: @escaping @Sendable (String) -> Bool) {
        self.limits = limits
        self.group = group
        self.admits = admits
    }

    /// Counts a connection, unless it is beyond a bound.
    ///
    /// - Parameter address: the address of the client. Connections without a known address count as one group.
    func enter(_ address: String?) -> Entry {
        let group = group(address ?? "")
        return state.withLock { state in
            // Without spare connections the server stops accepting. It may accept a few too many before, and serves these.
            guard state.count < limits.connections || limits.spareConnections == 0 else { return .refused(.serviceUnavailable) }
            if let group {
                guard state.byGroup[group, default: 0] < limits.connectionsPerGroup, admits(group) else {
                    return .refused(.tooManyRequests)
                }
                state.byGroup[group, default: 0] += 1
            }
            state.count += 1
            return .admitted(Place(group: group))
        }
    }

    /// Called once for each admitted connection, when it is closed.
    func leave(_ place: Place) {
        state.withLock { state in
            state.count -= 1
            guard let group = place.group, let count = state.byGroup[group] else { return }
            state.byGroup[group] = count > 1 ? count - 1 : nil
        }
    }
}
