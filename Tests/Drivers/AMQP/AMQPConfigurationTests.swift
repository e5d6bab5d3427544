import Testing
import TidingsAMQP

@Suite struct AMQPConfigurationTests {
    @Test func everyPartOfTheURLIsRead() throws {
        let configuration = try AMQPConfiguration(
            url: "amqps://us%65r:p%40ss@broker.example:5699/my%2Fhost?heartbeat=7&connect_timeout=3&cacertfile=/ca.pem&frame_max=8192")
        #expect(configuration.host == "broker.example")
        #expect(configuration.port == 5699)
        #expect(configuration.user == "user")
        #expect(configuration.password == "p@ss")
        #expect(configuration.virtualHost == "my/host")
        #expect(configuration.heartbeat == .seconds(7))
        #expect(configuration.connectTimeout == .seconds(3))
        #expect(configuration.frameMaximum == 8192)
        #expect(configuration.tls?.authorities == "/ca.pem")
        #expect(configuration.tls?.verifiesPeer == true)
        #expect(configuration.tls?.verifiesHostName == true)
    }

    @Test(arguments: ["amqp://broker", "amqp://broker/", "amqp://broker:5672/%2f"])
    func defaults(url: String) throws {
        let configuration = try AMQPConfiguration(url: url)
        #expect(configuration.host == "broker")
        #expect(configuration.port == 5672)
        #expect(configuration.user == "guest")
        #expect(configuration.virtualHost == "/")
        #expect(configuration.heartbeat == .seconds(10))
        #expect(configuration.tls == nil)
    }

    @Test func anIPv6HostIsRead() throws {
        let configuration = try AMQPConfiguration(url: "amqp://[::1]:5673")
        #expect(configuration.host == "::1")
        #expect(configuration.port == 5673)
    }

    @Test func theNodesOfAClusterAreRead() throws {
        let configuration = try AMQPConfiguration(url: "amqp://user:a,b@one:5673,two,[::1]:5674/vhost")
        #expect(configuration.nodes.map(\.description) == ["one:5673", "two:5672", "::1:5674"])
        #expect(configuration.password == "a,b")
        #expect(configuration.virtualHost == "vhost")
        #expect("\(configuration)" == "amqp://user:***@one:5673,two:5672,::1:5674/vhost")
    }

    @Test(arguments: [
        "http://broker", "amqp://", "amqp://broker:0", "amqp://broker:70000", "amqp://broker:x", "amqp://broker/?heartbeet=3",
        "amqp://broker/?heartbeat=0", "amqp://user:%zz@broker", "amqp://broker/a%00b", "amqp://[::1",
        "amqp://one,,two", "amqp://one,two:x", "amqp://one,", "amqp://" + String(repeating: "a,", count: 16) + "a",
    ])
    func aMalformedURLIsRefused(url: String) {
        #expect(throws: AMQPError.self) { try AMQPConfiguration(url: url) }
    }

    @Test func noTextOfTheConfigurationHasThePassword() throws {
        let configuration = try AMQPConfiguration(url: "amqp://user:secret@broker/vhost")
        #expect("\(configuration)" == "amqp://user:***@broker:5672/vhost")
        #expect(!String(reflecting: configuration).contains("secret"))
        #expect {
            try AMQPConfiguration(url: "amqp://user:secret@broker:bad")
        } throws: { !"\($0)".contains("secret") }
    }
}

@Suite struct ReconnectPolicyTests {
    let policy = ReconnectPolicy(base: .milliseconds(100), cap: .seconds(5), maximumAttempts: 50)

    @Test func theDelayDoublesUpToTheCap() {
        let delays = (1...10).map { policy.delay(afterFailures: $0, jitter: 1) }
        #expect(delays.prefix(3) == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(delays.last == .seconds(5))
    }

    @Test func jitterStaysInTheUpperHalfAndUnderTheCap() throws {
        for failures in 1..<50 {
            let low = try #require(policy.delay(afterFailures: failures, jitter: 0))
            let high = try #require(policy.delay(afterFailures: failures, jitter: 1))
            #expect(low * 2 == high)
            #expect(high <= policy.cap)
        }
    }

    @Test func thePolicyGivesUpAfterTheLastAttempt() {
        #expect(policy.delay(afterFailures: 49, jitter: 0) != nil)
        #expect(policy.delay(afterFailures: 50, jitter: 0) == nil)
        #expect(ReconnectPolicy().delay(afterFailures: 1_000_000, jitter: 0) != nil)
    }
}
