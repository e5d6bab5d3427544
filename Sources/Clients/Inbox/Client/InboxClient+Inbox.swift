public import Foundation

/// The inbox.
extension InboxClient {
    /// Returns a page by number of skipped items. Items may be repeated or skipped when new ones arrive between two calls.
    ///
    /// - Parameter limit: 1 or more. The server caps it to 100.
    public func notifications(limit: Int = 20, offset: Int) async throws(InboxError) -> InboxPage {
        try await answer(
            Endpoint("GET", "api", "notifications").asking("limit", String(limit)).asking("offset", String(offset)))
    }

    /// Returns a page by cursor. Pages of one listing neither repeat nor skip an item, whatever arrives meanwhile.
    ///
    /// - Parameter cursor: Empty for the first page, then ``InboxPage/nextCursor``.
    public func notifications(limit: Int = 20, cursor: String = "") async throws(InboxError) -> InboxPage {
        try await answer(Endpoint("GET", "api", "notifications").asking("limit", String(limit)).asking("cursor", cursor))
    }

    /// Returns a page of the snoozed items, the soonest end first. ``InboxPage/total`` is their number.
    ///
    /// - Parameter cursor: Empty for the first page, then ``InboxPage/nextCursor``.
    public func snoozedNotifications(limit: Int = 20, cursor: String = "") async throws(InboxError) -> InboxPage {
        try await answer(
            Endpoint("GET", "api", "notifications").asking("limit", String(limit)).asking("cursor", cursor).asking("snoozed", "true"))
    }

    public func notification(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("GET", "api", "notifications", id))
    }

    /// Returns the badge.
    public func unreadCount() async throws(InboxError) -> Int {
        try await answer(Endpoint("GET", "api", "notifications", "unread-count"), as: UnreadCountAnswer.self).unreadCount
    }

    /// Marks an item as read. To mark twice is harmless.
    public func markRead(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("PATCH", "api", "notifications", id, "read"))
    }

    public func markUnread(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("PATCH", "api", "notifications", id, "unread"))
    }

    /// Notes that the person saw the item, without reading it.
    public func markSeen(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("PATCH", "api", "notifications", id, "seen"))
    }

    /// Notes that the person swiped the push away.
    public func dismiss(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("PATCH", "api", "notifications", id, "dismissed"))
    }

    /// Marks items as read.
    ///
    /// - Parameter before: The position or the id of an item: only this item and those below it, so that those above stay unread. Nil for
    ///   every item.
    public func markAllRead(before: String? = nil) async throws(InboxError) -> ReadAllAnswer {
        try await answer(Endpoint("PATCH", "api", "notifications", "read-all").asking("before", before))
    }

    /// Deletes an item. ``undo(_:)`` takes it back within 10 minutes.
    public func delete(_ id: String) async throws(InboxError) -> InboxCounts {
        try await answer(Endpoint("DELETE", "api", "notifications", id))
    }

    /// Takes a deletion or a dismissal of the last 10 minutes back.
    public func undo(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("POST", "api", "notifications", id, "undo"))
    }

    /// Hides an item until a time in the next year. It is unread from now on. Then it arrives anew, on top of the list.
    public func snooze(_ id: String, until: Date) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("POST", "api", "notifications", id, "snooze").sending(["until": ServerDate.text(until)]))
    }

    /// Ends the snooze of an item. It arrives anew, on top of the list.
    public func wake(_ id: String) async throws(InboxError) -> ItemAnswer {
        try await answer(Endpoint("POST", "api", "notifications", id, "wake"))
    }

    /// Deletes items.
    ///
    /// - Parameter before: The position or the id of an item: only this item and those below it. Nil for every item.
    public func clearAll(before: String? = nil) async throws(InboxError) -> ClearAllAnswer {
        try await answer(Endpoint("DELETE", "api", "notifications").asking("before", before))
    }

    /// Confirms that a push reached the device. ``InboxError/unavailable(retryAfter:)`` may mean that the device was faster than the server,
    /// and that the confirmation counts when it comes again. ``ReportQueue`` does that.
    public func confirmReceipt(of id: String, on deviceID: String) async throws(InboxError) {
        _ = try await response(Endpoint("POST", "api", "notifications", id, "receipt").sending(["deviceId": deviceID]))
    }

    /// Reports what people did: 1 to 100 events, of which the server stores all or none. Returns their number. ``ReportQueue`` keeps them
    /// while the network is away.
    @discardableResult public func report(_ events: [EngagementEvent]) async throws(InboxError) -> Int {
        struct Answer: Decodable { var accepted: Int }
        return try await answer(Endpoint("POST", "api", "events").sending(["events": events]), as: Answer.self).accepted
    }
}
