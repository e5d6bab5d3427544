import TidingsJSON
import TidingsServer
import TidingsStore

/// The explanation of a refused event for a person at a terminal.
struct RefusedExplanation: Sendable {
    private let row: JSON
    private let event: EventRefusal

    init(_ row: JSON) throws(ReportError) {
        self.row = row
        event = try EventRefusal(row)
    }

    /// The refused events among the records of ``Store/Operations/find(_:tokens:)``, newest first, each once.
    static func all(in found: [FoundRecord], from store: Store) async throws -> [RefusedExplanation] {
        let ids = Set(found.filter { $0.kind == .rejected }.compactMap { Int64($0.id) })
        return try await store.refused.rejections(ids.sorted()).map { try RefusedExplanation($0) }
    }

    /// The event beside the notifications of an answer.
    var json: JSON { ["rejected": row] }

    /// One line for a command that finds no notification.
    var hint: String { "the event was refused: \(reason); tidings rejected show \(event.id)" }

    var text: String {
        var lines = [headline, "  \(plain(event.message))"]
        let advice = plain(event.whatToDo)
        if !advice.isEmpty { lines.append("  what to do: \(advice)") }
        if !event.isVerified {
            lines.append("  not verified: the event is broken, or its publisher may not use these names")
        }
        lines.append("  rejected \(event.id)   producer \(plain(event.source)) \(plain(event.eventID))")
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let type = plain(event.type)
        return "\(type.isEmpty ? "an event" : type)\(people), refused \(plain(event.lastAt)): \(reason)"
            + (event.occurrences > 1 ? ", \(event.occurrences) times" : "")
            + (event.state == "open" ? "" : ", \(plain(event.state))")
    }

    private var people: String {
        let first = plain(event.recipient)
        let more = event.recipients - 1
        return first.isEmpty ? "" : " for \(first)" + (more > 0 ? " and \(more) more" : "")
    }

    private var reason: String {
        let place = plain(event.pointer)
        return plain(event.reason) + (place.isEmpty ? "" : " at \(place)")
    }

    private func plain(_ text: String?) -> String { text.map { Table.plain(.string($0)) } ?? "" }
}
