public import TidingsCore
import TidingsJSON
import TidingsPostgres

/// The answer to an id that a producer has.
public enum PromisedNotification: Sendable {
    /// The notification is kept. Its id may be another one: the same event may also have come another way.
    case record(NotificationRecord)
    /// The id names no notification.
    case promise(NotificationPromise)

    public var id: NotificationID {
        switch self {
        case .record(let record): record.notification.id
        case .promise(let promise): promise.id
        }
    }

    /// Empty if the id names no notification.
    public var deliveries: [NotificationRecord.Delivery] {
        switch self {
        case .record(let record): record.deliveries
        case .promise: []
        }
    }

    /// Whether the person of the notification was erased. Nothing else of the notification is kept.
    public var isErased: Bool {
        switch self {
        case .record: false
        case .promise(let promise): promise.state == .erased
        }
    }
}

/// Lookups by ids that the HTTP API promised.
extension Store.Reservations {
    /// The record of a notification, for a caller who may have the id before a router has decided.
    ///
    /// - The id of a notification gives its record.
    /// - A reserved id whose event became a notification with another id gives the record of that notification. This happens if the same
    ///   event also came another way.
    /// - A reserved id that was cancelled before a router had decided gives the state `cancelled`, with the reason.
    /// - A reserved id whose event was refused gives the state `rejected`, with the reason and the number of the refused event.
    /// - An id whose person was erased gives the state `erased`, whether the notification was sent before or never made.
    /// - Any other reserved id gives the state `accepted`: the event waits for a router.
    ///
    /// Reads only `tidings_ops`, so that a member of `tidings_ops_read` may ask.
    ///
    /// - Parameter tenant: the tenant that the caller may see. Nil: every tenant.
    /// - Returns: Nil if nobody has the id, or if it belongs to another tenant.
    /// - Throws: ``ReportError`` if a row lacks a column.
    public func notification(_ id: NotificationID, tenant: String?) async throws -> PromisedNotification? {
        if let record = try await NotificationRecord(of: id, from: store) {
            guard let tenant else { return .record(record) }
            return isSameText(record.notification.tenant, tenant) ? .record(record) : nil
        }
        guard let promise = try await promise(id, tenant: tenant) else { return nil }
        guard let owner = promise.decidedAs else { return .promise(promise) }
        if let record = try await NotificationRecord(of: owner, from: store) { return .record(record) }
        return try await self.promise(owner, tenant: tenant).map { .promise($0) }
    }

    private func promise(_ id: NotificationID, tenant: String?) async throws -> NotificationPromise? {
        let rows = try await store.report(
            "select * from tidings_ops.promised(\(id.uuid)) p where \(tenant) is null or p.tenant = \(tenant)")
        return try rows.first.map { try NotificationPromise($0) }
    }
}
