import Testing

@testable import TidingsMetrics

/// The text has the form that Prometheus reads: described, escaped, complete.
@Suite struct ExpositionTests {
    @Test func labelValuesAndHelpAreEscaped() {
        var text = ExpositionText()
        text.describe("m_total", type: "counter", help: "One \"line\"\nand a \\ more.")
        text.sample("m_total", [Label("who", "a \"b\"\\c\nd")], "1")
        #expect(
            text.text == #"""
                # HELP m_total One "line"\nand a \\ more.
                # TYPE m_total counter
                m_total{who="a \"b\"\\c\nd"} 1

                """#)
    }

    @Test func everyMetricHasItsDescriptionOnceBeforeItsSamples() throws {
        let metrics = Metrics(version: "1.2.3")
        metrics.intents[.accepted].add(7)
        _ = metrics.deliveries("inApp", "inbox", "delivered")
        _ = metrics.providerCalls("shop", "accepted")
        let process = ProcessFigures(residentBytes: 5, cpuSeconds: 0.25, startedAtSeconds: 1_700_000_000.5)
        let lines = metrics.text(process: process).split(separator: "\n")
        var described: [String: String] = [:]
        var current = ""
        for line in lines {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                current = String(words[2])
                #expect(described.updateValue(String(words[3]), forKey: current) == nil, "\(current) is described twice")
            } else if !line.hasPrefix("# HELP ") {
                let name = line.prefix { $0 != "{" && $0 != " " }
                let base = described[current] == "histogram" ? ["_bucket", "_sum", "_count"].map { current + $0 } : [current]
                #expect(base.contains(String(name)), "\(line) follows the description of \(current)")
            }
        }
        #expect(lines.contains(#"tidings_intents_total{result="accepted"} 7"#))
        #expect(lines.contains(#"tidings_intents_total{result="rejected"} 0"#))
        #expect(lines.contains(#"tidings_build_info{version="1.2.3"} 1"#))
        #expect(lines.contains("process_cpu_seconds_total 0.25"))
        for (name, type) in described {
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name) is a \(type)")
            if type == "histogram" { #expect(name.hasSuffix("_seconds")) }
        }
    }
}
