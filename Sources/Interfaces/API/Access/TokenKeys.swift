import Logging
import Synchronization
import TidingsJWT
import TidingsPipeline
import TidingsServer
import TidingsWaiting
import TidingsWeb

/// The public keys that verify the tokens of people, from a file or an address.
///
/// The last good set stays in force if a newer one cannot be read or has no usable key, but no longer than ``longestAge``. Without a set in
/// force, no token is judged: the process is not ready, and its answer to a token is 503.
final class TokenKeys: Sendable {
    /// A set of keys. Its number grows with every change of the set.
    struct Numbered: Sendable {
        let keys: JSONWebKeySet
        let number: Int
    }

    /// Between two regular looks for new keys.
    static let interval = Duration.seconds(300)
    /// Between two looks while the last look has failed.
    static let retryInterval = Duration.seconds(10)
    /// The shortest time between two looks because of an unknown key, and the time for which a key that such a look did not find is known to
    /// be none. Anybody can send a token with an unknown key.
    static let shortestInterval = Duration.seconds(5)
    /// The time for which such a key is known to be none while the next look is under way. A login service is slow while a crowd asks it for
    /// new tokens, and the crowd must not wait for it.
    static let longestAbsence = Duration.seconds(30)
    /// The time for which a set stays in force without a look that confirms it. A person who keeps the login service away must not keep a
    /// withdrawn key alive.
    static let longestAge = Duration.seconds(24 * 3_600)
    /// Requests that wait for a look because their token has an unknown key.
    static let mostWaiting = 1_000

    private struct Look {
        let task: Task<Void, Never>
        /// Set when the task ends, for callers that may be cancelled meanwhile.
        let end: OneShot<Void>
    }

    private struct State {
        var set: Numbered?
        var bytes: [UInt8] = []
        /// The end of the last look that found a usable set.
        var confirmedAt: ContinuousClock.Instant?
        /// The end of the last look for an unknown key.
        var soughtAt: ContinuousClock.Instant?
        /// The ids of the keys that this look did not find.
        var missing: Set<String> = []
        /// Looks that have begun.
        var begun = 0
        /// The number of the last look that has ended.
        var ended = 0
        var isFailing = false
        var reminder = Reminder()
        /// The look under way. Callers wait for its end.
        var look: Look?
        var waiting = 0
        /// The ids of the keys for which requests wait, each with the number of these requests.
        var sought: [String: Int] = [:]

        /// Whether a look has just shown that there is no such key. The first caller after that begins another look and waits for it. The
        /// other callers get what the last look found.
        func isMissing(_ id: String, at now: ContinuousClock.Instant) -> Bool {
            let longest = look == nil ? TokenKeys.shortestInterval : TokenKeys.longestAbsence
            guard let soughtAt, now - soughtAt < longest else { return false }
            return missing.contains(id)
        }

        func inForce(at now: ContinuousClock.Instant) -> Numbered? {
            guard let confirmedAt, now - confirmedAt < TokenKeys.longestAge else { return nil }
            return set
        }
    }

    private let source: TokenKeySource
    private let readiness: Readiness
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// There are no keys until the first ``look()``.
    ///
    /// - Parameters:
    ///   - now: the clock that measures ``longestAge`` and ``shortestInterval``.
    ///   - sleep: waits for a time of this clock. It throws if the task is cancelled.
    init(
        _ source: TokenKeySource, readiness: Readiness, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.source = source
        self.readiness = readiness
        self.logger = logger
        self.now = now
        self.sleep = sleep
    }

    /// The set in force. Nil if there is none.
    var current: Numbered? {
        let now = now()
        return state.withLock { $0.inForce(at: now) }
    }

    /// Whether the set in force has a key.
    ///
    /// - Parameter thumbprint: ``JSONWebKey/thumbprint``.
    func has(_ thumbprint: [UInt8]) -> Bool { current?.keys.keys.contains { $0.thumbprint == thumbprint } ?? false }

    /// The number of looks that have begun. A token that comes now was signed before the next one.
    var looksBegun: Int { state.withLock { $0.begun } }

    /// Looks for new keys from time to time, until the task is cancelled. A look under way is cancelled then, so that a login service that
    /// hangs does not delay the stop of the API. A request that waits for this look begins another one.
    func run() async {
        while !Task.isCancelled {
            let pause = state.withLock { $0.isFailing } ? Self.retryInterval : Self.interval
            // Time itself is awaited. Cancelled when the API stops.
            try? await sleep(pause)
            guard !Task.isCancelled else { return }
            let look = begin()
            await withTaskCancellationHandler {
                await look.task.value
            } onCancel: {
                look.task.cancel()
            }
        }
    }

    /// Waits for another set than the one in which a key was missing. Returns nil if a look that began after `looks` found none, or if the
    /// last look for this key found none a moment ago. After the withdrawal of a key, a crowd of its tokens waits for nothing.
    ///
    /// Throws a problem if too many requests wait already, or if that look failed: nobody knows then whether the key is a new one.
    ///
    /// - Parameters:
    ///   - number: the number of the set.
    ///   - id: the id of the key. Empty for a token that names none.
    ///   - looks: ``looksBegun`` when the token came.
    func newer(than number: Int, with id: String, after looks: Int) async throws -> Numbered? {
        let now = now()
        let isAdmitted = state.withLock { state -> Bool? in
            if state.set?.number == number, state.isMissing(id, at: now) { return nil }
            guard state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            state.sought[id, default: 0] += 1
            return true
        }
        guard let isAdmitted else { return nil }
        guard isAdmitted else {
            throw Problem.unavailable("Too many tokens have a key that is not known yet.", retryAfter: Self.shortestInterval)
        }
        defer { leave(id) }
        while !Task.isCancelled {
            switch step(than: number, after: looks) {
            case .done(let set): return set
            case .failed: throw Self.unreadable
            // A request that is cut off leaves the look to others. The stop of the API must not wait for the look.
            case .look: _ = await begin().end.valueUnlessCancelled()
            // Time itself is awaited: the source is not asked again sooner.
            case .wait(let pause): try await sleep(pause)
            }
        }
        throw CancellationError()
    }

    private func leave(_ id: String) {
        state.withLock { state in
            state.waiting -= 1
            let others = (state.sought[id] ?? 1) - 1
            state.sought[id] = others > 0 ? others : nil
        }
    }

    /// The answer to a token that cannot be judged. An app keeps its token and asks again.
    static let unreadable = Problem.unavailable(
        "The keys that verify tokens cannot be read at the moment.", retryAfter: TokenKeys.retryInterval)

    private enum Step {
        case done(Numbered?)
        case failed
        case look
        case wait(Duration)
    }

    private func step(than number: Int, after looks: Int) -> Step {
        let now = now()
        return state.withLock { state in
            if let set = state.inForce(at: now), set.number != number { return .done(set) }
            if state.ended > looks { return state.isFailing ? .failed : .done(nil) }
            guard state.look == nil, let soughtAt = state.soughtAt else { return .look }
            let pause = Self.shortestInterval - (now - soughtAt)
            return pause > .zero ? .wait(pause) : .look
        }
    }

    /// Looks at the source, or waits for the end of the look under way.
    func look() async { await begin().task.value }

    /// Begins a look, or returns the look under way.
    private func begin() -> Look {
        state.withLock { state -> Look in
            if let look = state.look { return look }
            state.begun += 1
            let (number, sought, end) = (state.begun, Set(state.sought.keys), OneShot<Void>())
            // One look for many callers, each of whom awaits it.
            let task = Task {
                await self.read(number, seeking: sought)
                end.set(())
            }
            let look = Look(task: task, end: end)
            state.look = look
            return look
        }
    }

    /// - Parameter sought: the ids of the keys that were missing when the look began.
    private func read(_ number: Int, seeking sought: Set<String>) async {
        let found: Result<[UInt8], any Error>
        do { found = .success(try await source.read()) } catch { found = .failure(error) }
        if case .failure = found, Task.isCancelled {
            // The look says nothing about the keys: a token that waits for it must not be refused.
            state.withLock { $0.look = nil }
            return
        }
        let now = now()
        let (areInForce, areFailing) = state.withLock { state -> (Bool, Bool) in
            (state.look, state.ended) = (nil, number)
            if !sought.isEmpty { (state.soughtAt, state.missing) = (now, []) }
            do {
                try putInForce(found.get(), at: now, &state)
                state.missing = sought.filter { id in state.set?.keys.has(id) != true }
                (state.isFailing, state.reminder) = (false, Reminder())
            } catch {
                state.isFailing = true
                if state.reminder.isDue() {
                    logger.error(
                        "the token keys cannot be read; the last good ones stay for a day",
                        metadata: ["error": "\(error)", "keys": "\(state.inForce(at: now)?.keys.keys.count ?? 0)"])
                }
            }
            return (state.inForce(at: now) != nil, state.isFailing)
        }
        readiness.tokenKeys(areInForce: areInForce, areFailing: areFailing)
    }

    /// Puts a set in force. Throws if it has no usable key.
    private func putInForce(_ bytes: [UInt8], at now: ContinuousClock.Instant, _ state: inout State) throws {
        if state.set == nil || bytes != state.bytes {
            let keys = try JSONWebKeySet(bytes)
            for refusal in keys.refused { logger.warning("a token key is not used", metadata: ["reason": "\(refusal)"]) }
            // An empty set would refuse everybody. It is a mistake far more often than an intention.
            guard !keys.keys.isEmpty else { throw TokenKeysUnreadable(reason: "the set has no usable key") }
            state.set = Numbered(keys: keys, number: (state.set?.number ?? 0) + 1)
            state.bytes = bytes
            logger.notice("the token keys are read", metadata: ["keys": "\(keys.keys.count)"])
        }
        state.confirmedAt = now
    }
}
