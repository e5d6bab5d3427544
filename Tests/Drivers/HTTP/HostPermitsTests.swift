import Testing

@testable import TidingsHTTP

struct HostPermitsTests {
    private let start = ContinuousClock.now

    @Test func permitsKeepBothLimitsAndTheOrder() {
        var permits = HostPermits(maximum: 3, maximumPerHost: 2)
        for (id, host) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "b")] {
            permits.enter(UInt64(id), host: host, deadline: start + .seconds(id))
        }
        #expect([permits.next(), permits.next(), permits.next(), permits.next()] == [1, 2, 4, nil])
        permits.leave(host: "b")
        #expect([permits.next(), permits.next()] == [5, nil])
        permits.leave(host: "a")
        #expect([permits.next(), permits.next()] == [3, nil])
    }

    @Test func onlyAWaitingRequestExpires() {
        var permits = HostPermits(maximum: 1, maximumPerHost: 1)
        for id in 1...4 { permits.enter(UInt64(id), host: "a", deadline: start + .seconds(id)) }
        #expect(permits.next() == 1)
        #expect(permits.earliestDeadline == start + .seconds(2))
        #expect(permits.expire(at: start + .milliseconds(1_999)) == [])
        #expect(permits.expire(at: start + .seconds(3)) == [2, 3])
        permits.withdraw(4)
        #expect(permits.earliestDeadline == nil)
        permits.leave(host: "a")
        #expect(permits.next() == nil)
    }
}
