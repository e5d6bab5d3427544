public import TidingsCore
public import TidingsJSON

extension NotificationRecord {
    /// A row of `tidings_ops.decisions`: one decision about a channel.
    public struct Decision: Sendable {
        public let notificationID: NotificationID
        public let ordinal: Int
        public let decidedAt: String
        public let channel: String
        /// Empty if none was chosen.
        public let provider: String
        public let verdict: String
        public let reasonCode: String?
        public let heldUntil: String?
        /// Nil for a later decision, and so are ``rules`` and ``notes``.
        public let strategy: String?
        public let catalogue: String
        public let rules: [String]?
        public let notes: [String]?
        public let market: String
        public let hasStandby: Bool
        /// The provider that the delivery left. Nil if the delivery did not move, and so is ``movedBecause``.
        public let movedFrom: String?
        public let movedBecause: String?
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            notificationID = try read.column("notification_id")
            ordinal = try read.column("ordinal")
            decidedAt = try read.column("decided_at")
            channel = try read.column("channel")
            provider = try read.column("provider")
            verdict = try read.column("verdict")
            reasonCode = try read.column("reason_code")
            heldUntil = try read.column("held_until")
            strategy = try read.column("strategy")
            catalogue = try read.column("catalogue")
            rules = try read.column("rules")
            notes = try read.column("notes")
            market = try read.column("market")
            hasStandby = try read.column("has_standby")
            movedFrom = try read.column("moved_from")
            movedBecause = try read.column("moved_because")
            self.row = row
            told = read.told
        }
    }

    /// A row of `tidings_ops.explain`: one step of the timeline.
    public struct Step: Sendable {
        public let at: String
        /// The process, the provider, the device, the app, or the worker that made a call.
        public let actor: String
        /// Nil for the notification as a whole, and so is ``ordinal``.
        public let channel: String?
        public let verdict: String
        public let reasonCode: String?
        public let whatToDo: String?
        public let detail: String?
        public let ordinal: Int?
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            at = try read.column("at")
            actor = try read.column("actor")
            channel = try read.column("channel")
            verdict = try read.column("verdict")
            reasonCode = try read.column("reason_code")
            whatToDo = try read.column("what_to_do")
            detail = try read.column("detail")
            ordinal = try read.column("ordinal")
            self.row = row
            told = read.told
        }
    }

    /// A row of `tidings_ops.local_plans`: the notification in the plan of a device.
    public struct Plan: Sendable {
        public let tenant: String
        public let recipientID: String
        public let deviceID: String
        public let deliveryID: String
        public let notificationID: NotificationID
        public let ordinal: Int
        public let type: String
        /// Nil: immediately.
        public let scheduledFor: String?
        public let state: String
        public let reasonCode: String?
        public let firesAt: String?
        public let zone: String?
        /// The version of the plan in which the entry last changed. Nil if it was never in a plan.
        public let version: Int?
        public let plannedAt: String
        public let confirmedAt: String?
        public let expiresAt: String
        /// The version of the plan of the device. Nil if the device never had one, and so are the members that follow.
        public let planVersion: Int?
        public let acknowledgedVersion: Int?
        public let syncedAt: String?
        public let acknowledgedAt: String?
        public let wokenAt: String?
        /// Every column, also one that a newer version or an operator has added.
        public let row: JSON
        /// The columns that a producer may see.
        public let told: JSONObject

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            var read = RowReader(row)
            tenant = try read.column("tenant")
            recipientID = try read.column("recipient_id")
            deviceID = try read.column("device_id")
            deliveryID = try read.column("delivery_id")
            notificationID = try read.column("notification_id")
            ordinal = try read.column("ordinal")
            type = try read.column("type")
            scheduledFor = try read.column("scheduled_for")
            state = try read.column("state")
            reasonCode = try read.column("reason_code")
            firesAt = try read.column("fires_at")
            zone = try read.column("zone")
            version = try read.column("version")
            plannedAt = try read.column("planned_at")
            confirmedAt = try read.column("confirmed_at")
            expiresAt = try read.column("expires_at")
            planVersion = try read.column("plan_version")
            acknowledgedVersion = try read.column("acked_version")
            syncedAt = try read.column("synced_at")
            acknowledgedAt = try read.column("acked_at")
            wokenAt = try read.column("woken_at")
            self.row = row
            told = read.told
        }
    }
}
