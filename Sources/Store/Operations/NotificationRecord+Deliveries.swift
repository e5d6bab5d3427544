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
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            id = try read.column("notification_id")
            tenant = try read.column("tenant")
            type = try read.column("type")
            category = try read.column("category")
            recipientID = try read.column("recipient_id")
            lane = try read.column("lane")
            source = try read.column("source")
            idempotencyKey = try read.column("idempotency_key")
            traceID = try read.column("trace_id")
            acceptedAt = try read.column("accepted_at")
            sendAt = try read.column("send_at")
            expiresAt = try read.column("expires_at")
            state = try read.column("state")
            deliveries = try read.column("deliveries")
            delivered = try read.column("delivered")
            sent = try read.column("sent")
            failed = try read.column("failed")
            notSent = try read.column("not_sent")
            finishedAt = try read.column("finished_at")
            catalogue = try read.column("catalogue")
            eventID = try read.column("event_id")
            self.row = row
            told = read.told
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
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            id = try read.column("delivery_id")
            notificationID = try read.column("notification_id")
            ordinal = try read.column("ordinal")
            tenant = try read.column("tenant")
            type = try read.column("type")
            category = try read.column("category")
            recipientID = try read.column("recipient_id")
            channel = try read.column("channel")
            provider = try read.column("provider")
            endpoint = try read.column("endpoint")
            state = try read.column("state")
            reasonCode = try read.column("reason_code")
            attempts = try read.column("attempts")
            dueAt = try read.column("due_at")
            providerMessageID = try read.column("provider_message_id")
            createdAt = try read.column("created_at")
            finishedAt = try read.column("finished_at")
            pauseID = try read.column("pause_id")
            meaning = try read.column("meaning")
            whatToDo = try read.column("what_to_do")
            paused = try read.column("paused")
            pauseReason = try read.forOperators("pause_reason")
            pausedBy = try read.forOperators("paused_by")
            pausedAt = try read.column("paused_at")
            self.row = row
            told = read.told
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
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            deliveryID = try read.column("delivery_id")
            notificationID = try read.column("notification_id")
            ordinal = try read.column("ordinal")
            attempt = try read.column("attempt")
            channel = try read.column("channel")
            provider = try read.column("provider")
            outcome = try read.column("outcome")
            reasonCode = try read.column("reason_code")
            providerStatus = try read.column("provider_status")
            errorText = try read.column("error_text")
            isPossibleDuplicate = try read.column("possible_duplicate")
            isLate = try read.column("late")
            idempotencyKey = try read.column("idempotency_key")
            workerID = try read.forOperators("worker_id")
            startedAt = try read.column("started_at")
            finishedAt = try read.column("finished_at")
            durationMilliseconds = try read.column("duration_ms")
            self.row = row
            told = read.told
        }
    }
}
