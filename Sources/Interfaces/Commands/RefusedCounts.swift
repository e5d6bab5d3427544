import TidingsJSON
import TidingsServer
import TidingsStore

/// The results of a command, counted over its rows.
struct RefusedCounts {
    /// Problems that are printed one by one. Further problems are only counted.
    private static let shownProblems = 20
    /// Groups of a dry run. Producers choose the types, so there may be any number of them.
    private static let shownGroups = 200

    private let selection: RefusedSelection
    /// Rows that were published again, or closed.
    var done = 0
    /// Rows that were published again, and whose messages were refused again before the rows could be closed. ``done`` does not have them.
    var stillOpen = 0
    private var found = 0
    private var notDone = 0
    private var problems: [(id: Int64, text: String)] = []
    private var reasonsNot: [String: Int] = [:]
    private var groups: [Group: Int] = [:]

    private struct Group: Hashable {
        var reason: String
        var subject: String
        var whyNot: WhyNot?
    }

    init(_ selection: RefusedSelection) { self.selection = selection }

    /// Returns the rows that can be published. Counts all other rows with their reasons.
    mutating func publishable(_ rows: [RefusedRow]) -> [RefusedRow] {
        found += rows.count
        return rows.filter { row in
            guard let whyNot = row.whyNot else { return true }
            note(row.id, whyNot.text(of: row), whyNot.rawValue)
            return false
        }
    }

    /// Returns the rows that are open. Counts all other rows.
    mutating func open(_ rows: [RefusedRow]) -> [RefusedRow] {
        found += rows.count
        return rows.filter { row in
            guard row.whyNot == .closed else { return true }
            note(row.id, WhyNot.closed.text(of: row), WhyNot.closed.rawValue)
            return false
        }
    }

    /// Counts a row that the command could not publish or close.
    mutating func note(_ id: Int64, _ text: String, _ word: String = "failed") {
        notDone += 1
        reasonsNot[word, default: 0] += 1
        if problems.count < Self.shownProblems { problems.append((id, text)) }
    }

    /// Counts rows for a dry run.
    mutating func preview(_ rows: [RefusedRow], asReplay: Bool) {
        found += rows.count
        for row in rows {
            let whyNot = asReplay || row.whyNot == .closed ? row.whyNot : nil
            var group = Group(reason: row.reason, subject: row.subject, whyNot: whyNot)
            if groups[group] == nil, groups.count >= Self.shownGroups { group.subject = "(others)" }
            groups[group, default: 0] += 1
            if whyNot == nil { done += 1 } else { notDone += 1 }
        }
    }

    private var notFound: Int { selection.limit == .max ? max(0, selection.ids.count - found) : 0 }

    /// Prints the counts. Throws if the command ended early, could not do all rows, or if rows were refused again.
    func finish(_ done: String, stoppedBy failure: (any Error)?) throws {
        let missing = failure == nil ? notFound : 0
        if selection.format != .text {
            var object = JSONObject()
            object["done"] = number(self.done)
            object["refused_again"] = number(stillOpen)
            object["not_done"] = number(notDone)
            object["not_found"] = number(missing)
            object["reasons"] = .object(JSONObject(reasonsNot))
            object["ended_early"] = .bool(failure != nil)
            Output.one(.object(object), as: selection.format)
        } else if selection.ids.count == 1, self.done == 1, let id = selection.ids.first {
            Output.note("\(id) was \(done)")
        } else if selection.ids.count != 1 {
            Output.note("\(self.done) \(self.done == 1 ? "row was" : "rows were") \(done)")
        }
        if stillOpen > 0, selection.ids.count != 1 {
            Output.note("\(stillOpen) \(stillOpen == 1 ? "row stays open: it was" : "rows stay open: they were") refused again")
        }
        if selection.ids.count != 1 { for problem in problems { Output.note("  \(problem.id): \(problem.text)") } }
        if let failure { throw failure }
        guard notDone + missing + stillOpen > 0 else { return }
        if selection.ids.count == 1, let id = selection.ids.first {
            guard stillOpen == 0 else {
                throw Failure(.bad, "\(id) stays open: it was refused again", hint: "tidings \(selection.table.rawValue) show \(id)")
            }
            throw Failure(.bad, problems.first.map { "\(id) \($0.text)" } ?? "no \(selection.table.rawValue) row has the number \(id)")
        }
        let all = self.done + stillOpen + notDone + missing
        guard notDone + missing > 0 else { throw Failure(.bad, "\(stillOpen) of \(all) rows were refused again") }
        throw Failure(
            .bad, "\(notDone + missing) of \(all) rows were not \(done)",
            hint: missing > 0 ? "\(missing) of the numbers belong to no row" : nil)
    }

    /// Prints the effect that the command has without `--dry-run`. Throws if the command could not do all rows.
    func finishPreview(_ done: String) throws {
        let rows = groups.sorted { ($1.value, $0.key.reason, $0.key.subject) < ($0.value, $1.key.reason, $1.key.subject) }.map {
            group, count in
            let subject = selection.table == .rejected ? "type" : "origin_queue"
            return [
                "reason_code": .string(group.reason), subject: .string(group.subject), "rows": number(count),
                "why_not": group.whyNot.map { .string($0.rawValue) } ?? .null,
            ] as JSON
        }
        if selection.format == .text {
            if !rows.isEmpty { Output.list(rows, as: .text, empty: "") }
            Output.note("\(self.done) \(self.done == 1 ? "row" : "rows") would be \(done), \(notDone) would not; nothing was changed")
        } else {
            Output.one(
                [
                    "would_do": number(self.done), "would_not": number(notDone), "not_found": number(notFound), "groups": .array(rows),
                ], as: selection.format)
        }
        guard notDone + notFound > 0 else { return }
        throw Failure(
            .bad, "\(notDone + notFound) of \(self.done + notDone + notFound) rows cannot be \(done)",
            hint: notFound > 0 ? "\(notFound) of the numbers belong to no row" : nil)
    }
}

extension WhyNot {
    /// The end of a sentence that begins with the row's number.
    func text(of row: RefusedRow) -> String {
        switch self {
        case .closed: "was closed before: its state is \(row.state)"
        case .bytesNotKept: "cannot be replayed: its bytes were not kept, as the budget of its day was used up"
        case .keptInPart: "cannot be replayed: only a part of it was kept"
        case .refusedAgain: "cannot be replayed: \(row.reason) holds for the same event at any time"
        case .contentType: "cannot be replayed: its content type is not understood"
        }
    }
}

private func number(_ value: Int) -> JSON { .number(JSONNumber(Int64(value))) }

extension JSONObject {
    fileprivate init(_ counts: [String: Int]) {
        self.init()
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { self[name] = number(count) }
    }
}
