import Testing
import TidingsPipeline

@Suite struct ReminderTests {
    @Test func aFailureThatLastsIsToldOnceAMinute() {
        var reminder = Reminder()
        let start = ContinuousClock.now
        let told = (0..<300).filter { reminder.isDue(at: start + .seconds($0)) }
        #expect(told == [0, 60, 120, 180, 240])
    }
}
