public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// The rows that explain a notification: the notification itself, each delivery with its reason, the attempts, the decisions, and the
/// entries in plans of devices. `tidings why` prints it, and the HTTP API answers with it.
public struct NotificationRecord: Sendable {
    public let notification: JSON
    public let deliveries: [JSON]
    public let attempts: [JSON]
    public let decisions: [JSON]
    public let timeline: [JSON]
    /// The entries of the notification in the plans of devices.
    public let plans: [JSON]

    /// Nil if the notification does not exist.
    public init?(of id: NotificationID, from store: Store) async throws {
        guard let found = try await store.notification(id) else { return nil }
        notification = found
        deliveries = try await store.deliveries(of: id)
        attempts = try await store.attempts(of: id)
        decisions = try await store.decisions(of: id)
        timeline = try await store.explain(id)
        plans = try await store.localPlans(of: id)
    }

    /// A notification that no router has made.
    init(undecided notification: JSON) {
        self.init(notification: notification, deliveries: [], attempts: [], decisions: [], timeline: [], plans: [])
    }

    init(notification: JSON, deliveries: [JSON], attempts: [JSON], decisions: [JSON], timeline: [JSON], plans: [JSON]) {
        self.notification = notification
        self.deliveries = deliveries
        self.attempts = attempts
        self.decisions = decisions
        self.timeline = timeline
        self.plans = plans
    }

    /// Whether the person of the notification was erased. Nothing else of the notification is kept.
    public var isErased: Bool { notification["state"]?.stringValue == "erased" }

    /// The record for a producer: without the names of machines and operators, and without the reasons that operators wrote for each other.
    public func forProducer() -> NotificationRecord {
        NotificationRecord(
            notification: notification, deliveries: deliveries.map { Self.row($0, without: "paused_by", "pause_reason") },
            attempts: attempts.map { Self.row($0, without: "worker_id") }, decisions: decisions,
            timeline: timeline.map(Self.stepForProducer), plans: plans)
    }

    private static func row(_ row: JSON, without names: String...) -> JSON {
        guard var members = row.objectValue else { return row }
        for name in names { members[name] = nil }
        return .object(members)
    }

    /// The actors of a timeline that are no process.
    private static let actors: Set = ["router", "deliver", "release", "provider", "device", "app"]
    /// The words between the name of a pause and its reason, in the detail of a wait.
    private static let pauseWords = " is resumed"

    private static func stepForProducer(_ row: JSON) -> JSON {
        guard var step = row.objectValue else { return row }
        if let actor = step["actor"]?.stringValue, !actors.contains(actor) { step["actor"] = "deliver" }
        if step["verdict"] == "waiting", let detail = step["detail"]?.stringValue, let words = detail.firstRange(of: pauseWords + ": ") {
            step["detail"] = .string(String(detail[..<words.lowerBound]) + pauseWords)
        }
        return .object(step)
    }

    /// The record as one object.
    ///
    /// - Parameter content: title and body, which are personal data. Nil leaves them out.
    public func json(content: JSON? = nil) -> JSON {
        var members = JSONObject()
        members["notification"] = notification
        if let content { members["content"] = content }
        let lists = [
            ("deliveries", deliveries), ("attempts", attempts), ("decisions", decisions), ("timeline", timeline), ("plans", plans),
        ]
        for (name, rows) in lists { members[name] = .array(rows) }
        return .object(members)
    }
}
