import Synchronization
import TidingsJSON
import TidingsPostgres

/// Whether this process can do its work now. The database answered a moment ago and is no old primary, every known link to the broker is up,
/// there is zone data, and no stop has begun. A consumer's link is known from its start, and a publisher's link from its first connection.
package final class Readiness: Sendable {
    /// The longest time without an answer of the database. The database is asked twice a second, so a longer silence is no accident.
    static let longestSilence = Duration.seconds(7)

    private struct State {
        var answeredAt: ContinuousClock.Instant?
        /// The reason for which the last connection to the database was refused. Nil after a successful one.
        var connectFailure: String?
        var links: [String: Bool] = [:]
        /// The number of consumers that need a link of the same name. A line that is replaced runs beside its successor for a while.
        var needs: [String: Int] = [:]
        /// Nil if there is zone data.
        var zoneProblem: String?
        /// Nil while the database is on the latest timeline.
        var timelineProblem: String?
        var isDraining = false
    }

    private let state = Mutex(State())

    func databaseAnswered() {
        let now = ContinuousClock.now
        state.withLock { $0.answeredAt = now }
    }

    /// The last answer of the database, and the reason for which the last connection was refused.
    var database: (answeredAt: ContinuousClock.Instant?, connectFailure: String?) {
        state.withLock { ($0.answeredAt, $0.connectFailure) }
    }

    /// Records an event of a pool of connections to the database.
    func record(_ event: PostgresPoolEvent) {
        switch event {
        case .connected: state.withLock { $0.connectFailure = nil }
        case .connectFailed(let error, _): state.withLock { $0.connectFailure = "\(error)" }
        case .lost, .transactionRetried: break
        }
    }

    func link(_ name: String, isUp: Bool) { state.withLock { $0.links[name] = isUp } }

    /// Notes that a link is needed from now on and is not up yet.
    func need(link name: String) {
        state.withLock { state in
            state.needs[name, default: 0] += 1
            state.links[name] = false
        }
    }

    /// Notes that a link was closed on purpose and is no longer needed. Returns true if nothing else needs a link of this name.
    @discardableResult
    func forget(link name: String) -> Bool {
        state.withLock { state in
            let others = max(0, state.needs[name, default: 1] - 1)
            state.needs[name] = others == 0 ? nil : others
            if others == 0 { state.links[name] = nil }
            return others == 0
        }
    }

    /// - Parameter problem: nil if there is zone data.
    func zoneData(problem: String?) { state.withLock { $0.zoneProblem = problem } }

    /// - Parameter problem: nil while the database is on the latest timeline.
    /// - Returns: Whether there was a problem before and is none now, or the other way round.
    func timeline(problem: String?) -> Bool {
        state.withLock { state in
            defer { state.timelineProblem = problem }
            return (state.timelineProblem == nil) != (problem == nil)
        }
    }

    /// Makes the process unready, because its stop has begun.
    func drain() { state.withLock { $0.isDraining = true } }

    var isDatabaseUp: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.answeredAt.map { now - $0 <= Self.longestSilence } ?? false }
    }

    /// The obstacles to readiness, in words for an operator; empty if there are none.
    var missing: [String] {
        let isDatabaseUp = isDatabaseUp
        return state.withLock { state in
            (state.isDraining ? ["draining: the process was asked to stop"] : []) + (isDatabaseUp ? [] : ["database"])
                + (state.timelineProblem.map { ["database: \($0)"] } ?? [])
                + state.links.filter { !$0.value }.keys.sorted().map { "broker: \($0)" }
                + (state.zoneProblem.map { ["time zones: \($0)"] } ?? [])
        }
    }

    /// The list of obstacles as the body of an answer.
    static func report(_ missing: [String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ready", missing.isEmpty)
        writer.key("missing")
        writer.beginArray()
        for thing in missing { writer.string(thing) }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.text
    }
}
