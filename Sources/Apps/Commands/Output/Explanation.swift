import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsServer
import TidingsStore
import TidingsTimeZones

/// The explanation of a notification for a person at a terminal, from its record.
struct Explanation: Sendable {
    private let record: NotificationRecord
    /// Title and body; nil unless they were asked for.
    private let content: JSON?
    /// Shows times in the person's time zone, from the zone data of this machine.
    private let clock: WallClock

    /// Throws a ``Failure``: with exit code 1 if the notification does not exist, with 77 if this user may not read its content.
    init(of id: NotificationID, withContent: Bool = false, from store: Store) async throws {
        guard let found = try await NotificationRecord(of: id, from: store) else {
            throw Failure(.bad, "no notification \(id)", hint: "tidings find looks for any id; rows past their retention are deleted")
        }
        record = found
        content = withContent ? try await Self.content(of: id, from: store) : nil
        let (person, tenant) = (found.notification["recipient_id"]?.stringValue, found.notification["tenant"]?.stringValue)
        let name = try await store.timeZone(of: person ?? "", tenant: tenant ?? "")
        let now = store.clock.now().wholeSeconds
        do {
            let offsets = try TimeZoneDatabase.ofMachine().offsets(for: name, from: now - 86_400 * 400, through: now + 86_400 * 800)
            clock = WallClock(zone: .known(offsets))
        } catch {
            clock = WallClock(zone: .unknown(name))
        }
    }

    var hasFailure: Bool {
        deliveries.contains { ["failed", "expired"].contains($0["state"]?.stringValue ?? "") }
    }

    /// The person and the reasons, if every delivery has ended and none was sent or delivered. Nil for a notification that reached the
    /// person, or that may still do so.
    var unreached: String? {
        let isOver = deliveries.allSatisfy { delivery in
            switch delivery["state"]?.stringValue.flatMap({ DeliveryState(rawValue: $0) }) {
            case .suppressed, .cancelled, .expired, .failed: true
            case .held, .queued, .retrying, .sent, .delivered, nil: false
            }
        }
        guard isOver else { return nil }
        var reasons: [String] = []
        for delivery in deliveries {
            let reason = ["channel", "reason_code"].map { delivery[$0].map(Table.plain) ?? "" }.joined(separator: " ")
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        return "\(field("recipient_id")) was not reached: \(reasons.isEmpty ? "no channel" : reasons.joined(separator: ", "))"
    }

    static func all(of ids: [NotificationID], withContent: Bool = false, from store: Store) async throws -> [Explanation] {
        var explanations: [Explanation] = []
        for id in ids { explanations.append(try await Explanation(of: id, withContent: withContent, from: store)) }
        return explanations
    }

    private static func content(of id: NotificationID, from store: Store) async throws -> JSON? {
        do {
            return try await store.content(of: id)
        } catch let error as PostgresError where error.sqlState == "42501" {
            throw Failure(
                .notPermitted, "title and body are personal data, and this user of the database may not read them",
                hint: "grant usage on schema tidings to ROLE; grant select (id, title, body) on tidings.notifications to ROLE")
        }
    }

    /// Prints the explanations, then those of refused events. JSON is always an array, because an event may have made several notifications.
    static func print(_ explanations: [Explanation], refused: [RefusedExplanation] = [], as format: OutputFormat) {
        switch format {
        case .json, .jsonl:
            Output.list(explanations.map { $0.record.json(content: $0.content) } + refused.map(\.json), as: format, empty: "")
        case .text: for text in explanations.map(\.text) + refused.map(\.text) { Output.text(text) }
        }
    }

    func has(_ delivery: DeliveryKey) -> Bool { deliveries.contains { $0["delivery_id"]?.stringValue == "\(delivery)" } }

    private var notification: JSON { record.notification }
    private var deliveries: [JSON] { record.deliveries }
    private var attempts: [JSON] { record.attempts }
    private var decisions: [JSON] { record.decisions }

    private var text: String {
        var lines = [headline]
        for name in ["title", "body"] where content != nil { lines.append("  \(name): \(contentLine(name))") }
        for delivery in deliveries {
            lines.append(line(for: delivery))
            lines.append(line(forIdentityOf: delivery))
            lines += steps(of: delivery)
            lines += record.plans.filter { $0["ordinal"] == delivery["ordinal"] }.map(line(forPlan:))
            if delivery["state"]?.stringValue != "delivered", let advice = delivery["what_to_do"]?.stringValue, !advice.isEmpty {
                lines.append("              what to do: \(advice)")
            }
        }
        lines += engagement
        switch clock.zone {
        case .known(let offsets): lines.append("  times of day: \(offsets.name)")
        case .unknown(let name):
            lines.append("  time zone \(name) of the person is unknown on this machine: times are in UTC; tidings doctor")
        }
        for rule in decisions.first?["rules"]?.arrayValue ?? [] { lines.append("  rule: \(Table.plain(rule))") }
        for note in decisions.first?["notes"]?.arrayValue ?? [] { lines.append("  note: \(Self.words(of: note))") }
        lines.append("  notification \(field("notification_id"))   producer \(field("source")) \(field("idempotency_key"))")
        return lines.joined(separator: "\n")
    }

    /// The id for `tidings delivery show` and `retry`, the device, and the time of the end. Two devices of a person make two deliveries,
    /// which only these differ in.
    private func line(forIdentityOf delivery: JSON) -> String {
        func text(_ name: String) -> String { delivery[name].map(Table.plain) ?? "" }
        let isOnDevice = Channel(rawValue: text("channel"))?.endsOnDevice == true && !text("endpoint").isEmpty
        let ended = text("finished_at").isEmpty ? "" : ", ended \(time(text("finished_at")))"
        return "              delivery \(text("delivery_id"))\(isOnDevice ? ", device \(text("endpoint"))" : "")\(ended)"
    }

    /// The steps of a delivery that say more than its state: moves to another provider, attempts, and reports of provider and device. Each
    /// has its time, and they are in the order of time.
    private func steps(of delivery: JSON) -> [String] {
        func own(_ rows: [JSON], _ name: String, where isWanted: (JSON) -> Bool, _ line: (JSON) -> String) -> [(at: String, line: String)] {
            rows.filter { $0["ordinal"] == delivery["ordinal"] && isWanted($0) }.map { ($0[name]?.stringValue ?? "", line($0)) }
        }
        let steps =
            own(decisions, "decided_at", where: { $0["moved_from"]?.stringValue != nil }, words(ofMove:))
            + own(attempts, "finished_at", where: hasNews, words(ofAttempt:))
            + own(record.timeline, "at", where: isReport, words(ofReport:))
        let inOrder = steps.enumerated().sorted { one, other in
            let (first, second) = (Timestamp(rfc3339: one.element.at), Timestamp(rfc3339: other.element.at))
            return (first ?? .distantPast, one.offset) < (second ?? .distantPast, other.offset)
        }
        return inOrder.map { "              \(time($0.element.at))  \($0.element.line)" }
    }

    /// The events that the person's app reported, the oldest first.
    private var engagement: [String] {
        record.timeline.filter { $0["actor"]?.stringValue == "app" }.map { step in
            "  \(time(step["at"]?.stringValue ?? ""))  \(words(ofReport: step))"
        }
    }

    private func time(_ text: String) -> String { clock.timeOfDay(text, since: notification["accepted_at"]?.stringValue ?? "") }

    /// Whether a step is a report of a provider or of a device.
    private func isReport(_ step: JSON) -> Bool { ["provider", "device"].contains(step["actor"]?.stringValue ?? "") }

    /// Whether an attempt says more than its delivery: it failed, or its provider has a note about it.
    private func hasNews(_ attempt: JSON) -> Bool {
        attempt["outcome"]?.stringValue != "accepted" || attempt["error_text"]?.stringValue != nil
    }

    /// A note of a newer version has only its code.
    private static func words(of note: JSON) -> String {
        let code = note.stringValue ?? ""
        return code + (ReasonCode(rawValue: code).map { ": \($0.meaning)" } ?? "")
    }

    private func field(_ name: String) -> String { notification[name].map(Table.plain) ?? "" }

    /// One line of the content, cut to ``longestContentLine``. JSON has the whole content.
    private func contentLine(_ name: String) -> String {
        let text = content?[name].map(Table.plain) ?? ""
        return text.count > Self.longestContentLine ? text.prefix(Self.longestContentLine - 1) + "…" : text
    }

    /// Characters: two lines of an ordinary terminal.
    private static let longestContentLine = 160

    private var headline: String {
        "\(field("type")) (\(field("category"))) for \(field("recipient_id")), accepted \(field("accepted_at")): \(field("state"))"
    }

    private func line(for delivery: JSON) -> String {
        func text(_ name: String) -> String { delivery[name].map(Table.plain) ?? "" }
        func padded(_ value: String, _ width: Int) -> String {
            value + String(repeating: " ", count: max(1, width - value.count))
        }
        var line = "  " + padded(text("channel"), 10) + padded(text("state"), 12) + padded(text("reason_code"), 20)
        if !text("paused").isEmpty {
            line += "\(text("paused")) is paused since \(clock.moment(text("paused_at"))) by \(text("paused_by")): \(text("pause_reason"))"
        } else {
            line += text("due_at").isEmpty ? text("meaning") : "until \(clock.moment(text("due_at")))"
        }
        var notes: [String] = []
        // Name the provider of push: a market may have several.
        if text("channel") == "push", !text("provider").isEmpty { notes.append("by \(text("provider"))") }
        if let attempts = delivery["attempts"]?.intValue, attempts > 1 { notes.append("attempt \(attempts)") }
        if hasStandby(delivery) { notes.append("another provider stands by") }
        return notes.isEmpty ? line : line + " (\(notes.joined(separator: ", ")))"
    }

    /// Whether another provider may still take the delivery over.
    private func hasStandby(_ delivery: JSON) -> Bool {
        guard delivery["finished_at"]?.stringValue == nil else { return false }
        let latest = decisions.last { $0["ordinal"] == delivery["ordinal"] }
        return latest?["has_standby"]?.boolValue == true
    }

    /// The words that say why a delivery moved from one provider to another.
    private func words(ofMove decision: JSON) -> String {
        func text(_ name: String) -> String { decision[name].map(Table.plain) ?? "" }
        let meaning = ReasonCode(rawValue: text("moved_because"))?.meaning ?? ""
        return "moved from \(text("moved_from")) to \(text("provider")): \(text("moved_because")). \(meaning)"
    }

    private func words(ofAttempt attempt: JSON) -> String {
        func text(_ name: String) -> String { attempt[name].map(Table.plain) ?? "" }
        let status = text("provider_status").isEmpty ? "" : " \(text("provider_status"))"
        let duplicate = attempt["possible_duplicate"]?.boolValue == true ? ", may arrive twice" : ""
        let error = text("error_text").isEmpty ? "" : "\n                \(text("error_text"))"
        let took = text("duration_ms")
        // Some outcomes have a reason of the same name.
        let reason = text("reason_code") == text("outcome") ? "" : " \(text("reason_code"))"
        return "attempt \(text("attempt")): \(text("outcome"))\(status)\(reason), \(took) ms\(duplicate)\(error)"
    }

    /// The report of a provider, a device or an app, also one that changed nothing.
    private func words(ofReport step: JSON) -> String {
        func text(_ name: String) -> String { step[name].map(Table.plain) ?? "" }
        return text("detail") + (text("reason_code").isEmpty ? "" : " (\(text("reason_code")))")
    }

    private func line(forPlan plan: JSON) -> String {
        func text(_ name: String) -> String { plan[name].map(Table.plain) ?? "" }
        let place = text("version").isEmpty ? "" : " in version \(text("version")) of"
        let time = text("fires_at").isEmpty ? text("scheduled_for") : text("fires_at")
        let when = time.isEmpty ? "at once" : clock.moment(time)
        let heard = text("confirmed_at").isEmpty ? "" : ", confirmed \(clock.moment(text("confirmed_at")))"
        return
            "              \(text("state"))\(place.isEmpty ? " in" : place) the plan of device \(text("device_id")), shows \(when)\(heard)"
    }
}
