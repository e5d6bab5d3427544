import Testing

@testable import TidingsServer

/// The oldest version of RabbitMQ that keeps the promises of its queues.
@Suite struct BrokerVersionTests {
    @Test(arguments: ["3.10.0", "3.10.8", "3.13.7", "4.2.1", "3.12.0-rc.1", "4.0"])
    func aNewVersionIsFine(version: String) {
        let broker = BrokerVersion(product: "RabbitMQ", version: version)
        #expect(broker.fault == nil && broker.description == "RabbitMQ \(version)")
    }

    @Test(arguments: ["3.9.27", "3.8.0", "2.99.1", "3.9.0+4.g1a2b"])
    func anOldVersionIsRefused(version: String) {
        let fault = BrokerVersion(product: "RabbitMQ", version: version).fault
        #expect(fault == "the broker is RabbitMQ \(version), and Tidings needs RabbitMQ 3.10 or newer")
    }

    /// A version that says nothing is no fault: the declaration shows what the broker can do.
    @Test func anUnknownVersionIsNotJudged() {
        for (product, version) in [("RabbitMQ", nil), ("RabbitMQ", "latest"), ("RabbitMQ", "3"), ("Another", "1.0.0"), (nil, nil)] {
            #expect(BrokerVersion(product: product, version: version).fault == nil)
        }
        #expect(BrokerVersion(product: nil, version: nil).description == "RabbitMQ")
    }
}
