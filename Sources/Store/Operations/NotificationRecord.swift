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
        self.notification = notification
        (deliveries, attempts, decisions, timeline, plans) = ([], [], [], [], [])
    }

    /// Whether the person of the notification was erased. Nothing else of the notification is kept.
    public var isErased: Bool { notification["state"]?.stringValue == "erased" }

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
