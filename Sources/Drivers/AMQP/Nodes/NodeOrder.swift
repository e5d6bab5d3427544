internal import TidingsWaiting

/// The order in which the connections of a process try the nodes of a cluster. A value without I/O: times are arguments.
///
/// The next connection goes to the node with the fewest connections of this process. Equal nodes are tried in the order of the URL from
/// ``start`` on, which differs from process to process. So the connections of a process spread over the nodes within one of each other.
///
/// Which nodes have the one more is chance at first. When a process learns of ``elsewhere``, it prefers the nodes with the fewest connections
/// of all processes, and moves single connections until their sums are within one of each other.
///
/// A node that could not serve is tried last for a while. With one node, the order is always that node.
struct NodeOrder {
    private static let backoff = Backoff(base: AMQPConfiguration.shortestNodePause, cap: AMQPConfiguration.longestNodePause)

    private struct Node {
        /// The connections of this process that are open or being opened.
        var connections = 0
        /// The number of times in a row that the node could not serve.
        var failures = 0
        /// The time of the last such failure.
        var failedAt: ContinuousClock.Instant?
        /// The end of the time for which the node is tried last. After it, the node is on trial until a connection shows that it serves, or
        /// until ``NodeOrder/longestTrial`` has passed.
        var lastUntil: ContinuousClock.Instant?
    }

    /// The preference among nodes. A smaller one comes first.
    private enum Standing: Comparable {
        case sound, onTrial, last
    }

    /// The longest time for which a connection that moves lets its work end. Then it stays.
    static let longestDrain = Duration.seconds(30)

    /// The longest trial of a node. A process may have no connection that can tell whether a node serves.
    static let longestTrial = AMQPConfiguration.shortestNodePause
    /// Nodes that failed within this time of each other failed together, such as by the loss of a network.
    private static let together = Duration.seconds(5)

    /// Moves that even out the sums of all processes, as a part of those that are needed, in the time in which a process learns of the others.
    /// Processes that move at once would make the sums uneven in another way.
    private static let haste = 1.0 / 4

    private var nodes: [Node]
    /// The connections of other processes on each node, as far as they are known.
    private var elsewhere: [Int]
    /// The number of processes that share the nodes.
    private var processes = 1
    private let start: Int
    /// No connection begins to move before this time.
    private var stillUntil: ContinuousClock.Instant?

    /// - Parameter start: the position of the node that comes first among equal nodes.
    init(count: Int, start: Int) {
        precondition(count > 0 && (0..<count).contains(start), "a broker is at least one node")
        nodes = Array(repeating: Node(), count: count)
        elsewhere = Array(repeating: 0, count: count)
        self.start = start
    }

    /// The position of the node to try next, besides those that were tried already. Nil if none is left.
    func next(besides tried: Set<Int> = [], at now: ContinuousClock.Instant) -> Int? {
        var nodes = nodes.indices.filter { !tried.contains($0) }
        guard let best = nodes.map({ standing(of: $0, at: now) }).min() else { return nil }
        nodes.removeAll { standing(of: $0, at: now) != best }
        // If no node serves, a node that failed first is the likeliest to serve again.
        if best == .last, let first = nodes.compactMap({ self.nodes[$0].failedAt }).min() {
            nodes.removeAll { node in self.nodes[node].failedAt.map { $0 - first > Self.together } ?? false }
        }
        return nodes.min { preference(of: $0) < preference(of: $1) }
    }

    /// The smaller, the better among nodes that serve.
    private func preference(of node: Int) -> (Int, Int, Int) { (nodes[node].connections, elsewhere[node], turn(of: node)) }

    /// Notes the connections of the other processes on each node.
    mutating func note(connections: [Int], ofOthers others: Int) {
        (elsewhere, processes) = (connections, others + 1)
    }

    private func turn(of node: Int) -> Int { (node - start + nodes.count) % nodes.count }

    private func standing(of node: Int, at now: ContinuousClock.Instant) -> Standing {
        guard let until = nodes[node].lastUntil, now - until < Self.longestTrial else { return .sound }
        return until > now ? .last : .onTrial
    }

    func isTriedLast(_ node: Int, at now: ContinuousClock.Instant) -> Bool { standing(of: node, at: now) == .last }

    /// Whether the node is tried last, and another node is not.
    func shouldBeLeft(_ node: Int, at now: ContinuousClock.Instant) -> Bool {
        isTriedLast(node, at: now) && nodes.indices.contains { !isTriedLast($0, at: now) }
    }

    /// The connections of this process on each node.
    var connections: [Int] { nodes.map(\.connections) }

    mutating func opened(_ node: Int) { nodes[node].connections += 1 }

    mutating func closed(_ node: Int) { nodes[node].connections -= 1 }

    /// Records that a connection left the node because the node could not serve. Many connections that leave it together count once. Returns
    /// true for the first of them.
    mutating func couldNotServe(_ node: Int, at now: ContinuousClock.Instant) -> Bool {
        let isFirst = standing(of: node, at: now) != .last
        if isFirst { nodes[node].failures += 1 }
        nodes[node].failedAt = now
        nodes[node].lastUntil = now.advanced(by: Self.backoff.pause(afterFailure: nodes[node].failures))
        return isFirst
    }

    /// Begins to move a connection of `node` to the node with the fewest connections. Returns that node, or nil if the connection stays.
    ///
    /// Connections move one at a time, from the fullest node, and only if that makes the numbers more even: those of this process, or the sums
    /// of all processes. A node on trial gets one connection that tells whether it serves, and the other connections follow.
    ///
    /// - Parameters:
    ///   - canTry: whether the connection would notice that the node does not serve.
    ///   - chance: a random number between 0 and 1.
    mutating func move(from node: Int, canTry: Bool, chance: Double = .random(in: 0..<1), at now: ContinuousClock.Instant) -> Int? {
        if let stillUntil, stillUntil > now { return nil }
        let usable = nodes.indices.filter { standing(of: $0, at: now) != .last }
        guard usable.contains(node), usable.allSatisfy({ nodes[$0].connections <= nodes[node].connections }) else { return nil }
        let targets = usable.filter { standing(of: $0, at: now) == .sound || canTry && nodes[$0].connections == 0 }
        guard let target = targets.min(by: { preference(of: $0) < preference(of: $1) }) else { return nil }
        let difference = nodes[node].connections - nodes[target].connections
        guard difference >= 2 || difference == 1 && standing(of: target, at: now) == .sound && evens(node, target, chance: chance) else {
            return nil
        }
        stillUntil = now.advanced(by: Self.longestDrain)
        return target
    }

    /// Whether a move makes the sums of all processes more even. The chance is smaller, the more processes there are and the fewer moves are
    /// needed.
    private func evens(_ node: Int, _ target: Int, chance: Double) -> Bool {
        let needed = (elsewhere[node] - elsewhere[target] + 1) / 2
        return needed >= 1 && chance < Double(needed) * Self.haste / Double(processes)
    }

    /// Records that a move has ended, successfully or not. The next move begins after the pause.
    mutating func moveEnded(at now: ContinuousClock.Instant, pause: Duration) { stillUntil = now.advanced(by: pause) }

    /// Records that the node did its work for a connection: it delivered a message, or confirmed one. This ends a trial. It does not end the
    /// time before: a node that is cut off from its cluster may still deliver what it has.
    mutating func served(_ node: Int, at now: ContinuousClock.Instant) {
        guard standing(of: node, at: now) != .last else { return }
        (nodes[node].failures, nodes[node].failedAt, nodes[node].lastUntil) = (0, nil, nil)
    }
}
