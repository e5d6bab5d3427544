import Testing
import TidingsPostgres

@testable import TidingsStore

/// The judgement of a timeline by what a process knows and by the register's answer.
@Suite struct TimelineMemoryTests {
    private static func timeline(_ number: UInt32, of system: UInt64 = 7) -> PostgresTimeline {
        PostgresTimeline(system: system, number: number)
    }

    /// A memory that has admitted a timeline, and has noted it or not.
    private static func memory(of number: UInt32, isNoted: Bool = true) -> TimelineMemory {
        var memory = TimelineMemory()
        _ = memory.judge(timeline(number), .current)
        if isNoted { memory.noted(timeline(number)) }
        return memory
    }

    /// A process that has just started knows nothing, so only the register can tell an old primary from a new one.
    @Test func aProcessWithoutMemoryDependsOnTheRegister() {
        for (answer, verdict) in [
            (TimelineAnswer.current, TimelineMemory.Verdict.admitted), (.old, .refused(.passed)), (.unknown, .refused(.unverified)),
        ] {
            var memory = TimelineMemory()
            #expect(memory.judge(Self.timeline(3), answer) == verdict, "\(answer)")
        }
    }

    @Test func anOldPrimaryIsRefusedWhateverTheBrokerDoes() {
        for (answer, refusal) in [(TimelineAnswer.old, TimelineMemory.Refusal.passed), (.unknown, .below(3))] {
            var memory = Self.memory(of: 3)
            #expect(memory.judge(Self.timeline(2), answer) == .refused(refusal), "\(answer)")
            #expect(!memory.isAdmitted(Self.timeline(2)) && memory.isAdmitted(Self.timeline(3)), "\(answer)")
        }
    }

    /// A broker that is away must not stop a process that is on the right server.
    @Test func aVerifiedTimelineStaysWhileTheRegisterIsAway() {
        var memory = Self.memory(of: 3)
        #expect(memory.judge(Self.timeline(3), .unknown) == .admitted)
        #expect(memory.judge(Self.timeline(4), .unknown) == .admitted, "a promotion meanwhile")
        #expect(memory.judge(Self.timeline(3), .unknown) == .refused(.below(4)))
        #expect(memory.mustNote(Self.timeline(4)) && !memory.mustNote(Self.timeline(3)))
    }

    @Test func aTimelineThatWasCalledOldStaysOld() {
        var memory = Self.memory(of: 3)
        #expect(memory.judge(Self.timeline(3), .old) == .refused(.passed))
        #expect(memory.judge(Self.timeline(3), .unknown) == .refused(.passed))
        #expect(!memory.isAdmitted(Self.timeline(3)))
    }

    /// The register does not know a promotion that could not be noted. Its answer about the timeline before is then out of date.
    @Test func aLaterTimelineThatIsNotNotedYetCounts() {
        var memory = Self.memory(of: 3, isNoted: false)
        #expect(memory.judge(Self.timeline(2), .current) == .refused(.below(3)))
        memory.noted(Self.timeline(3))
        #expect(!memory.mustNote(Self.timeline(3)))
        #expect(memory.judge(Self.timeline(2), .current, wasNoted: false) == .refused(.below(3)), "the question was asked before the note")
        memory.lostNotes(about: 7)
        #expect(memory.mustNote(Self.timeline(3)) && memory.judge(Self.timeline(2), .current) == .refused(.below(3)))
    }

    /// After a restore, an operator accepts a lower timeline: the register calls it current again.
    @Test func anAcceptedTimelineReplacesTheNotedOne() {
        var memory = Self.memory(of: 5)
        #expect(memory.judge(Self.timeline(3), .old) == .refused(.passed))
        #expect(memory.judge(Self.timeline(3), .current) == .admitted)
        #expect(memory.isAdmitted(Self.timeline(3)) && memory.mustNote(Self.timeline(3)))
        #expect(memory.judge(Self.timeline(4), .current) == .admitted, "the next promotion")
    }

    /// A restore from a dump and an upgrade begin again with timeline 1, in a cluster of their own.
    @Test func anotherClusterHasTimelinesOfItsOwn() {
        var memory = Self.memory(of: 5)
        #expect(memory.judge(Self.timeline(1, of: 8), .current) == .admitted)
        #expect(memory.isAdmitted(Self.timeline(1, of: 8)) && memory.isAdmitted(Self.timeline(5)))
        #expect(memory.judge(Self.timeline(1, of: 9), .unknown) == .refused(.unverified))
    }

    @Test func aLaterAnswerEndsTheUseOfATimeline() {
        var memory = Self.memory(of: 3)
        let answers: [TimelineAnswer] = [.current, .unknown, .old, .unknown]
        let isOld = answers.map { memory.isOld(Self.timeline(3), $0) }
        #expect(isOld == [false, false, true, true])
    }
}
