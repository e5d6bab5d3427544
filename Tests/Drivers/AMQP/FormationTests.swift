import Testing

@testable import TidingsAMQP

/// A busy broker does not form a quorum queue in time, and says so with the code of an internal error.
@Suite struct FormationTests {
    private static let unformed = AMQPError.connectionClosed(
        code: 541,
        text: "INTERNAL_ERROR - Cannot declare a queue 'queue 'tidings.intents.bulk' in vhost '/'' on node 'rabbit@a': "
            + "{error,cluster_not_formed}")

    /// The words of the node that the members of the queue answer.
    private static let unformedByLeader = AMQPError.connectionClosed(
        code: 541,
        text: "INTERNAL_ERROR - Cannot declare quorum queue 'tidings.intents.bulk' in vhost '/' on node 'rabbit@a' with leader on node "
            + "'rabbit@a': cluster_not_formed")

    /// Declares a queue that the broker answers with these errors, and then takes. Returns the pauses and the error at the end.
    private static func declare(after errors: [AMQPError]) async -> (pauses: [Duration], error: AMQPError?) {
        var pauses: [Duration] = []
        var left = errors
        do throws(AMQPError) {
            try await Topology.untilFormed(pausing: { pauses.append($0) }) { () throws(AMQPError) in
                if !left.isEmpty { throw left.removeFirst() }
            }
            return (pauses, nil)
        } catch {
            return (pauses, error)
        }
    }

    @Test func aQueueThatWasNotFormedIsDeclaredAgain() async {
        let (pauses, error) = await Self.declare(after: [Self.unformed, Self.unformedByLeader])
        #expect(pauses == [.seconds(1), .seconds(3)])
        #expect(error == nil)
    }

    @Test func aQueueThatIsNeverFormedIsAnError() async {
        let (pauses, error) = await Self.declare(after: Array(repeating: Self.unformed, count: 10))
        #expect(pauses == Topology.formationPauses)
        #expect(error == Self.unformed)
    }

    @Test(arguments: [
        AMQPError.connectionClosed(code: 541, text: "INTERNAL_ERROR - access to vhost '/' refused: vhost '/' is down"),
        .channelClosed(code: 406, text: "PRECONDITION_FAILED"), .timedOut("the answer to queue.declare"),
    ])
    func anotherErrorIsToldAtOnce(_ expected: AMQPError) async {
        let (pauses, error) = await Self.declare(after: [expected])
        #expect(pauses.isEmpty)
        #expect(error == expected)
    }
}
