import Testing
import TidingsTestSupport

@testable import TidingsAMQP

/// The connections of all processes become even on the nodes of a broker.
@Suite struct NodeSumTests {
    private let start = ContinuousClock.now

    private static func order(_ connections: [Int]) -> NodeOrder {
        var order = NodeOrder(count: connections.count, start: 0)
        for (node, count) in connections.enumerated() { for _ in 0..<count { order.opened(node) } }
        return order
    }

    @Test func theNextOfEqualNodesHasTheFewestConnectionsOfAll() {
        var order = Self.order([1, 1, 1])
        order.note(connections: [5, 3, 4], ofOthers: 4)
        #expect(order.next(at: start) == 1)
        order.opened(1)
        #expect(order.next(at: start) == 2, "this process stays even first")
    }

    @Test func aConnectionMovesOnlyIfTheSumsBecomeMoreEven() {
        for (own, others, target) in [
            ([2, 1, 1], [4, 4, 3], 2), ([2, 1, 1], [4, 4, 4], nil), ([2, 2, 1], [4, 5, 4], nil), ([1, 1, 1], [9, 0, 0], nil),
            ([2, 1, 1], [0, 3, 3], nil),
        ] as [([Int], [Int], Int?)] {
            var order = Self.order(own)
            order.note(connections: others, ofOthers: 2)
            let move = order.move(from: 0, canTry: true, chance: 0, at: start)
            #expect(move == target, "\(own) \(others)")
        }
        var forgotten = Self.order([2, 1, 1])
        forgotten.note(connections: [9, 0, 0], ofOthers: 1)
        forgotten.note(connections: [0, 0, 0], ofOthers: 0)
        let move = forgotten.move(from: 0, canTry: true, chance: 0, at: start)
        #expect(move == nil)
    }

    /// All would move at once otherwise, and the sums would be as uneven as before.
    @Test func theChanceOfAMoveIsSmallerIfManyProcessesMayMove() {
        var few = Self.order([2, 1, 1])
        few.note(connections: [5, 4, 4], ofOthers: 1)
        var many = Self.order([2, 1, 1])
        many.note(connections: [5, 4, 4], ofOthers: 19)
        let moves = [few.move(from: 0, canTry: true, chance: 0.05, at: start), many.move(from: 0, canTry: true, chance: 0.05, at: start)]
        #expect(moves == [1, nil])
    }

    /// Six processes with connections of their own number, which learn of each other every five seconds.
    @Test(arguments: 0..<20) func theSumsOfSixProcessesBecomeEven(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var orders = try (0..<6).map { _ in
            var order = NodeOrder(count: 3, start: Int.random(in: 0..<3, using: &random))
            for _ in 0..<Int.random(in: 3...6, using: &random) { order.opened(try #require(order.next(at: start))) }
            return order
        }
        func sums() -> [Int] { (0..<3).map { node in orders.reduce(0) { $0 + $1.connections[node] } } }
        var now = start
        for _ in 0..<120 {
            now = now.advanced(by: .seconds(5))
            let known = sums()
            for index in orders.indices {
                let own = orders[index].connections
                orders[index].note(connections: zip(known, own).map { $0 - $1 }, ofOthers: 5)
            }
            for index in orders.indices {
                for node in 0..<3 {
                    let chance = Double.random(in: 0..<1, using: &random)
                    guard let target = orders[index].move(from: node, canTry: false, chance: chance, at: now) else { continue }
                    orders[index].closed(node)
                    orders[index].opened(target)
                    orders[index].moveEnded(at: now, pause: .seconds(2))
                }
            }
        }
        #expect(sums().max()! - sums().min()! <= 1, "\(sums())")
        #expect(orders.allSatisfy { $0.connections.max()! - $0.connections.min()! <= 1 })
    }
}
