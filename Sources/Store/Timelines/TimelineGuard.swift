import Synchronization
public import TidingsPostgres

/// Keeps the stores of a process away from an old primary: a server on a timeline that another server has left behind.
///
/// Each new session is judged before its first use, by the register. An idle session is judged again before it is lent, by what the process
/// knows. Behind a pooler, a session says little about the server of the next statement. So readings are judged too (``receive(_:)``), and so is
/// the timeline of each intake (``isCurrent(_:)``).
public final class TimelineGuard: SessionAdmission {
    /// News of a guard, for the log.
    public enum Event: Sendable, Hashable {
        /// A server is refused. Told once as long as the refusals follow each other within ``phaseGap``.
        case refused(reason: String)
        /// This user may not read the timeline, so an old primary would not be recognised. Told once.
        case unreadable
        /// The register did not take a timeline, so other processes do not learn of it. Told once, until the register takes one.
        case notNoted(PostgresTimeline)
    }

    /// Refusals that follow each other within this time are one phase. While callers wait, a refused session is tried again every few seconds.
    package static let phaseGap = Duration.seconds(60)
    /// The most checks between two attempts to note a timeline, if the register refuses the note.
    package static let longestNotePause = 60

    private struct State {
        var memory = TimelineMemory()
        /// Sessions of an earlier round are used no more.
        var round = 0
        /// The timeline of the latest admission.
        var current: PostgresTimeline?
        /// The reason of the latest refusal. Nil from the next admission on.
        var problem: String?
        var refusedAt: ContinuousClock.Instant?
        var isUnreadable = false
        var isNotNoted = false
        /// The attempts in a row to note the timeline that failed, and the checks to let pass before the next attempt.
        var (noteFailures, checksUntilNote) = (0, 0)
        /// The highest timeline of a message about which the register was asked.
        var heard: PostgresTimeline?
    }

    private let register: any TimelineRegister
    private let log: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// - Parameter log: called on any thread; it must not block.
    public init(register: any TimelineRegister, log: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.register = register
        self.log = log
    }

    /// The timeline of the latest admission. Nil if none was readable.
    public var current: PostgresTimeline? { state.withLock { $0.current } }

    /// Why this process does not use the database. Nil while it does.
    public var problem: String? { state.withLock { $0.problem } }

    // MARK: Sessions

    public func admit(_ timeline: PostgresTimeline?) async throws(PostgresError) -> SessionTicket {
        let round = state.withLock { $0.round }
        guard let timeline else {
            if state.withLock({ once(&$0.isUnreadable) }) { log(.unreadable) }
            return SessionTicket(timeline: nil, round: round)
        }
        if let reason = await refusal(of: timeline) { throw .oldTimeline(reason) }
        return SessionTicket(timeline: timeline, round: round)
    }

    public func isAdmitted(_ ticket: SessionTicket) -> Bool {
        state.withLock { state in
            ticket.round == state.round && ticket.timeline.map { state.memory.isAdmitted($0) } ?? true
        }
    }

    // MARK: Later looks

    /// Asks the register again about the timeline in use. If it is old now, all sessions are given up. Otherwise notes it, if the register
    /// does not have it yet. Returns whether the register answered.
    @discardableResult
    public func check() async -> Bool {
        guard let timeline = current else { return false }
        let answer = await register.answer(about: timeline)
        let (refused, mustNote) = state.withLock { state -> (String?, Bool) in
            // A session has been admitted meanwhile, on another timeline.
            guard state.current == timeline else { return (nil, false) }
            guard state.memory.isOld(timeline, answer) else {
                guard answer == .current else { return (nil, false) }
                state.problem = nil
                return (nil, state.memory.mustNote(timeline) && mayNote(&state))
            }
            state.round += 1
            let reason = TimelineMemory.Refusal.passed.words(about: timeline)
            return (refuse(&state, because: reason) ? reason : nil, false)
        }
        if let refused { log(.refused(reason: refused)) }
        if mustNote { await note(timeline) }
        return answer != .unknown
    }

    /// Asks whether the register still has its notes. The next check notes the timeline again if it does not.
    public func verifyNotes() async {
        guard let system = current?.system, await register.hasNotes(about: system) == false else { return }
        state.withLock { $0.memory.lostNotes(about: system) }
    }

    /// Judges a reading of the timeline through any session. If it is refused, all sessions are given up.
    public func receive(_ reading: PostgresTimeline) async {
        if await refusal(of: reading) != nil { state.withLock { $0.round += 1 } }
    }

    /// Whether a transaction runs on the timeline of the latest admission. If not, a pooler has changed the server, and all sessions are given
    /// up, so that the next one is judged. True if no timeline was readable.
    func isCurrent(_ number: UInt32) -> Bool {
        state.withLock { state in
            guard let current = state.current, current.number != number else { return true }
            state.round += 1
            return false
        }
    }

    /// Takes the timeline that another process has written into a message. If it is a later one, asks the register before this returns.
    public func heard(_ text: String) async {
        guard let heard = PostgresTimeline(text) else { return }
        let isNews = state.withLock { state in
            guard let current = state.current, heard.system == current.system, heard.number > current.number else { return false }
            return heard != state.heard
        }
        // The text is old news after the answer only: another message with it must not overtake the question.
        if isNews, await check() { state.withLock { $0.heard = heard } }
    }

    // MARK: The register

    /// Asks the register. Returns why the timeline is refused, or nil.
    private func refusal(of timeline: PostgresTimeline) async -> String? {
        var answer = await register.answer(about: timeline)
        var wasNoted = true
        // Another session may have noted a later timeline while the question was on its way. The second answer knows of it.
        if answer == .current, state.withLock({ $0.memory.isBelow(timeline) }) {
            wasNoted = state.withLock { $0.memory.isNoted(in: timeline.system) }
            switch await register.hasNotes(about: timeline.system) {
            case true?: answer = await register.answer(about: timeline)
            case false?:
                state.withLock { $0.memory.lostNotes(about: timeline.system) }
                answer = .unknown
            case nil: answer = .unknown
            }
        }
        let (refused, isNews) = state.withLock { state -> (String?, Bool) in
            switch state.memory.judge(timeline, answer, wasNoted: wasNoted) {
            case .refused(let refusal):
                let reason = refusal.words(about: timeline)
                return (reason, refuse(&state, because: reason))
            case .admitted:
                (state.problem, state.current) = (nil, timeline)
                return (nil, false)
            }
        }
        if let refused, isNews { log(.refused(reason: refused)) }
        return refused
    }

    /// Notes a timeline, outside of the admission of a session: the broker may take long.
    private func note(_ timeline: PostgresTimeline) async {
        let isNoted = await register.note(timeline)
        let isNews = state.withLock { state in
            guard isNoted else {
                state.noteFailures += 1
                state.checksUntilNote = min(1 << min(state.noteFailures, 6), Self.longestNotePause)
                return once(&state.isNotNoted)
            }
            state.memory.noted(timeline)
            (state.noteFailures, state.isNotNoted) = (0, false)
            return false
        }
        if isNews { log(.notNoted(timeline)) }
    }

    /// Counts a check towards the next attempt to note the timeline. Returns whether it is due.
    private func mayNote(_ state: inout State) -> Bool {
        guard state.checksUntilNote > 0 else { return true }
        state.checksUntilNote -= 1
        return false
    }

    /// Returns whether the refusal begins a phase.
    private func refuse(_ state: inout State, because reason: String) -> Bool {
        let now = ContinuousClock.now
        defer { (state.problem, state.refusedAt) = (reason, now) }
        return state.refusedAt.map { now - $0 > Self.phaseGap } ?? true
    }

    /// Sets a flag. Returns whether it was not set before.
    private func once(_ flag: inout Bool) -> Bool {
        defer { flag = true }
        return !flag
    }
}

extension TimelineMemory.Refusal {
    fileprivate func words(about timeline: PostgresTimeline) -> String {
        switch self {
        case .passed: "the server is on timeline \(timeline.number), and another process has seen a later one: an old primary"
        case .below(let number): "the server is on timeline \(timeline.number), and this process has seen \(number): an old primary"
        case .unverified: "the broker does not say whether timeline \(timeline.number) of the server is the latest"
        }
    }
}
