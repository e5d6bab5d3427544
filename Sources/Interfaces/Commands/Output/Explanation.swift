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
        let name = try await store.operations.timeZone(of: found.notification.recipientID, tenant: found.notification.tenant)
        let now = store.clock.now().wholeSeconds
        do {
            let offsets = try TimeZoneDatabase.ofMachine().offsets(for: name, from: now - 86_400 * 400, through: now + 86_400 * 800)
            clock = WallClock(zone: .known(offsets))
        } catch {
            clock = WallClock(zone: .unknown(name))
        }
    }

    var hasFailure: Bool {
        deliveries.contains { $0.knownState == .failed || $0.knownState == .expired }
    }

    /// The person and the reasons, if every delivery has ended and none was sent or delivered. Nil for a notification that reached the
    /// person, or that may still do so.
    var unreached: String? {
        let isOver = deliveries.allSatisfy { delivery in
            switch delivery.knownState {
            case .suppressed, .cancelled, .expired, .failed: true
            case .held, .queued, .retrying, .sent, .delivered, nil: false
            }
        }
        guard isOver else { return nil }
        var reasons: [String] = []
        for delivery in deliveries {
            let reason = "\(delivery.channel) \(delivery.reasonCode)".printable
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        let person = notification.recipientID.printable
        return "\(person) was not reached: \(reasons.isEmpty ? "no channel" : reasons.joined(separator: ", "))"
    }

    static func all(of ids: [NotificationID], withContent: Bool = false, from store: Store) async throws -> [Explanation] {
        var explanations: [Explanation] = []
        for id in ids { explanations.append(try await Explanation(of: id, withContent: withContent, from: store)) }
        return explanations
    }

    private static func content(of id: NotificationID, from store: Store) async throws -> JSON? {
        do {
            return try await store.operations.content(of: id)
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

    func has(_ delivery: DeliveryKey) -> Bool { deliveries.contains { $0.id == "\(delivery)" } }

    private var notification: NotificationRecord.Notification { record.notification }
    private var deliveries: [NotificationRecord.Delivery] { record.deliveries }
    private var decisions: [NotificationRecord.Decision] { record.decisions }

    private var text: String {
        var lines = [headline]
        for name in ["title", "body"] where content != nil { lines.append("  \(name): \(contentLine(name))") }
        for delivery in deliveries {
            lines.append(line(for: delivery))
            lines.append(line(forIdentityOf: delivery))
            lines += steps(of: delivery)
            lines += record.plans.filter { $0.ordinal == delivery.ordinal }.map(line(forPlan:))
            if delivery.knownState != .delivered, let advice = delivery.whatToDo, !advice.isEmpty {
                lines.append("              what to do: \(advice)")
            }
        }
        lines += engagement
        switch clock.zone {
        case .known(let offsets): lines.append("  times of day: \(offsets.name)")
        case .unknown(let name):
            lines.append("  time zone \(name) of the person is unknown on this machine: times are in UTC; tidings doctor")
        }
        for rule in decisions.first?.rules ?? [] { lines.append("  rule: \(rule.printable)") }
        for note in decisions.first?.notes ?? [] { lines.append("  note: \(Self.words(ofNote: note))") }
        let producer = "\(notification.source) \(notification.idempotencyKey)".printable
        lines.append("  notification \(notification.id)   producer \(producer)")
        return lines.joined(separator: "\n")
    }

    /// The id for `tidings delivery show` and `retry`, the device, and the time of the end. Two devices of a person make two deliveries,
    /// which only these differ in.
    private func line(forIdentityOf delivery: NotificationRecord.Delivery) -> String {
        let endpoint = delivery.knownChannel?.endsOnDevice == true ? delivery.endpoint?.printable ?? "" : ""
        let device = endpoint.isEmpty ? "" : ", device \(endpoint)"
        let ended = delivery.finishedAt.map { ", ended \(time($0))" } ?? ""
        return "              delivery \(delivery.id)\(device)\(ended)"
    }

    /// The steps of a delivery that say more than its state: moves to another provider, attempts, and reports of provider and device. Each
    /// has its time, and they are in the order of time.
    private func steps(of delivery: NotificationRecord.Delivery) -> [String] {
        let moves = decisions.filter { $0.ordinal == delivery.ordinal && $0.movedFrom != nil }
        let attempts = record.attempts.filter { $0.ordinal == delivery.ordinal && hasNews($0) }
        let reports = record.timeline.filter { $0.ordinal == delivery.ordinal && isReport($0) }
        var steps: [(at: String, line: String)] = moves.map { (at: $0.decidedAt, line: words(ofMove: $0)) }
        steps += attempts.map { (at: $0.finishedAt, line: words(ofAttempt: $0)) }
        steps += reports.map { (at: $0.at, line: words(ofReport: $0)) }
        let inOrder = steps.enumerated().sorted { one, other in
            let (first, second) = (Timestamp(rfc3339: one.element.at), Timestamp(rfc3339: other.element.at))
            return (first ?? .distantPast, one.offset) < (second ?? .distantPast, other.offset)
        }
        return inOrder.map { "              \(time($0.element.at))  \($0.element.line)" }
    }

    /// The events that the person's app reported, the oldest first.
    private var engagement: [String] {
        record.timeline.filter { $0.actor == "app" }.map { "  \(time($0.at))  \(words(ofReport: $0))" }
    }

    private func time(_ text: String) -> String { clock.timeOfDay(text, since: notification.acceptedAt) }

    /// Whether a step is a report of a provider or of a device.
    private func isReport(_ step: NotificationRecord.Step) -> Bool { ["provider", "device"].contains(step.actor) }

    /// Whether an attempt says more than its delivery: it failed, or its provider has a note about it.
    private func hasNews(_ attempt: NotificationRecord.Attempt) -> Bool { attempt.outcome != "accepted" || attempt.errorText != nil }

    /// A note of a newer version has only its code.
    private static func words(ofNote code: String) -> String {
        code + (ReasonCode(rawValue: code).map { ": \($0.meaning)" } ?? "")
    }

    /// One line of the content, cut to ``longestContentLine``. JSON has the whole content.
    private func contentLine(_ name: String) -> String {
        let text = content?[name].map(Table.plain) ?? ""
        return text.count > Self.longestContentLine ? text.prefix(Self.longestContentLine - 1) + "…" : text
    }

    /// Characters: two lines of an ordinary terminal.
    private static let longestContentLine = 160

    private var headline: String {
        let (type, person) = (notification.type.printable, notification.recipientID.printable)
        return "\(type) (\(notification.category)) for \(person), accepted \(notification.acceptedAt): \(notification.state)"
    }

    private func line(for delivery: NotificationRecord.Delivery) -> String {
        func padded(_ value: String, _ width: Int) -> String {
            value + String(repeating: " ", count: max(1, width - value.count))
        }
        var line = "  " + padded(delivery.channel, 10) + padded(delivery.state, 12) + padded(delivery.reasonCode, 20)
        if let paused = delivery.paused {
            let (since, author) = (clock.moment(delivery.pausedAt ?? ""), delivery.pausedBy ?? "")
            line += "\(paused) is paused since \(since) by \(author): \(delivery.pauseReason ?? "")".printable
        } else if let due = delivery.dueAt {
            line += "until \(clock.moment(due))"
        } else {
            line += delivery.meaning ?? ""
        }
        var notes: [String] = []
        // Name the provider of push: a market may have several.
        if delivery.knownChannel == .push, !delivery.provider.isEmpty { notes.append("by \(delivery.provider.printable)") }
        if delivery.attempts > 1 { notes.append("attempt \(delivery.attempts)") }
        if hasStandby(delivery) { notes.append("another provider stands by") }
        return notes.isEmpty ? line : line + " (\(notes.joined(separator: ", ")))"
    }

    /// Whether another provider may still take the delivery over.
    private func hasStandby(_ delivery: NotificationRecord.Delivery) -> Bool {
        guard delivery.finishedAt == nil else { return false }
        return decisions.last { $0.ordinal == delivery.ordinal }?.hasStandby == true
    }

    /// The words that say why a delivery moved from one provider to another.
    private func words(ofMove decision: NotificationRecord.Decision) -> String {
        let reason = decision.movedBecause ?? ""
        let meaning = ReasonCode(rawValue: reason)?.meaning ?? ""
        return "moved from \(decision.movedFrom ?? "") to \(decision.provider): \(reason). \(meaning)".printable
    }

    private func words(ofAttempt attempt: NotificationRecord.Attempt) -> String {
        let status = attempt.providerStatus.map { " \($0)" } ?? ""
        let duplicate = attempt.isPossibleDuplicate ? ", may arrive twice" : ""
        let text = attempt.errorText?.printable ?? ""
        let error = text.isEmpty ? "" : "\n                \(text)"
        let took = attempt.durationMilliseconds.map { "\($0)" } ?? ""
        // Some outcomes have a reason of the same name.
        let reason = attempt.reasonCode == attempt.outcome ? "" : " \(attempt.reasonCode)"
        return "attempt \(attempt.attempt): \(attempt.outcome)\(status)\(reason), \(took) ms\(duplicate)\(error)"
    }

    /// The report of a provider, a device or an app, also one that changed nothing.
    private func words(ofReport step: NotificationRecord.Step) -> String {
        (step.detail?.printable ?? "") + (step.reasonCode.map { " (\($0))" } ?? "")
    }

    private func line(forPlan plan: NotificationRecord.Plan) -> String {
        let place = plan.version.map { "in version \($0) of" } ?? "in"
        let when = (plan.firesAt ?? plan.scheduledFor).map { clock.moment($0) } ?? "at once"
        let heard = plan.confirmedAt.map { ", confirmed \(clock.moment($0))" } ?? ""
        return "              \(plan.state) \(place) the plan of device \(plan.deviceID.printable), shows \(when)\(heard)"
    }
}
