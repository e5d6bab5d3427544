import Testing

@testable import TidingsAMQP

@Suite struct SubscriptionsTests {
    private let start = ContinuousClock.now
    private let policy = ReconnectPolicy(base: .milliseconds(100), cap: .seconds(1))

    @Test func oneQueueAtATimeStartsWithAFreshTag() throws {
        var subscriptions = Subscriptions(queues: ["a", "b"], policy: policy, now: start)
        let firstRequest = subscriptions.takeDue(now: start)
        let first = try #require(firstRequest)
        #expect(first.queue == "a" && !first.isDoubtful)
        let none = subscriptions.takeDue(now: start)
        #expect(none == nil && subscriptions.nextDue == nil)
        expect(subscriptions.started(first.tag), "a")
        let secondRequest = subscriptions.takeDue(now: start)
        let second = try #require(secondRequest)
        #expect(second.queue == "b" && second.tag != first.tag)
        #expect(subscriptions.queue(of: first.tag) == "a")
    }

    @Test func aClosedChannelBlamesTheQueueThatWasStarting() throws {
        var subscriptions = Subscriptions(queues: ["a", "b"], policy: policy, now: start)
        let firstRequest = subscriptions.takeDue(now: start)
        let first = try #require(firstRequest)
        _ = subscriptions.started(first.tag)
        _ = subscriptions.takeDue(now: start)
        expect(subscriptions.refused(), "b")
        expect(subscriptions.refused(), nil)
        subscriptions.connectionLost(now: start)
        // Queue "a" did not cause the closing and is requested again at once, under a new tag. Queue "b" waits until its owner was told.
        let againRequest = subscriptions.takeDue(now: start)
        let again = try #require(againRequest)
        #expect(again.queue == "a" && again.tag != first.tag && !again.isDoubtful)
        _ = subscriptions.started(again.tag)
        let none = subscriptions.takeDue(now: start)
        #expect(none == nil && subscriptions.nextDue == nil)
    }

    @Test func aLostQueueIsAskedForWithGrowingPauses() throws {
        var subscriptions = Subscriptions(queues: ["a"], policy: policy, now: start)
        var pauses: [Duration] = []
        for _ in 0..<6 {
            let due = try #require(subscriptions.nextDue)
            pauses.append(start.duration(to: due))
            let next = subscriptions.takeDue(now: due)
            let request = try #require(next)
            expect(subscriptions.cancelled(request.tag), "a")
            expect(subscriptions.cancelled(request.tag), nil)
            subscriptions.restored("a", now: start)
        }
        #expect(pauses[0] == .zero && pauses[1] == .zero)
        #expect(pauses[2] >= .milliseconds(100) && pauses[5] <= .seconds(1) && pauses[5] > pauses[2])
    }

    /// `#expect` cannot call a function that changes its value.
    private func expect(_ actual: String?, _ expected: String?, _ location: SourceLocation = #_sourceLocation) {
        #expect(actual == expected, sourceLocation: location)
    }
}
