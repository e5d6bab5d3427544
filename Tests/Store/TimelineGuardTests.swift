import Synchronization
import Testing
import TidingsPostgres

@testable import TidingsStore

/// The sessions of a process and what it hears keep it away from an old primary.
@Suite struct TimelineGuardTests {
    /// A register in memory, whose answers a test may withhold.
    private final class ScriptedRegister: TimelineRegister {
        private struct State {
            var highest: UInt32 = 0
            var isAway = false
            var takesNotes = true
            var hasNotes = true
            var questions = 0
            var notes = 0
        }
        private let state = Mutex(State())

        var highest: UInt32 { state.withLock { $0.highest } }
        var questions: Int { state.withLock { $0.questions } }
        /// The attempts to note a timeline.
        var notes: Int { state.withLock { $0.notes } }
        func see(_ number: UInt32) { state.withLock { $0.highest = number } }
        func goAway(_ isAway: Bool = true) { state.withLock { $0.isAway = isAway } }
        func loseNotes() { state.withLock { ($0.highest, $0.hasNotes) = (0, false) } }
        func refuseNotes() { state.withLock { $0.takesNotes = false } }

        func answer(about timeline: PostgresTimeline) async -> TimelineAnswer {
            state.withLock { state in
                state.questions += 1
                return state.isAway ? .unknown : timeline.number < state.highest ? .old : .current
            }
        }

        func note(_ timeline: PostgresTimeline) async -> Bool {
            state.withLock { state in
                state.notes += 1
                guard state.takesNotes, !state.isAway else { return false }
                state.highest = max(state.highest, timeline.number)
                state.hasNotes = true
                return true
            }
        }

        func hasNotes(about system: UInt64) async -> Bool? { state.withLock { $0.isAway ? nil : $0.hasNotes } }
    }

    private final class EventLog: Sendable {
        private let events = Mutex<[TimelineGuard.Event]>([])
        var all: [TimelineGuard.Event] { events.withLock { $0 } }
        func add(_ event: TimelineGuard.Event) { events.withLock { $0.append(event) } }
    }

    private static func timeline(_ number: UInt32) -> PostgresTimeline { PostgresTimeline(system: 7, number: number) }

    private static func make() -> (TimelineGuard, ScriptedRegister, EventLog) {
        let (register, log) = (ScriptedRegister(), EventLog())
        return (TimelineGuard(register: register, log: log.add), register, log)
    }

    /// The supervisor starts a killed primary again, as the first host of the URL.
    @Test func aPromotionThatOneProcessSawKeepsEveryOtherOneAway() async throws {
        let (first, register, _) = Self.make()
        let second = TimelineGuard(register: register)
        _ = try await second.admit(Self.timeline(1))
        let promoted = try await first.admit(Self.timeline(2))
        await first.check()
        #expect(first.isAdmitted(promoted) && register.highest == 2)
        await #expect(throws: PostgresError.self) { try await second.admit(Self.timeline(1)) }
        let third = TimelineGuard(register: register)
        let refusal = await #expect(throws: PostgresError.self) { try await third.admit(Self.timeline(1)) }
        #expect(refusal?.isOldTimeline == true && refusal?.kind == .connectFailed, "\(String(describing: refusal))")
        #expect(third.problem?.contains("timeline 1") == true && third.current == nil)
    }

    /// A primary that was only frozen or cut off keeps its sessions.
    @Test func idleSessionsAreGivenUpWhenTheirTimelineIsOld() async throws {
        let (guarding, register, log) = Self.make()
        let ticket = try await guarding.admit(Self.timeline(1))
        await guarding.check()
        #expect(guarding.isAdmitted(ticket) && guarding.problem == nil)
        register.see(2)
        await guarding.check()
        await guarding.check()
        #expect(!guarding.isAdmitted(ticket) && guarding.problem != nil)
        #expect(log.all.count == 1, "one line for a phase: \(log.all)")
        let later = try await guarding.admit(Self.timeline(2))
        #expect(guarding.isAdmitted(later) && !guarding.isAdmitted(ticket) && guarding.problem == nil)
    }

    /// Behind a pooler, the server of the next statement may be another one than that of the last.
    @Test func aReadingOfAnOldPrimaryGivesUpEverySession() async throws {
        let (guarding, _, _) = Self.make()
        let ticket = try await guarding.admit(Self.timeline(2))
        #expect(guarding.isCurrent(2) && guarding.isAdmitted(ticket))
        await guarding.receive(Self.timeline(1))
        #expect(!guarding.isAdmitted(ticket) && guarding.problem != nil && guarding.current == Self.timeline(2))

        let again = try await guarding.admit(Self.timeline(2))
        #expect(!guarding.isCurrent(1), "a transaction on a timeline that was not judged must not commit")
        #expect(!guarding.isAdmitted(again))
        let last = try await guarding.admit(Self.timeline(2))
        #expect(!guarding.isCurrent(3) && !guarding.isAdmitted(last), "a promotion is judged and noted before it is used")
    }

    @Test func aMessageOfALaterTimelineLeadsToOneQuestion() async throws {
        let (guarding, register, _) = Self.make()
        let ticket = try await guarding.admit(Self.timeline(2))
        let before = register.questions
        for text in ["7/2", "7/1", "8/9", "nonsense", ""] { await guarding.heard(text) }
        #expect(register.questions == before, "no news")
        for _ in 0..<3 { await guarding.heard("7/3") }
        #expect(register.questions == before + 1 && guarding.isAdmitted(ticket), "a message from before an accepted restore")
        register.see(4)
        await guarding.heard("7/4")
        #expect(!guarding.isAdmitted(ticket))
    }

    /// Delivery and the API go on while the broker is away. A start needs the broker anyway.
    @Test func aRegisterThatIsAwayStopsOnlyANewProcess() async throws {
        let (guarding, register, log) = Self.make()
        register.goAway()
        let refusal = await #expect(throws: PostgresError.self) { try await guarding.admit(Self.timeline(2)) }
        #expect(refusal?.message.contains("the broker does not say") == true, "\(String(describing: refusal))")
        register.goAway(false)
        let ticket = try await guarding.admit(Self.timeline(2))
        await guarding.check()
        register.goAway()
        await guarding.check()
        _ = try await guarding.admit(Self.timeline(2))
        #expect(guarding.isAdmitted(ticket) && guarding.problem == nil)
        await #expect(throws: PostgresError.self) { try await guarding.admit(Self.timeline(1)) }

        let promoted = try await guarding.admit(Self.timeline(3))
        await guarding.check()
        #expect(guarding.isAdmitted(promoted) && register.highest == 2)
        #expect(!log.all.contains(.notNoted(Self.timeline(3))), "the log has the loss of the broker")
        register.goAway(false)
        await guarding.check()
        #expect(register.highest == 3, "noted as soon as the register is back")
    }

    @Test func notesAreTriedUntilTheyAreTaken() async throws {
        let (guarding, register, log) = Self.make()
        register.refuseNotes()
        _ = try await guarding.admit(Self.timeline(2))
        await guarding.check()
        #expect(log.all == [.notNoted(Self.timeline(2))] && register.highest == 0, "told once")
    }

    /// The exchange was deleted, or a new broker took the place of the old one.
    @Test func aRegisterThatLostItsNotesAdmitsNoOldPrimary() async throws {
        let (guarding, register, _) = Self.make()
        _ = try await guarding.admit(Self.timeline(5))
        await guarding.check()
        register.loseNotes()
        await #expect(throws: PostgresError.self) { try await guarding.admit(Self.timeline(3)) }
        await guarding.check()
        #expect(register.highest == 5, "noted again")
        register.loseNotes()
        await guarding.verifyNotes()
        await guarding.check()
        #expect(register.highest == 5)
    }

    /// A user without the right to bind is told once. The attempts get rarer.
    @Test func aRegisterThatRefusesNotesIsAskedLessOften() async throws {
        let (guarding, register, log) = Self.make()
        register.refuseNotes()
        _ = try await guarding.admit(Self.timeline(2))
        for _ in 0..<200 { await guarding.check() }
        #expect((5...10).contains(register.notes) && log.all == [.notNoted(Self.timeline(2))], "\(register.notes)")
    }

    @Test func anAcceptedRestoreIsUsedByRunningProcesses() async throws {
        let (guarding, register, _) = Self.make()
        let ticket = try await guarding.admit(Self.timeline(5))
        await guarding.check()
        await #expect(throws: PostgresError.self) { try await guarding.admit(Self.timeline(3)) }
        register.see(0)
        let restored = try await guarding.admit(Self.timeline(3))
        #expect(guarding.isAdmitted(restored) && guarding.problem == nil)
        await guarding.check()
        #expect(register.highest == 3, "the later timeline is not noted again")
        #expect(guarding.isAdmitted(ticket), "a session on it would be judged when it is opened")
    }

    @Test func aServerThatHidesItsTimelineIsUsedWithAWarning() async throws {
        let (guarding, _, log) = Self.make()
        for _ in 0..<2 {
            let ticket = try await guarding.admit(nil)
            #expect(guarding.isAdmitted(ticket))
        }
        #expect(log.all == [.unreadable] && guarding.isCurrent(1))
    }
}
