/// Looks at queues from other nodes than the one of a consumer. All consumers of a process share one, so a look costs a passive declaration
/// over a connection that is open already.
///
/// A node that is cut off from its cluster answers each question, and its answers are old. Only another node knows which messages wait.
///
/// A missing answer is no reason to avoid the node that was asked: it waits for the leader of the queue, which may be on the node that is cut
/// off.
actor QueueWitness {
    /// The time after which the witness looks from another node. A cluster of many nodes may have several nodes on the wrong side.
    private static let turn = Duration.seconds(60)
    /// The longest wait for a connection or an answer. A witness that hangs delays the looks of all consumers.
    private static let patience = Duration.seconds(3)

    /// A connection to one node. Two of them serve the consumers of all nodes.
    private struct Place {
        let position: Int
        let control: AMQPControl
        let until: ContinuousClock.Instant
    }

    private var places: [Place] = []
    private var turns = Int.random(in: 0..<AMQPConfiguration.maximumNodes)

    /// The number of messages that are ready in a queue, as another node than `position` sees it. Nil if no other node answers, and for a
    /// queue that does not exist.
    func messages(in queue: String, besides position: Int, of configuration: AMQPConfiguration) async -> Int? {
        await endTurns()
        guard let place = place(besides: position, of: configuration) else { return nil }
        do {
            return try await place.control.queueStatus(queue)?.messages
        } catch {
            places.removeAll { $0.control === place.control }
            return nil
        }
    }

    /// Closes the connections. A later look connects again.
    func close() async {
        let ended = places
        places = []
        for place in ended { await place.control.close() }
    }

    private func endTurns() async {
        let now = ContinuousClock.now
        let ended = places.filter { $0.until <= now }
        places.removeAll { $0.until <= now }
        for place in ended { await place.control.close() }
    }

    private func place(besides position: Int, of configuration: AMQPConfiguration) -> Place? {
        let nodes = configuration.brokerNodes
        let others = nodes.all.indices.filter { $0 != position }
        let sound = others.filter { !nodes.isTriedLast($0) }
        let candidates = sound.isEmpty ? others : sound
        if let place = places.first(where: { candidates.contains($0.position) }) { return place }
        guard !candidates.isEmpty else { return nil }
        turns += 1
        let chosen = candidates[turns % candidates.count]
        var configuration = configuration.only(nodes.all[chosen])
        configuration.connectTimeout = min(configuration.connectTimeout, Self.patience)
        guard let control = try? AMQPControl.make(configuration: configuration, connectionName: "tidings witness") else { return nil }
        let place = Place(position: chosen, control: control, until: .now.advanced(by: Self.turn))
        places.append(place)
        return place
    }
}
