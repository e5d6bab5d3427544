import Glibc
import Testing

@testable import TidingsPostgres

struct DeadlineTests {
    /// Input lies in the socket of a process that stood still beyond its deadline.
    @Test func inputCountsAlsoAfterTheDeadline() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        let passed = ContinuousClock.now - .seconds(3_600)
        #expect(pollSocket(ends[0], for: POLLIN, until: passed) == 0)
        #expect(write(ends[1], "answer", 6) == 6)
        #expect(pollSocket(ends[0], for: POLLIN, until: passed) == POLLIN)
    }

    @Test func aWaitEndsAtItsDeadline() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        let deadline = ContinuousClock.now + .milliseconds(20)
        #expect(pollSocket(ends[0], for: POLLIN, until: deadline) == 0)
        #expect(ContinuousClock.now >= deadline)
    }
}
