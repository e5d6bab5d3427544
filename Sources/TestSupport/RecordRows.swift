package import TidingsJSON
import TidingsStore

/// Rows that explain a notification, one of each kind, with a value in every column that its reader asks for. A column without a value here
/// has a made-up one.
package enum RecordRows {
    private static let id: JSON = "01a211a4-318c-7610-a6e0-44805af145a0"
    private static let deliveryID: JSON = "01a211a4-318c-7610-a6e0-44805af145a0/0"
    private static let time: JSON = "2026-11-25T07:38:22.989012+00:00"

    package static let notification = MadeUpRow.json([
        "notification_id": id, "tenant": "default", "type": "orderUpdate", "category": "transactional", "recipient_id": "ada",
        "lane": "urgent", "source": "/shop", "idempotency_key": "order-19", "trace_id": "00-1-2-01", "accepted_at": time, "send_at": time,
        "expires_at": time, "state": "done", "deliveries": 4, "delivered": 1, "sent": 1, "failed": 1, "not_sent": 1, "finished_at": time,
        "catalogue": "c", "event_id": "order-19",
    ]) { _ = try NotificationRecord.Notification($0) }

    package static let delivery = MadeUpRow.json([
        "delivery_id": deliveryID, "notification_id": id, "ordinal": 0, "tenant": "default", "type": "orderUpdate",
        "category": "transactional", "recipient_id": "ada", "channel": "push", "provider": "phone", "endpoint": "device-1", "state": "held",
        "reason_code": "paused", "attempts": 1, "due_at": time, "provider_message_id": "m", "created_at": time, "finished_at": time,
        "pause_id": 1, "meaning": "a pause is in force", "what_to_do": "wait", "paused": "provider phone", "pause_reason": "contract",
        "paused_by": "bob@ops", "paused_at": time,
    ]) { _ = try NotificationRecord.Delivery($0) }

    package static let attempt = MadeUpRow.json([
        "delivery_id": deliveryID, "notification_id": id, "ordinal": 0, "attempt": 1, "channel": "push", "provider": "phone",
        "outcome": "accepted", "reason_code": "accepted", "provider_status": 200, "error_text": "shortened", "possible_duplicate": false,
        "late": false, "idempotency_key": "01a211a4-318c-7610-a6e0-44805af145a0-0", "worker_id": "deliver-host1-4711-k2",
        "started_at": time, "finished_at": time, "duration_ms": 12,
    ]) { _ = try NotificationRecord.Attempt($0) }

    package static let decision = MadeUpRow.json([
        "notification_id": id, "ordinal": 0, "decided_at": time, "channel": "push", "provider": "phone", "verdict": "hold",
        "reason_code": "quietHours", "held_until": time, "strategy": "all", "catalogue": "c", "rules": ["all channels"],
        "notes": ["expiresWhileHeld"], "market": "default", "has_standby": true, "moved_from": "other", "moved_because": "breakerOpen",
    ]) { _ = try NotificationRecord.Decision($0) }

    package static let step = MadeUpRow.json([
        "at": time, "actor": "deliver-host1-4711-k2", "channel": "push", "verdict": "attempt 1", "reason_code": "accepted",
        "what_to_do": "nothing", "detail": "accepted", "ordinal": 0,
    ]) { _ = try NotificationRecord.Step($0) }

    package static let plan = MadeUpRow.json([
        "tenant": "default", "recipient_id": "ada", "device_id": "device-1", "delivery_id": deliveryID, "notification_id": id, "ordinal": 0,
        "type": "orderUpdate", "scheduled_for": time, "state": "told", "reason_code": "cancelledByProducer", "fires_at": time,
        "zone": "Europe/Paris", "version": 3, "planned_at": time, "confirmed_at": time, "expires_at": time, "plan_version": 3,
        "acked_version": 2, "synced_at": time, "acked_at": time, "woken_at": time,
    ]) { _ = try NotificationRecord.Plan($0) }

    package static let promise = MadeUpRow.json([
        "notification_id": id, "tenant": "default", "source": "/shop", "idempotency_key": "order-19", "reserved_at": time,
        "state": "rejected", "reason_code": "unknownType", "cancelled_at": time, "rejected_id": 7, "pointer": "/type",
        "message": "no such type", "what_to_do": "correct the event", "decided_as": id,
    ]) { _ = try NotificationPromise($0) }

    package static let found = MadeUpRow.json(["kind": "notification", "id": id, "matched_on": "notification_id", "at": time]) {
        _ = try FoundRecord($0)
    }

    /// One row with the columns of every kind but ``promise``.
    package static let merged: JSON = {
        var members = JSONObject()
        for row in [notification, delivery, attempt, decision, step, plan, found] {
            for entry in row.objectValue?.entries ?? [] { members[entry.key] = entry.value }
        }
        return .object(members)
    }()

    /// The row without one of its columns.
    package static func row(_ row: JSON, without column: String) -> JSON { changed(row, column, to: nil) }

    /// The row with another value in a column, or with one more column.
    package static func row(_ row: JSON, _ column: String, _ value: JSON) -> JSON { changed(row, column, to: value) }

    private static func changed(_ row: JSON, _ column: String, to value: JSON?) -> JSON {
        var members = row.objectValue ?? JSONObject()
        members[column] = value
        return .object(members)
    }
}
