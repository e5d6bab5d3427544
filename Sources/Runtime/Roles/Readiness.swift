import Synchronization
import TidingsJSON
package import TidingsPipeline
import TidingsPostgres
import TidingsStore

/// Whether this process can do its work now. The database answered a moment ago and is no old primary, every known link to the broker is up,
/// there is zone data, and no stop has begun. A consumer's link is known from its start, and a publisher's link from its first connection.
///
/// A server that answers may still take nothing. So readiness also looks at outcomes: at confirms, at commits, and at batches of intents.
package final class Readiness: Sendable {
    /// The longest time without an answer of the database. The database is asked twice a second, so a longer silence is no accident.
    static let longestSilence = Duration.seconds(7)
    /// The time for which a link may be blocked. An alarm that is raised and cleared at once stops nobody.
    static let longestBlock = Duration.seconds(3)

    /// The link that publishes packs and the events of `tidings_api.enqueue`.
    static let packLink = "publisher"
    /// The link that publishes the intents of the HTTP API.
    static let intentLink = "intents"
    /// The link that publishes signals. Every signal may be lost, so the link never makes the process unready.
    static let signalLink = "signals"

    private struct Block {
        var reason: String
        var since: ContinuousClock.Instant
    }

    private struct State {
        var answeredAt: ContinuousClock.Instant?
        /// The reason for which the last connection to the database was refused. Nil after a successful one.
        var connectFailure: String?
        var links: [String: Bool] = [:]
        var blocks: [String: Block] = [:]
        /// The number of consumers that need a link of the same name. A line that is replaced runs beside its successor for a while.
        var needs: [String: Int] = [:]
        /// Nil if there is zone data.
        var zoneProblem: String?
        /// Nil while the database is on the latest timeline.
        var timelineProblem: String?
        /// Nil in a process that verifies no tokens.
        var tokenKeys: (areInForce: Bool, areFailing: Bool)?
        var isDraining = false
    }

    private let state = Mutex(State())

    /// Says whether the process is stuck.
    package let liveness = Liveness()
    let commits = CommitWatch()
    /// Watches batches of intents from their beginning to their commit.
    let intake = WorkWatch()
    /// Watches packs, and events of `tidings_api.enqueue`, until they are confirmed.
    let packs = WorkWatch()
    /// Watches intents of the HTTP API until they are confirmed.
    package let intents = WorkWatch()

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
        commits.receive(event)
        switch event {
        case .connected: state.withLock { $0.connectFailure = nil }
        case .connectFailed(let error, _): state.withLock { $0.connectFailure = "\(error)" }
        // Another operation gets no answer while waiting commits have every session.
        case .looked: databaseAnswered()
        // The transaction of the present task begins anew. All its tries together may take longer than the patience for stuck work.
        case .transactionRetried: ProgressWork.current?.step()
        case .lost, .refused: break
        }
    }

    func link(_ name: String, isUp: Bool) { state.withLock { $0.links[name] = isUp } }

    /// The watch of the messages that a link carries.
    private func watch(of link: String) -> WorkWatch? {
        switch link {
        case Self.packLink: packs
        case Self.intentLink: intents
        default: nil
        }
    }

    /// - Parameter reason: the broker's own; nil at the end of the block.
    func block(link name: String, _ reason: String?, at now: ContinuousClock.Instant = .now) {
        let wasBlocked = state.withLock { state in
            defer { state.blocks[name] = reason.map { Block(reason: $0, since: state.blocks[name]?.since ?? now) } }
            return state.blocks[name] != nil
        }
        // Confirms of messages that an alarm held up are yet to come.
        if wasBlocked, reason == nil { watch(of: name)?.restart(at: now) }
    }

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

    /// Notes the state of the keys that verify the tokens of people.
    ///
    /// - Parameters:
    ///   - areInForce: whether tokens can be judged at all. Without keys in force the process is not ready.
    ///   - areFailing: whether the last look for newer keys has failed. While older keys are in force, this takes no process out.
    package func tokenKeys(areInForce: Bool, areFailing: Bool) { state.withLock { $0.tokenKeys = (areInForce, areFailing) } }

    /// Makes the process unready, because its stop has begun.
    func drain() { state.withLock { $0.isDraining = true } }

    var isDatabaseUp: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.answeredAt.map { now - $0 <= Self.longestSilence } ?? false }
    }

    /// The obstacles to readiness, in words for an operator; empty if there are none.
    var missing: [String] {
        let isDatabaseUp = isDatabaseUp
        return state.withLock { state -> [String] in
            var missing: [String] = []
            if state.isDraining { missing.append("draining: the process was asked to stop") }
            if !isDatabaseUp { missing.append("database") }
            if let problem = state.timelineProblem { missing.append("database: \(problem)") }
            missing += state.links.filter { !$0.value }.keys.sorted().map { "broker: \($0)" }
            if let problem = state.zoneProblem { missing.append("time zones: \(problem)") }
            if state.tokenKeys?.areInForce == false {
                missing.append("token keys: there are none that count, so no token of a person is judged")
            }
            return missing
        }
    }

    /// The work that stands still although every server takes work.
    func standstills(at now: ContinuousClock.Instant = .now) -> [ProgressWatch.Standstill] {
        let isDatabaseUp = isDatabaseUp
        let isKept = state.withLock { state in
            let hasProblem = state.timelineProblem != nil || state.zoneProblem != nil
            return state.isDraining || !isDatabaseUp || hasProblem || state.links.values.contains(false)
        }
        // Unfinished batches are no trouble of a server. They may be the work that stands still.
        let isRefused = obstacles(at: now).contains { $0.kind != .unfinished && $0.subject != Self.signalLink }
        return liveness.standstills(isTroubled: isKept || isRefused, at: now)
    }

    /// The keys of tokens, if they are in force and no newer ones can be read.
    private var staleKeys: [String] {
        let keys = state.withLock { $0.tokenKeys }
        return keys?.areInForce == true && keys?.areFailing == true
            ? ["token keys: the login service gives no usable ones; the last good ones stay for a day"] : []
    }

    /// Whether the process can do its work, and the reasons why not in words.
    ///
    /// - Parameter isForProxy: whether a proxy asks which process can serve people. All processes have the same servers, so an obstacle there
    ///   takes no process out: people still read their inbox, and a request that the servers do not take is answered by itself.
    func answer(isForProxy: Bool) -> (isReady: Bool, missing: [String]) {
        let missing = missing
        let obstacles = obstacles().filter { $0.subject != Self.signalLink }.map(\.words) + staleKeys
        return (missing.isEmpty && (isForProxy || obstacles.isEmpty), missing + obstacles)
    }

    /// The obstacles that lie in the servers: they answer, and do not take the work of this process.
    func obstacles(at now: ContinuousClock.Instant = .now) -> [WorkerObstacle] {
        let isDatabaseUp = isDatabaseUp
        let (links, blocks) = state.withLock { ($0.links, $0.blocks) }
        var found = blocks.sorted { $0.key < $1.key }.filter { now - $0.value.since >= Self.longestBlock }.map { name, block in
            WorkerObstacle(.blocked, subject: name, detail: block.reason, lasting: now - block.since)
        }
        for (name, watch) in [(Self.packLink, packs), (Self.intentLink, intents)] {
            // A link that is blocked or down says so itself.
            guard links[name] != false, blocks[name] == nil, let still = watch.standstill(at: now) else { continue }
            found.append(WorkerObstacle(still.isRefused ? .refused : .unconfirmed, subject: name, lasting: now - still.since))
        }
        // A database that answers nothing is missing as a whole.
        found += commits.obstacles(at: now).filter { isDatabaseUp || $0.kind != .commitsWait }
        if isDatabaseUp, let still = intake.standstill(at: now) {
            found.append(WorkerObstacle(.unfinished, lasting: now - still.since))
        }
        return found
    }

    /// The list of obstacles as the body of an answer.
    static func report(isReady: Bool, _ missing: [String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ready", isReady)
        writer.key("missing")
        writer.beginArray()
        for thing in missing { writer.string(thing) }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.text
    }
}
