import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The answer to a producer who asks what happened to a notification. `Explanation` in `openapi.yaml` lists its members.
///
/// The members are written one by one: a column that an operator adds to a view does not go out. The names of machines and operators are
/// left out, and so are the reasons that operators wrote for each other.
struct NotificationAnswer: Sendable {
    private let found: PromisedNotification

    init(_ found: PromisedNotification) { self.found = found }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("notification")
        switch found {
        case .record(let record):
            record.notification.writeForProducer(to: &json)
            list("deliveries", of: record.deliveries, to: &json) { $0.writeForProducer(to: &$1) }
            list("attempts", of: record.attempts, to: &json) { $0.writeForProducer(to: &$1) }
            list("decisions", of: record.decisions, to: &json) { $0.writeForProducer(to: &$1) }
            list("timeline", of: record.timeline, to: &json) { $0.writeForProducer(to: &$1) }
            list("plans", of: record.plans, to: &json) { $0.writeForProducer(to: &$1) }
        case .promise(let promise):
            promise.writeForProducer(to: &json)
            for name in ["deliveries", "attempts", "decisions", "timeline", "plans"] {
                json.key(name)
                json.beginArray()
                json.endArray()
            }
        }
        json.endObject()
    }

    private func list<Row>(_ name: String, of rows: [Row], to json: inout JSONWriter, _ write: (Row, inout JSONWriter) -> Void) {
        json.key(name)
        json.beginArray()
        for row in rows { write(row, &json) }
        json.endArray()
    }
}

extension NotificationRecord.Notification {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("notification_id", id.description)
        json.member("tenant", tenant)
        json.member("type", type)
        json.member("category", category)
        json.member("recipient_id", recipientID)
        json.member("lane", lane)
        json.member("source", source)
        json.member("idempotency_key", idempotencyKey)
        json.optional("trace_id", traceID)
        json.member("accepted_at", acceptedAt)
        json.optional("send_at", sendAt)
        json.member("expires_at", expiresAt)
        json.member("state", state)
        json.member("deliveries", deliveries)
        json.member("delivered", delivered)
        json.member("sent", sent)
        json.member("failed", failed)
        json.member("not_sent", notSent)
        json.optional("finished_at", finishedAt)
        json.member("catalogue", catalogue)
        json.member("event_id", eventID)
        json.endObject()
    }
}

extension NotificationPromise {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("notification_id", id.description)
        json.member("tenant", tenant)
        json.optional("source", source)
        json.optional("idempotency_key", idempotencyKey)
        json.optional("reserved_at", reservedAt)
        json.member("state", state.rawValue)
        json.optional("reason_code", reasonCode)
        json.optional("cancelled_at", cancelledAt)
        json.optional("rejected_id", rejectedID)
        json.optional("pointer", pointer)
        json.optional("message", message)
        json.optional("what_to_do", whatToDo)
        json.endObject()
    }
}

extension NotificationRecord.Delivery {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("delivery_id", id)
        json.member("notification_id", notificationID.description)
        json.member("ordinal", ordinal)
        json.member("tenant", tenant)
        json.member("type", type)
        json.member("category", category)
        json.member("recipient_id", recipientID)
        json.member("channel", channel)
        json.member("provider", provider)
        json.optional("endpoint", endpoint)
        json.member("state", state)
        json.member("reason_code", reasonCode)
        json.member("attempts", attempts)
        json.optional("due_at", dueAt)
        json.optional("provider_message_id", providerMessageID)
        json.member("created_at", createdAt)
        json.optional("finished_at", finishedAt)
        json.optional("pause_id", pauseID)
        json.optional("meaning", meaning)
        json.optional("what_to_do", whatToDo)
        json.optional("paused", paused)
        json.optional("paused_at", pausedAt)
        json.endObject()
    }
}

extension NotificationRecord.Attempt {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("delivery_id", deliveryID)
        json.member("notification_id", notificationID.description)
        json.member("ordinal", ordinal)
        json.member("attempt", attempt)
        json.member("channel", channel)
        json.member("provider", provider)
        json.member("outcome", outcome)
        json.member("reason_code", reasonCode)
        json.optional("provider_status", providerStatus)
        json.optional("error_text", errorText)
        json.member("possible_duplicate", isPossibleDuplicate)
        json.member("late", isLate)
        json.member("idempotency_key", idempotencyKey)
        json.optional("started_at", startedAt)
        json.member("finished_at", finishedAt)
        json.optional("duration_ms", durationMilliseconds)
        json.endObject()
    }
}

extension NotificationRecord.Decision {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("notification_id", notificationID.description)
        json.member("ordinal", ordinal)
        json.member("decided_at", decidedAt)
        json.member("channel", channel)
        json.member("provider", provider)
        json.member("verdict", verdict)
        json.optional("reason_code", reasonCode)
        json.optional("held_until", heldUntil)
        json.optional("strategy", strategy)
        json.member("catalogue", catalogue)
        json.optional("rules", rules)
        json.optional("notes", notes)
        json.member("market", market)
        json.member("has_standby", hasStandby)
        json.optional("moved_from", movedFrom)
        json.optional("moved_because", movedBecause)
        json.endObject()
    }
}

extension NotificationRecord.Step {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("at", at)
        json.member("actor", Self.actors.contains(actor) ? actor : "deliver")
        json.optional("channel", channel)
        json.member("verdict", verdict)
        json.optional("reason_code", reasonCode)
        json.optional("what_to_do", whatToDo)
        json.optional("detail", detailForProducer)
        json.optional("ordinal", ordinal)
        json.endObject()
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

extension NotificationRecord.Plan {
    fileprivate func writeForProducer(to json: inout JSONWriter) {
        json.beginObject()
        json.member("tenant", tenant)
        json.member("recipient_id", recipientID)
        json.member("device_id", deviceID)
        json.member("delivery_id", deliveryID)
        json.member("notification_id", notificationID.description)
        json.member("ordinal", ordinal)
        json.member("type", type)
        json.optional("scheduled_for", scheduledFor)
        json.member("state", state)
        json.optional("reason_code", reasonCode)
        json.optional("fires_at", firesAt)
        json.optional("zone", zone)
        json.optional("version", version)
        json.member("planned_at", plannedAt)
        json.optional("confirmed_at", confirmedAt)
        json.member("expires_at", expiresAt)
        json.optional("plan_version", planVersion)
        json.optional("acked_version", acknowledgedVersion)
        json.optional("synced_at", syncedAt)
        json.optional("acked_at", acknowledgedAt)
        json.optional("woken_at", wokenAt)
        json.endObject()
    }
}

extension JSONWriter {
    /// Writes a member with an array of texts, or null.
    fileprivate mutating func optional(_ name: String, _ texts: [String]?) {
        key(name)
        guard let texts else { return null() }
        beginArray()
        for text in texts { string(text) }
        endArray()
    }
}
