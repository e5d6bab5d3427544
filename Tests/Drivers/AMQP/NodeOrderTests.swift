import Testing

@testable import TidingsAMQP

@Suite struct NodeOrderTests {
    private let start = ContinuousClock.now
    private let pause = AMQPConfiguration.shortestNodePause

    @Test(arguments: 1...7, 0..<3) func connectionsSpreadWithinOneOfEachOther(connections: Int, first: Int) throws {
        var order = NodeOrder(count: 3, start: first)
        for _ in 0..<connections { order.opened(try #require(order.next(at: start))) }
        let counts = order.connections
        #expect(counts.max()! - counts.min()! <= 1 && counts.reduce(0, +) == connections, "\(counts)")
        #expect(counts[first] == counts.max(), "the first connection goes to the node that the process begins with")
    }

    @Test func aClosedConnectionMakesRoom() throws {
        var order = NodeOrder(count: 2, start: 0)
        order.opened(0)
        order.opened(1)
        order.closed(1)
        #expect(order.next(at: start) == 1)
    }

    @Test func anAttemptTriesEachNodeOnce() {
        let order = NodeOrder(count: 3, start: 1)
        #expect(order.next(at: start) == 1)
        #expect(order.next(besides: [1], at: start) == 2)
        #expect(order.next(besides: [1, 2], at: start) == 0)
        #expect(order.next(besides: [0, 1, 2], at: start) == nil)
    }

    @Test func aNodeThatCouldNotServeIsTriedLastForAWhile() {
        var order = NodeOrder(count: 3, start: 0)
        order.opened(1)
        order.opened(2)
        let isFirst = [order.couldNotServe(0, at: start), order.couldNotServe(0, at: start)]
        #expect(isFirst == [true, false], "connections that leave the node together count once")
        #expect(order.next(at: start) == 1 && order.next(besides: [1, 2], at: start) == 0)
        #expect(order.shouldBeLeft(0, at: start) && !order.shouldBeLeft(1, at: start))
        // On trial, it still comes after sound nodes.
        let later = start.advanced(by: pause)
        #expect(!order.isTriedLast(0, at: later) && order.next(at: later) == 1)
        order.served(0, at: later)
        #expect(order.next(at: later) == 0)
    }

    /// A node that is cut off may still deliver what it has.
    @Test func aServiceDuringThePauseProvesNothing() {
        var order = NodeOrder(count: 2, start: 0)
        _ = order.couldNotServe(0, at: start)
        order.served(0, at: start.advanced(by: .seconds(1)))
        #expect(order.next(at: start.advanced(by: .seconds(2))) == 1)
    }

    @Test func thePauseDoublesUntilTheNodeServes() {
        var order = NodeOrder(count: 2, start: 0)
        var now = start
        for expected in [pause, pause * 2, pause * 4, pause * 8, AMQPConfiguration.longestNodePause, AMQPConfiguration.longestNodePause] {
            _ = order.couldNotServe(0, at: now)
            #expect(order.isTriedLast(0, at: now.advanced(by: expected - .seconds(1))), "\(expected)")
            now = now.advanced(by: expected)
            #expect(!order.isTriedLast(0, at: now), "\(expected)")
        }
        order.served(0, at: now)
        _ = order.couldNotServe(0, at: now)
        #expect(!order.isTriedLast(0, at: now.advanced(by: pause)))
    }

    /// No process is without a node because all of them failed.
    @Test func theNodeThatFailedFirstIsTriedFirstIfNoNodeServes() {
        var order = NodeOrder(count: 3, start: 0)
        for (turn, node) in [2, 0, 1].enumerated() { _ = order.couldNotServe(node, at: start.advanced(by: .seconds(10 * turn))) }
        let now = start.advanced(by: .seconds(25))
        #expect(order.next(at: now) == 2 && order.next(besides: [2], at: now) == 0)
        #expect(!order.shouldBeLeft(2, at: now))
    }

    /// A node that failed again and again before has a longer pause than the one that has just failed.
    @Test func theNodeThatHasJustFailedIsTriedLast() {
        var order = NodeOrder(count: 2, start: 0)
        _ = order.couldNotServe(1, at: start)
        let later = start.advanced(by: pause)
        _ = order.couldNotServe(1, at: later)
        let now = later.advanced(by: .seconds(50))
        _ = order.couldNotServe(0, at: now)
        #expect(order.next(at: now) == 1)
    }

    /// The network of the process was away, or the process stood still.
    @Test func nodesThatFailedTogetherShareTheConnections() throws {
        var order = NodeOrder(count: 3, start: 0)
        for (second, node) in [2, 0, 1].enumerated() { _ = order.couldNotServe(node, at: start.advanced(by: .seconds(second))) }
        for _ in 0..<6 { order.opened(try #require(order.next(at: start.advanced(by: .seconds(5))))) }
        #expect(order.connections == [2, 2, 2])
    }

    /// No consumer of the process gets messages that would show whether the node serves.
    @Test func aTrialEndsByItself() {
        var order = order([0, 3, 3])
        _ = order.couldNotServe(0, at: start)
        let end = start.advanced(by: pause + NodeOrder.longestTrial)
        let during = order.move(from: 1, canTry: false, at: end - .seconds(1))
        let after = order.move(from: 1, canTry: false, at: end)
        #expect(during == nil && after == 0)
        // It counts on, so that the next pause is longer.
        _ = order.couldNotServe(0, at: end)
        #expect(order.isTriedLast(0, at: end.advanced(by: pause)))
    }

    @Test func theOnlyNodeIsAlwaysNext() {
        var order = NodeOrder(count: 1, start: 0)
        _ = order.couldNotServe(0, at: start)
        #expect(order.next(at: start) == 0 && !order.shouldBeLeft(0, at: start))
    }

    // MARK: Moves

    private func order(_ connections: [Int]) -> NodeOrder {
        var order = NodeOrder(count: connections.count, start: 0)
        for (node, count) in connections.enumerated() { for _ in 0..<count { order.opened(node) } }
        return order
    }

    @Test func connectionsMoveOneAtATimeUntilTheyAreEven() {
        var uneven = order([4, 2, 0])
        let fromEach = [1, 2].map { uneven.move(from: $0, canTry: true, at: start) }
        #expect(fromEach == [nil, nil], "only the fullest node gives a connection away")
        let first = uneven.move(from: 0, canTry: false, at: start)
        let beside = uneven.move(from: 0, canTry: false, at: start)
        #expect(first == 2 && beside == nil)
        uneven.closed(0)
        uneven.opened(2)
        uneven.moveEnded(at: start, pause: .seconds(3))
        let early = uneven.move(from: 0, canTry: false, at: start.advanced(by: .seconds(2)))
        let second = uneven.move(from: 0, canTry: false, at: start.advanced(by: .seconds(3)))
        #expect(early == nil && second == 2)
        for even in [[2, 2, 2], [3, 2, 2], [2, 2, 3], [1, 0, 0], [5]] {
            var order = order(even)
            let moves = even.indices.map { order.move(from: $0, canTry: true, at: start) }
            #expect(moves.allSatisfy { $0 == nil }, "\(even)")
        }
    }

    /// A node that came back gets one connection, and the others when it has served.
    @Test func aNodeOnTrialGetsOneConnectionThatCanTell() {
        var order = order([0, 3, 3])
        _ = order.couldNotServe(0, at: start)
        let last = order.move(from: 1, canTry: true, at: start)
        let now = start.advanced(by: pause)
        let publisher = order.move(from: 1, canTry: false, at: now)
        let consumer = order.move(from: 1, canTry: true, at: now)
        #expect(last == nil && publisher == nil && consumer == 0)
        order.closed(1)
        order.opened(0)
        order.moveEnded(at: now, pause: .zero)
        let beforeTheProof = order.move(from: 2, canTry: true, at: now)
        order.served(0, at: now)
        let afterTheProof = order.move(from: 2, canTry: false, at: now)
        #expect(beforeTheProof == nil && afterTheProof == 0)
    }

    /// A move whose end is never reported must not hold all others.
    @Test func aMoveThatNeverEndsHoldsTheOthersForAWhile() {
        var order = order([4, 0])
        let first = order.move(from: 0, canTry: false, at: start)
        let second = order.move(from: 0, canTry: false, at: start.advanced(by: NodeOrder.longestDrain))
        #expect(first == 1 && second == 1)
    }

    @Test func eachProcessBeginsAtANodeOfItsOwn() {
        let nodes = ["one", "two", "three"].map { AMQPNode(host: $0, port: 5672) }
        // Each of them is another process. All of 60 begin at two of the three nodes once in ten billion runs.
        let first = Set((0..<60).compactMap { _ in BrokerNodes(nodes).seat()?.node })
        #expect(first == Set(nodes))
    }

    @Test func aSeatEndsWithItsConnection() {
        let nodes = BrokerNodes(["one", "two"].map { AMQPNode(host: $0, port: 5672) })
        let first = nodes.seat()
        var second = nodes.seat()
        let position = second?.position
        #expect(first?.position != position)
        second = nil
        second = nodes.seat()
        #expect(second?.position == position)
    }

    private static let errors: [(AMQPError, Bool)] = [
        (.connectFailed(reason: "refused", host: "h:1"), true), (.connectionClosed(code: 530, text: "vhost x not found"), true),
        (.connectionClosed(code: 541, text: "INTERNAL_ERROR"), true), (.connectionClosed(code: nil, text: ""), true),
        (.heartbeatTimeout, true), (.socket("reset"), true), (.timedOut("a confirm"), true), (.authenticationRefused, false),
        (.channelClosed(code: 404, text: "NOT_FOUND"), false), (.consumerCancelled(queue: "q"), false),
        (.blocked(reason: "low on memory"), false), (.tlsFailed("self-signed"), false), (.stopped, false),
    ]

    @Test(arguments: errors) func anotherNodeIsTriedOnlyIfItMayServe(_ error: AMQPError, isOfTheNode: Bool) {
        #expect(error.isOfTheNode == isOfTheNode)
    }
}

@Suite struct IdleWatchTests {
    private let start = ContinuousClock.now
    private let interval = Duration.seconds(10)

    @Test func twoLooksThatSeeMessagesAreEnough() {
        var watch = IdleWatch(interval: interval)
        #expect(watch.due(idleSince: start) == start.advanced(by: interval))
        watch.begin()
        #expect(watch.due(idleSince: start) == nil, "a look is under way")
        let first = start.advanced(by: interval)
        let afterOne = watch.ended(messages: 3, idleSince: start, at: first)
        #expect(!afterOne && watch.due(idleSince: start) == first.advanced(by: .seconds(2)))
        let afterTwo = watch.ended(messages: 3, idleSince: start, at: first.advanced(by: .seconds(2)))
        #expect(afterTwo)
    }

    @Test(arguments: [0, nil]) func anEmptyQueueAndAnUnknownOneAreNoReason(messages: Int?) {
        var watch = IdleWatch(interval: interval)
        for round in 1...5 {
            let now = start.advanced(by: interval * round)
            let leaves = watch.ended(messages: messages, idleSince: start, at: now)
            #expect(!leaves && watch.due(idleSince: start) == now.advanced(by: interval))
        }
    }

    /// A message that came between two looks shows that the node delivers.
    @Test func aDeliveryBeginsAnew() {
        var watch = IdleWatch(interval: interval)
        let first = start.advanced(by: interval)
        var leaves = watch.ended(messages: 3, idleSince: start, at: first)
        let delivered = first.advanced(by: .seconds(1))
        #expect(!leaves && watch.due(idleSince: delivered) == delivered.advanced(by: interval))
        leaves = watch.ended(messages: 3, idleSince: delivered, at: delivered.advanced(by: interval))
        #expect(!leaves)
        leaves = watch.ended(messages: 3, idleSince: nil, at: delivered.advanced(by: interval * 2))
        #expect(!leaves, "a message came during the look")
    }
}
