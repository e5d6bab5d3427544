/// The behaviour of a private cluster when the network between its nodes is cut.
public struct ClusterOptions: Sendable {
    /// RabbitMQ's `cluster_partition_handling`.
    public enum PartitionHandling: String, Sendable {
        /// RabbitMQ's default: a node that is cut off goes on answering its clients.
        case ignore
        /// A node that sees only a minority of the nodes pauses itself: it closes its listeners and its clients.
        case pauseMinority = "pause_minority"
    }

    public var partitionHandling: PartitionHandling
    /// Erlang's `net_ticktime` in seconds: a node that is silent for about this time counts as down. Nil for Erlang's default, 60 s.
    public var tickSeconds: Int?

    public init(partitionHandling: PartitionHandling = .ignore, tickSeconds: Int? = nil) {
        self.partitionHandling = partitionHandling
        self.tickSeconds = tickSeconds
    }
}
