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

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            notificationID = try row.column("notification_id")
            ordinal = try row.column("ordinal")
            decidedAt = try row.column("decided_at")
            channel = try row.column("channel")
            provider = try row.column("provider")
            verdict = try row.column("verdict")
            reasonCode = try row.column("reason_code")
            heldUntil = try row.column("held_until")
            strategy = try row.column("strategy")
            catalogue = try row.column("catalogue")
            rules = try row.column("rules")
            notes = try row.column("notes")
            market = try row.column("market")
            hasStandby = try row.column("has_standby")
            movedFrom = try row.column("moved_from")
            movedBecause = try row.column("moved_because")
            self.row = row
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

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            at = try row.column("at")
            actor = try row.column("actor")
            channel = try row.column("channel")
            verdict = try row.column("verdict")
            reasonCode = try row.column("reason_code")
            whatToDo = try row.column("what_to_do")
            detail = try row.column("detail")
            ordinal = try row.column("ordinal")
            self.row = row
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

        /// - Throws: ``ReportError`` if the row lacks a column.
        public init(_ row: JSON) throws(ReportError) {
            tenant = try row.column("tenant")
            recipientID = try row.column("recipient_id")
            deviceID = try row.column("device_id")
            deliveryID = try row.column("delivery_id")
            notificationID = try row.column("notification_id")
            ordinal = try row.column("ordinal")
            type = try row.column("type")
            scheduledFor = try row.column("scheduled_for")
            state = try row.column("state")
            reasonCode = try row.column("reason_code")
            firesAt = try row.column("fires_at")
            zone = try row.column("zone")
            version = try row.column("version")
            plannedAt = try row.column("planned_at")
            confirmedAt = try row.column("confirmed_at")
            expiresAt = try row.column("expires_at")
            planVersion = try row.column("plan_version")
            acknowledgedVersion = try row.column("acked_version")
            syncedAt = try row.column("synced_at")
            acknowledgedAt = try row.column("acked_at")
            wokenAt = try row.column("woken_at")
            self.row = row
        }
    }
}
