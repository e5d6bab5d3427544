internal import Synchronization

/// The nodes of a broker, and the order in which the connections of this process try them. All copies of an ``AMQPConfiguration`` share it.
///
/// Two of them are equal if they name the same nodes in the same order.
final class BrokerNodes: Sendable {
    let all: [AMQPNode]
    let witness = QueueWitness()
    private let order: Mutex<NodeOrder>

    init(_ nodes: [AMQPNode]) {
        precondition(!nodes.isEmpty, "a broker is at least one node")
        all = nodes
        order = Mutex(NodeOrder(count: nodes.count, start: .random(in: nodes.indices)))
    }

    /// Whether there is another node to go to.
    var areSeveral: Bool { all.count > 1 }

    /// Takes a seat for a new connection at the best node, besides those that were tried. Nil if none is left.
    func seat(besides tried: Set<Int> = []) -> NodeSeat? {
        let node = order.withLock { order in
            let node = order.next(besides: tried, at: .now)
            if let node { order.opened(node) }
            return node
        }
        return node.map { NodeSeat($0, of: self) }
    }

    /// Takes a seat for a connection that moves to a node.
    func seat(at node: Int) -> NodeSeat {
        order.withLock { $0.opened(node) }
        return NodeSeat(node, of: self)
    }

    /// Records that a move has ended, successfully or not. The next one begins after the pause.
    func moveEnded(pause: Duration) { order.withLock { $0.moveEnded(at: .now, pause: pause) } }

    /// Has the node tried last for a while. Returns true for the first of the connections that leave it together.
    func couldNotServe(_ node: Int) -> Bool { order.withLock { $0.couldNotServe(node, at: .now) } }

    /// The connections of this process on each node.
    var connections: [Int] { order.withLock { $0.connections } }

    /// Notes the connections of other processes on each node.
    func note(connections: [Int], ofOthers others: Int) { order.withLock { $0.note(connections: connections, ofOthers: others) } }

    func served(_ node: Int) { order.withLock { $0.served(node, at: .now) } }

    func isTriedLast(_ node: Int) -> Bool { order.withLock { $0.isTriedLast(node, at: .now) } }

    fileprivate func move(from node: Int, canTry: Bool) -> Int? { order.withLock { $0.move(from: node, canTry: canTry, at: .now) } }

    fileprivate func shouldBeLeft(_ node: Int) -> Bool { order.withLock { $0.shouldBeLeft(node, at: .now) } }

    fileprivate func closed(_ node: Int) { order.withLock { $0.closed(node) } }
}

extension BrokerNodes: Hashable {
    static func == (one: BrokerNodes, other: BrokerNodes) -> Bool { one.all == other.all }
    func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// The place of one connection, open or being opened, at a node. The place is free again when this object ends.
final class NodeSeat: Sendable {
    /// The position of the node in the URL.
    let position: Int
    private let nodes: BrokerNodes

    fileprivate init(_ position: Int, of nodes: BrokerNodes) {
        self.position = position
        self.nodes = nodes
    }

    deinit { nodes.closed(position) }

    var node: AMQPNode { nodes.all[position] }

    /// Whether the node could not serve a connection a while ago, and another node may.
    var shouldBeLeft: Bool { nodes.shouldBeLeft(position) }

    /// Has the node tried last for a while. Returns true for the first of the connections that leave it together.
    func couldNotServe() -> Bool { nodes.couldNotServe(position) }
    func served() { nodes.served(position) }

    /// Begins to move the connection to another node. Returns that node, or nil if the connection stays.
    func move(canTry: Bool) -> Int? { nodes.move(from: position, canTry: canTry) }
}
