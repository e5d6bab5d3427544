import TidingsJSON
import TidingsServer

/// The report of a measurement of the API.
struct APIBenchReport {
    /// Requests a second over HTTP, and the same work a second below it.
    struct Round: Sendable {
        let http: Double
        let below: Double
    }

    let plan: APIBench.Plan
    /// Seconds until every stream had its first event.
    var firstEventSeconds = 0.0
    var streams = EventStreams.Outcome()
    /// Resident bytes of the API for each stream: with all of them open, without the bytes before the first.
    var bytesPerStream = 0.0
    /// The most resident bytes of the API.
    var peakBytes = 0
    var lists: [Round] = []
    var doors: [Round] = []
    /// Requests with another answer than the expected one.
    var others = 0
    var confirmed = 0
    var lost = 0
    var duplicated = 0
    var unaccounted = 0

    init(plan: APIBench.Plan) { self.plan = plan }

    /// Whether every request was answered, and every confirmed notification was stored once and told once.
    var isSound: Bool {
        [streams.untold, streams.doubled, streams.incomplete, streams.ended, others, lost, duplicated, unaccounted].allSatisfy { $0 == 0 }
    }

    /// The report as JSON. New versions only add members.
    var json: JSON {
        func number(_ value: Int) -> JSON { BenchReport.number(value) }
        return [
            "streams": number(plan.streams), "stored": number(plan.stored), "notificationsPerSecond": number(plan.perSecond),
            "runs": number(plan.runs), "firstEventSeconds": BenchReport.number(firstEventSeconds, digits: 2),
            "confirmToEventMilliseconds": BenchReport.milliseconds(streams.waits),
            "bytesPerStream": BenchReport.number(bytesPerStream, digits: 0),
            "peakMegabytes": BenchReport.number(Double(peakBytes) / 1_048_576, digits: 1),
            "lists": Self.compared(lists, "pgbenchPerSecond"), "intents": Self.compared(doors, "amqpPerSecond"),
            "confirmed": number(confirmed), "lost": number(lost), "duplicated": number(duplicated), "unaccounted": number(unaccounted),
            "untold": number(streams.untold), "toldTwice": number(streams.doubled), "incompleteEvents": number(streams.incomplete),
            "endedStreams": number(streams.ended), "refused": number(others),
        ]
    }

    /// Medians of rounds, and each round.
    private static func compared(_ rounds: [Round], _ below: String) -> JSON {
        let (http, other) = (BenchReport.median(rounds.map(\.http)), BenchReport.median(rounds.map(\.below)))
        var members = JSONObject()
        members["httpPerSecond"] = BenchReport.number(http, digits: 0)
        members[below] = BenchReport.number(other, digits: 0)
        members["ratio"] = BenchReport.number(other > 0 ? http / other : 0, digits: 3)
        members["httpPerSecondOfRuns"] = .array(rounds.map { BenchReport.number($0.http, digits: 0) })
        members["\(below)OfRuns"] = .array(rounds.map { BenchReport.number($0.below, digits: 0) })
        return .object(members)
    }

    /// The report for people.
    var text: String {
        let report = json
        func figure(_ name: String) -> String { report[name].map(Table.plain) ?? "" }
        func member(_ part: String, _ name: String) -> String { report[part]?[name].map(Table.plain) ?? "" }
        let waits = ["p50", "p99", "p99.9", "max"].map { "\($0) \(member("confirmToEventMilliseconds", $0)) ms" }
        var lines = [
            "\(plan.streams) streams beside \(plan.stored) stored notifications: first events after \(figure("firstEventSeconds")) s"
        ]
        lines.append("memory of the API: \(figure("bytesPerStream")) bytes a stream, \(figure("peakMegabytes")) MB at most")
        let samples = member("confirmToEventMilliseconds", "samples")
        lines.append("confirm to event at \(plan.perSecond) notifications/s: \(waits.joined(separator: ", ")) (\(samples) of them)")
        for (part, what, below) in [("lists", "listings", "pgbench"), ("intents", "intents over HTTP", "amqp")] {
            let (http, other) = (member(part, "httpPerSecond"), member(part, "\(below)PerSecond"))
            lines.append("\(what): \(http)/s, \(below) \(other)/s, so ours is \(member(part, "ratio")) of it")
        }
        let zeros = ["lost", "duplicated", "unaccounted", "untold", "toldTwice", "incompleteEvents", "endedStreams", "refused"]
        lines.append(zeros.map { "\($0) \(figure($0))" }.joined(separator: ", ") + " of \(figure("confirmed")) confirmed")
        return lines.joined(separator: "\n")
    }
}
