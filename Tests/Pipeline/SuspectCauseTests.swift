import Testing
import TidingsCore

@testable import TidingsPipeline

@Suite struct SuspectCauseTests {
    /// The word of the broker, the reason, and a part of the text.
    @Test(
        arguments: [
            ("delivery_limit", ReasonCode.poison, "taken back more than 20 times"), ("expired", .evicted, "expired"),
            ("maxlen", .evicted, "was full"), ("rejected", .evicted, "rejected"), (nil, .poison, "published"),
            ("newer", .poison, "taken back"),
        ] as [(String?, ReasonCode, String)])
    func theCauseIsTheBrokers(_ word: String?, _ reason: ReasonCode, _ part: String) {
        let (told, words) = SuspectTrial.cause(word)
        #expect(told == reason && words.contains(part), "\(words)")
    }
}
