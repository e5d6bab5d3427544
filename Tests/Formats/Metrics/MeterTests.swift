import Testing

@testable import TidingsMetrics

@Suite struct MeterTests {
    @Test func bucketsAreCumulativeAndEndWithEverything() {
        let histogram = Histogram()
        for duration in [Duration.microseconds(500), .milliseconds(1), .milliseconds(3), .seconds(15), .seconds(90)] {
            histogram.observe(duration)
        }
        var text = ExpositionText()
        histogram.append(to: &text, name: "h_seconds", labels: [Label("step", "route")])
        let lines = text.text.split(separator: "\n").map(String.init)
        #expect(lines.first == #"h_seconds_bucket{step="route",le="0.001"} 2"#)
        #expect(lines.contains(#"h_seconds_bucket{step="route",le="0.002"} 2"#))
        #expect(lines.contains(#"h_seconds_bucket{step="route",le="0.005"} 3"#))
        #expect(lines.contains(#"h_seconds_bucket{step="route",le="10.0"} 3"#))
        #expect(lines.contains(#"h_seconds_bucket{step="route",le="20.0"} 4"#))
        #expect(
            lines.suffix(3) == [
                #"h_seconds_bucket{step="route",le="+Inf"} 5"#, #"h_seconds_sum{step="route"} 105.0045"#,
                #"h_seconds_count{step="route"} 5"#,
            ])
        let counts = lines.filter { $0.contains("_bucket") }.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counts == counts.sorted() && counts.count == Histogram.boundsInMilliseconds.count + 1)
    }

    @Test(arguments: [Duration.seconds(-5), .zero, .seconds(Int64.max), .seconds(Int64.min)])
    func noDurationBreaksAHistogram(_ duration: Duration) {
        let histogram = Histogram()
        for _ in 0..<1_000 { histogram.observe(duration) }
        #expect(histogram.count == 1_000)
        var text = ExpositionText()
        histogram.append(to: &text, name: "h", labels: [])
        #expect(!text.text.contains("-"))
    }

    @Test func nothingIsLostWhenManyCountAtOnce() async {
        let (tasks, each) = (8, 20_000)
        let metrics = Metrics(version: "1")
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let deliveries = metrics.deliveries("inApp", "inbox", task.isMultiple(of: 2) ? "delivered" : "failed")
                    for _ in 0..<each {
                        metrics.intents[.accepted].add()
                        metrics.batchDuration[.route].observe(.milliseconds(2))
                        metrics.packsWaiting.add(task.isMultiple(of: 2) ? 1 : -1)
                        deliveries.add(2)
                    }
                }
            }
            // Scrapes run at the same time. The numbers within one scrape must agree.
            group.addTask {
                for _ in 0..<50 {
                    let lines = metrics.text().split(separator: "\n").filter { $0.contains(#"step="route""#) }
                    let bucket = lines.first { $0.contains("+Inf") }?.split(separator: " ").last
                    #expect(bucket == lines.first { $0.contains("_count") }?.split(separator: " ").last)
                }
            }
        }
        #expect(metrics.intents[.accepted].value == tasks * each)
        #expect(metrics.batchDuration[.route].count == tasks * each)
        #expect(metrics.packsWaiting.value == 0)
        #expect(metrics.deliveries("inApp", "inbox", "delivered").value == tasks * each)
        #expect(metrics.handled == tasks * each * 3)
    }
}
