import Testing
import TidingsCore

@Suite struct BackoffTests {
    @Test func ceilingDoublesToTheCap() {
        let waits = (1...12).map { backoff(attempt: $0, policy: .standard, random: 1) }
        #expect(waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600].map { Duration.seconds($0) })
        #expect(backoff(attempt: 3, policy: .standard, random: 0.5) == .seconds(4))
        #expect(backoff(attempt: 3, policy: .standard, random: 0) == .zero)
    }

    @Test func aPauseIsNeitherNegativeNorAboveTheCap() {
        let durations: [Duration] = [.zero, .microseconds(1), .seconds(-5), .seconds(2), .seconds(600), .seconds(Int64.max)]
        var broken: [String] = []
        for base in durations {
            for cap in durations {
                let policy = RetryPolicy(maximumAttempts: 5, base: base, cap: cap)
                for attempt in [Int.min, -1, 0, 1, 2, 9, 64, 65, 1_000, Int.max] {
                    for random in [0, 0.25, 0.999_999, 1, 7, -1, .nan, .infinity, -.infinity] as [Double] {
                        let wait = backoff(attempt: attempt, policy: policy, random: random)
                        if wait < .zero || wait > max(cap, .zero) { broken.append("\(policy) \(attempt) \(random): \(wait)") }
                    }
                }
            }
        }
        #expect(broken.isEmpty, "\(broken.prefix(3))")
    }
}
