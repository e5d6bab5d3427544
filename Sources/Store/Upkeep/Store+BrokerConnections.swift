import TidingsJSON
import TidingsPostgres

/// The connections of the running processes on the nodes of the broker.
public struct BrokerConnections: Sendable, Equatable {
    /// The number of connections on each node, by the node's host and port.
    public var byNode: [String: Int]
    /// The number of processes that have these connections.
    public var processes: Int

    public init(byNode: [String: Int] = [:], processes: Int = 0) { (self.byNode, self.processes) = (byNode, processes) }
}

extension Store.Upkeep {
    /// Records the connections of a process on each node, and returns those of all other processes that run.
    ///
    /// Writes only if the numbers differ from the recorded ones. Does not record anything for a process without a heartbeat.
    public func share(brokerConnections: [String: Int], of worker: WorkerIdentity) async throws -> BrokerConnections {
        var writer = JSONWriter()
        writer.beginObject()
        for (node, count) in brokerConnections.sorted(by: { $0.key < $1.key }) { writer.member(node, count) }
        writer.endObject()
        let own = writer.text
        let result = try await pool.query(
            """
            with note as (
                update tidings.workers set broker_connections = \(own)::jsonb
                where id = \(worker.id) and broker_connections <> \(own)::jsonb
            ), others as (
                select broker_connections from tidings.workers
                where heartbeat_at between tidings.clock() - interval '30 seconds' and tidings.clock() + interval '5 seconds'
                    and id <> \(worker.id) and stopped_at is null and broker_connections <> '{}'
            )
            select c.key, sum(c.value::bigint)::bigint, (select count(*) from others)
            from others, jsonb_each_text(others.broker_connections) c
            group by c.key
            """)
        var connections = BrokerConnections()
        for row in result.rows {
            let (node, count, processes) = try row.decode((String, Int64, Int64).self)
            connections.byNode[node] = Int(count)
            connections.processes = Int(processes)
        }
        return connections
    }
}
