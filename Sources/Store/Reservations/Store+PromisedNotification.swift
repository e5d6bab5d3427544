public import TidingsCore
import TidingsJSON
import TidingsPostgres

/// Lookups by ids that the HTTP API promised.
extension Store {
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
    public func promisedNotification(_ id: NotificationID, tenant: String?) async throws -> NotificationRecord? {
        if let record = try await NotificationRecord(of: id, from: self) {
            guard let tenant else { return record }
            return record.notification["tenant"]?.stringValue.map { isSameText($0, tenant) } == true ? record : nil
        }
        guard let promise = try await promise(id, tenant: tenant) else { return nil }
        guard let owner = promise.owner else { return NotificationRecord(undecided: promise.row) }
        if let record = try await NotificationRecord(of: owner, from: self) { return record }
        return try await self.promise(owner, tenant: tenant).map { NotificationRecord(undecided: $0.row) }
    }

    private func promise(_ id: NotificationID, tenant: String?) async throws -> (owner: NotificationID?, row: JSON)? {
        let rows = try await report(
            "select * from tidings_ops.promised(\(id.uuid)) p where \(tenant) is null or p.tenant = \(tenant)")
        guard case .object(var row)? = rows.first else { return nil }
        let owner = row["decided_as"]?.stringValue.flatMap { NotificationID($0) }
        row["decided_as"] = nil
        return (owner, .object(row))
    }
}
