import Synchronization
import TidingsWire

/// Whether this process can do its work now: the database answered a moment ago, every link to the broker is up, and nobody asked it to stop.
final class Readiness: Sendable {
    /// The database is asked twice a second; this long without an answer is no accident.
    static let longestSilence = Duration.seconds(7)

    private struct State {
        var answeredAt: ContinuousClock.Instant?
        var links: [String: Bool] = [:]
        var isDraining = false
    }

    private let state = Mutex(State())

    func databaseAnswered() {
        let now = ContinuousClock.now
        state.withLock { $0.answeredAt = now }
    }

    func link(_ name: String, isUp: Bool) { state.withLock { $0.links[name] = isUp } }

    /// A link that was closed on purpose is no longer needed.
    func forget(link name: String) { state.withLock { _ = $0.links.removeValue(forKey: name) } }

    /// From now on nobody shall count on this process.
    func drain() { state.withLock { $0.isDraining = true } }

    var isDatabaseUp: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.answeredAt.map { now - $0 <= Self.longestSilence } ?? false }
    }

    /// What stands in the way, in words for an operator; empty when nothing does.
    var missing: [String] {
        let isDatabaseUp = isDatabaseUp
        return state.withLock { state in
            (state.isDraining ? ["draining: the process was asked to stop"] : []) + (isDatabaseUp ? [] : ["database"])
                + state.links.filter { !$0.value }.keys.sorted().map { "broker: \($0)" }
        }
    }

    /// What is missing, as the body of an answer.
    static func report(_ missing: [String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ready", missing.isEmpty)
        writer.key("missing")
        writer.beginArray()
        for thing in missing { writer.string(thing) }
        writer.endArray()
        writer.endObject()
        return writer.text + "\n"
    }
}
