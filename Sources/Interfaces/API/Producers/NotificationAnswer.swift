import TidingsJSON
import TidingsStore

/// The answer to a producer who asks what happened to a notification. `Explanation` in `openapi.yaml` lists its members.
///
/// The readers of the rows say which columns a producer may see. The names of machines and operators are left out, and so are the reasons
/// that operators wrote for each other.
struct NotificationAnswer: Sendable {
    private let found: PromisedNotification

    init(_ found: PromisedNotification) { self.found = found }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("notification")
        switch found {
        case .record(let record):
            json.value(.object(record.notification.told))
            list("deliveries", record.deliveries.map(\.told), to: &json)
            list("attempts", record.attempts.map(\.told), to: &json)
            list("decisions", record.decisions.map(\.told), to: &json)
            list("timeline", record.timeline.map(\.withoutNames), to: &json)
            list("plans", record.plans.map(\.told), to: &json)
        case .promise(let promise):
            json.value(.object(promise.told))
            for name in ["deliveries", "attempts", "decisions", "timeline", "plans"] { list(name, [], to: &json) }
        }
        json.endObject()
    }

    private func list(_ name: String, _ rows: [JSONObject], to json: inout JSONWriter) {
        json.key(name)
        json.beginArray()
        for row in rows { json.value(.object(row)) }
        json.endArray()
    }
}

extension NotificationRecord.Step {
    /// The columns for producers, without the names of processes and the reasons of pauses.
    fileprivate var withoutNames: JSONObject {
        var members = told
        members["actor"] = .string(Self.actors.contains(actor) ? actor : "deliver")
        members["detail"] = detailForProducer.map { JSON.string($0) } ?? JSON.null
        return members
    }

    /// The actors of a timeline that are no process.
    private static let actors: Set = ["router", "deliver", "release", "provider", "device", "app"]
    /// The words between the name of a pause and its reason, in the detail of a wait.
    private static let pauseWords = " is resumed"

    private var detailForProducer: String? {
        guard verdict == "waiting", let detail, let words = detail.firstRange(of: Self.pauseWords + ": ") else { return detail }
        return String(detail[..<words.lowerBound]) + Self.pauseWords
    }
}
