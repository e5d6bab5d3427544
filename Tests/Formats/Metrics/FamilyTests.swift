import Testing

@testable import TidingsMetrics

@Suite struct FamilyTests {
    @Test func seriesBeyondTheLimitAreCountedTogether() {
        let family = Family<Counter>("f_total", "Help.", labels: ["link"])
        for number in 0..<Family<Counter>.limit + 10 { family("link \(number)").add() }
        #expect(family.all.count == Family<Counter>.limit + 1)
        #expect(family("other").value == 10)
        #expect(family("link 3").value == 1)
    }

    @Test func aForgottenSeriesDisappearsAndBeginsAnew() {
        let metrics = Metrics(version: "1")
        metrics.brokerConnected("publisher").set(1)
        #expect(metrics.text().contains(#"tidings_broker_connected{link="publisher"} 1"#))
        metrics.brokerConnected.forget("publisher")
        #expect(!metrics.text().contains("tidings_broker_connected"))
        #expect(metrics.brokerConnected("publisher").value == 0)
    }

    /// A declared metric that is missing in the text would be recorded in vain.
    @Test func everyDeclaredMetricIsInTheText() throws {
        let members = Array(Mirror(reflecting: Metrics(version: "1")).children)
        let families = try #require(members.first { $0.label == "families" }?.value as? [any MetricFamily])
        // The version is a metric without a property.
        #expect(families.count == members.count - 1 + 1)
    }
}
