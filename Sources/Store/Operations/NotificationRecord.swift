public import TidingsCore
public import TidingsJSON

/// The rows that explain a notification: the notification itself, each delivery with its reason, the attempts, the decisions, and the
/// entries in plans of devices. `tidings why` prints it, and the HTTP API answers with it.
///
/// Each kind of row is a type whose members are the columns of its view. A row without one of these columns is an error, so a renamed
/// column never reads as nothing. Times are texts as the database renders them: ISO 8601 with an offset.
public struct NotificationRecord: Sendable {
    public let notification: Notification
    public let deliveries: [Delivery]
    public let attempts: [Attempt]
    public let decisions: [Decision]
    public let timeline: [Step]
    /// The entries of the notification in the plans of devices.
    public let plans: [Plan]

    /// Nil if the notification does not exist.
    ///
    /// - Throws: ``ReportError`` if a row lacks a column.
    public init?(of id: NotificationID, from store: Store) async throws {
        guard let found = try await store.operations.notification(id) else { return nil }
        notification = found
        deliveries = try await store.operations.deliveries(of: id)
        attempts = try await store.operations.attempts(of: id)
        decisions = try await store.operations.decisions(of: id)
        timeline = try await store.operations.explain(id)
        plans = try await store.localPlans.plans(of: id)
    }

    package init(
        notification: Notification, deliveries: [Delivery], attempts: [Attempt], decisions: [Decision], timeline: [Step], plans: [Plan]
    ) {
        self.notification = notification
        self.deliveries = deliveries
        self.attempts = attempts
        self.decisions = decisions
        self.timeline = timeline
        self.plans = plans
    }

    /// The rows with all of their columns, as one object.
    ///
    /// - Parameter content: title and body, which are personal data. Nil leaves them out.
    public func json(content: JSON? = nil) -> JSON {
        var members = JSONObject()
        members["notification"] = notification.row
        if let content { members["content"] = content }
        let lists = [
            ("deliveries", deliveries.map(\.row)), ("attempts", attempts.map(\.row)), ("decisions", decisions.map(\.row)),
            ("timeline", timeline.map(\.row)), ("plans", plans.map(\.row)),
        ]
        for (name, rows) in lists { members[name] = .array(rows) }
        return .object(members)
    }
}
