import TidingsJSON
import TidingsServer
import TidingsStore

/// The explanation of a refused event for a person at a terminal.
struct RefusedExplanation: Sendable {
    private let row: JSON

    /// The refused events among the rows of ``Store/find(_:)``, newest first, each once.
    static func all(in found: [JSON], from store: Store) async throws -> [RefusedExplanation] {
        let rows = found.filter { $0["kind"]?.stringValue == "rejected" }
        let ids = Set(rows.compactMap { row in row["id"]?.stringValue.flatMap { Int64($0) } })
        return try await store.rejections(ids.sorted()).map { RefusedExplanation(row: $0) }
    }

    /// The event beside the notifications of an answer.
    var json: JSON { ["rejected": row] }

    /// One line for a command that finds no notification.
    var hint: String { "the event was refused: \(reason); tidings rejected show \(field("rejected_id"))" }

    var text: String {
        var lines = [headline, "  \(field("message"))"]
        let advice = field("what_to_do")
        if !advice.isEmpty { lines.append("  what to do: \(advice)") }
        if row["verified"]?.boolValue == false {
            lines.append("  not verified: the event is broken, or its publisher may not use these names")
        }
        lines.append("  rejected \(field("rejected_id"))   producer \(field("source")) \(field("event_id"))")
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let type = field("type")
        let times = row["occurrences"]?.intValue ?? 1
        return "\(type.isEmpty ? "an event" : type)\(people), refused \(field("last_at")): \(reason)"
            + (times > 1 ? ", \(times) times" : "") + (field("state") == "open" ? "" : ", \(field("state"))")
    }

    private var people: String {
        let first = field("recipient_id")
        let more = (row["recipients"]?.intValue ?? 0) - 1
        return first.isEmpty ? "" : " for \(first)" + (more > 0 ? " and \(more) more" : "")
    }

    private var reason: String {
        let place = field("pointer")
        return field("reason_code") + (place.isEmpty ? "" : " at \(place)")
    }

    private func field(_ name: String) -> String { row[name].map(Table.plain) ?? "" }
}
