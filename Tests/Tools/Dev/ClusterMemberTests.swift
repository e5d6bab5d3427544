import Testing

@testable import PrivateServers

@Suite struct ClusterMemberTests {
    private static func member(_ number: Int, options: ClusterOptions = ClusterOptions()) -> ClusterMember {
        ClusterMember(number: number, size: 3, home: "/home", password: "secret", namePort: 20_480, options: options)
    }

    @Test("every node has an address of its own, and two clusters share none")
    func addresses() {
        #expect(Self.member(1).addresses == ["127.80.0.1", "127.80.0.2", "127.80.0.3"])
        let other = ClusterMember(number: 1, size: 3, home: "/other", password: "secret", namePort: 31_999)
        #expect(Set(other.addresses).isDisjoint(with: Self.member(1).addresses))
    }

    @Test("a node listens at its address and connects from it, and Erlang knows the hosts of all nodes")
    func distribution() {
        let arguments = ["inet_dist_use_interface {127,80,0,2}", "inet_dist_connect_options [{ip,{127,80,0,2}}]", "net_ticktime 15"]
        #expect(
            Self.member(2, options: ClusterOptions(tickSeconds: 15)).distribution
                == arguments.map { "-kernel \($0)" }.joined(separator: " "))
        #expect(Self.member(2).nodeName == "tidings-2@node-2")
        #expect(Self.member(2).hosts.split(separator: "\n")[1] == #"{host, {127,80,0,2}, ["node-2"]}."#)
    }

    @Test(arguments: [ClusterOptions.PartitionHandling.ignore, .pauseMinority])
    func partitionHandlingIsConfigured(_ handling: ClusterOptions.PartitionHandling) {
        let formation = Self.member(1, options: ClusterOptions(partitionHandling: handling)).formation
        #expect(formation.contains("cluster_partition_handling = \(handling.rawValue)\n"))
        #expect(formation.contains("classic_config.nodes.3 = tidings-3@node-3"))
    }
}
