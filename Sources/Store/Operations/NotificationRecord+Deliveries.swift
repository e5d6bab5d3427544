public import TidingsCore
public import TidingsJSON

extension NotificationRecord {
    /// A row of `tidings_ops.notifications`.
    public struct Notification: Sendable {
        public let id: NotificationID
        public let tenant: String
        public let type: String
        public let category: String
        public let recipientID: String
        public let lane: String
        public let source: String
        /// The older name of ``eventID``.
        public let idempotencyKey: String
        public let traceID: String?
        public let acceptedAt: String
        public let sendAt: String?
        public let expiresAt: String
        public let state: String
        /// The number of planned deliveries. The numbers that follow are parts of it.
        public let deliveries: Int
        public let delivered: Int
        public let sent: Int
        public let failed: Int
        public let notSent: Int
        public let finishedAt: String?
        public let catalogue: String
        public let eventID: String
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            id = try row.column("notification_id")
            tenant = try row.column("tenant")
            type = try row.column("type")
            category = try row.column("category")
            recipientID = try row.column("recipient_id")
            lane = try row.column("lane")
            source = try row.column("source")
            idempotencyKey = try row.column("idempotency_key")
            traceID = try row.column("trace_id")
            acceptedAt = try row.column("accepted_at")
            sendAt = try row.column("send_at")
            expiresAt = try row.column("expires_at")
            state = try row.column("state")
            deliveries = try row.column("deliveries")
            delivered = try row.column("delivered")
            sent = try row.column("sent")
            failed = try row.column("failed")
            notSent = try row.column("not_sent")
            finishedAt = try row.column("finished_at")
            catalogue = try row.column("catalogue")
            eventID = try row.column("event_id")
            self.row = row
        }
    }

    /// A row of `tidings_ops.deliveries`, with the meaning of its reason and the pause that it waits for.
    public struct Delivery: Sendable {
        public let id: String
        public let notificationID: NotificationID
        public let ordinal: Int
        public let tenant: String
        public let type: String
        public let category: String
        public let recipientID: String
        public let channel: String
        /// Empty if none was chosen.
        public let provider: String
        public let endpoint: String?
        public let state: String
        public let reasonCode: String
        public let attempts: Int
        public let dueAt: String?
        public let providerMessageID: String?
        public let createdAt: String
        public let finishedAt: String?
        public let pauseID: Int?
        /// Nil for a reason of a newer version, and so is ``whatToDo``.
        public let meaning: String?
        /// The next step on the channel of the delivery.
        public let whatToDo: String?
        /// The scope and the target of the pause that the delivery waits for. Nil if it waits for none, and so are the members that follow.
        public let paused: String?
        public let pauseReason: String?
        public let pausedBy: String?
        public let pausedAt: String?
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            id = try row.column("delivery_id")
            notificationID = try row.column("notification_id")
            ordinal = try row.column("ordinal")
            tenant = try row.column("tenant")
            type = try row.column("type")
            category = try row.column("category")
            recipientID = try row.column("recipient_id")
            channel = try row.column("channel")
            provider = try row.column("provider")
            endpoint = try row.column("endpoint")
            state = try row.column("state")
            reasonCode = try row.column("reason_code")
            attempts = try row.column("attempts")
            dueAt = try row.column("due_at")
            providerMessageID = try row.column("provider_message_id")
            createdAt = try row.column("created_at")
            finishedAt = try row.column("finished_at")
            pauseID = try row.column("pause_id")
            meaning = try row.column("meaning")
            whatToDo = try row.column("what_to_do")
            paused = try row.column("paused")
            pauseReason = try row.column("pause_reason")
            pausedBy = try row.column("paused_by")
            pausedAt = try row.column("paused_at")
            self.row = row
        }

        /// Nil for a state of a newer version.
        public var knownState: DeliveryState? { DeliveryState(rawValue: state) }
        /// Nil for a channel of a newer version.
        public var knownChannel: Channel? { Channel(rawValue: channel) }
    }

    /// A row of `tidings_ops.attempts`: one call to a provider.
    public struct Attempt: Sendable {
        public let deliveryID: String
        public let notificationID: NotificationID
        public let ordinal: Int
        /// The number of the call. The first call is 1.
        public let attempt: Int
        public let channel: String
        public let provider: String
        public let outcome: String
        public let reasonCode: String
        /// The HTTP status of the answer.
        public let providerStatus: Int?
        public let errorText: String?
        public let isPossibleDuplicate: Bool
        public let isLate: Bool
        public let idempotencyKey: String
        /// Nil for a first call that succeeded and left no text, and so are ``startedAt`` and ``durationMilliseconds``.
        public let workerID: String?
        public let startedAt: String?
        public let finishedAt: String
        public let durationMilliseconds: Int?
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            deliveryID = try row.column("delivery_id")
            notificationID = try row.column("notification_id")
            ordinal = try row.column("ordinal")
            attempt = try row.column("attempt")
            channel = try row.column("channel")
            provider = try row.column("provider")
            outcome = try row.column("outcome")
            reasonCode = try row.column("reason_code")
            providerStatus = try row.column("provider_status")
            errorText = try row.column("error_text")
            isPossibleDuplicate = try row.column("possible_duplicate")
            isLate = try row.column("late")
            idempotencyKey = try row.column("idempotency_key")
            workerID = try row.column("worker_id")
            startedAt = try row.column("started_at")
            finishedAt = try row.column("finished_at")
            durationMilliseconds = try row.column("duration_ms")
            self.row = row
        }
    }
}
