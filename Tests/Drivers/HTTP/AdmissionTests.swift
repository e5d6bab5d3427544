import Testing

@testable import TidingsHTTP

struct AdmissionTests {
    private let start = ContinuousClock.now

    @Test func keepsBothLimitsAndTheOrder() {
        var admission = Admission(maximum: 3, maximumPerHost: 2)
        for (id, host) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "b")] {
            admission.enter(UInt64(id), host: host, deadline: start + .seconds(id))
        }
        #expect([admission.next(), admission.next(), admission.next(), admission.next()] == [1, 2, 4, nil])
        admission.leave(host: "b")
        #expect([admission.next(), admission.next()] == [5, nil])
        admission.leave(host: "a")
        #expect([admission.next(), admission.next()] == [3, nil])
    }

    @Test func expiresOnlyWhatWaits() {
        var admission = Admission(maximum: 1, maximumPerHost: 1)
        for id in 1...4 { admission.enter(UInt64(id), host: "a", deadline: start + .seconds(id)) }
        #expect(admission.next() == 1)
        #expect(admission.earliestDeadline == start + .seconds(2))
        #expect(admission.expire(at: start + .milliseconds(1_999)) == [])
        #expect(admission.expire(at: start + .seconds(3)) == [2, 3])
        admission.withdraw(4)
        #expect(admission.earliestDeadline == nil)
        admission.leave(host: "a")
        #expect(admission.next() == nil)
    }
}
