import HTTPTypes
import TidingsCore
import TidingsEncodings
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The inbox of the person who asks.
struct InboxOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        [
            Operation(.get, "/api/notifications", "listNotifications", .person, query: ["limit", "offset", "cursor", "snoozed"]) { call in
                try await list(call)
            },
            Operation(.delete, "/api/notifications", "clearNotifications", .person, query: ["before"]) { try await clear($0) },
            Operation(.get, "/api/notifications/unread-count", "getUnreadCount", .person) { try await unreadCount($0) },
            Operation(.patch, "/api/notifications/read-all", "markAllNotificationsRead", .person, query: ["before"]) { call in
                try await readAll(call)
            },
            Operation(.get, "/api/notifications/{id}", "getNotificationItem", .person) { try await show($0) },
            Operation(.delete, "/api/notifications/{id}", "deleteNotification", .person) { try await delete($0) },
            Operation(.patch, "/api/notifications/{id}/read", "markNotificationRead", .person) { try await change($0, .read) },
            Operation(.patch, "/api/notifications/{id}/unread", "markNotificationUnread", .person) { try await change($0, .unread) },
            Operation(.patch, "/api/notifications/{id}/seen", "markNotificationSeen", .person) { try await change($0, .seen) },
            Operation(.patch, "/api/notifications/{id}/dismissed", "dismissNotification", .person) { try await change($0, .dismiss) },
            Operation(.post, "/api/notifications/{id}/undo", "undoNotificationChange", .person) { try await change($0, .undo) },
            Operation(.post, "/api/notifications/{id}/snooze", "snoozeNotification", .person, hasBody: true) { try await snooze($0) },
            Operation(.post, "/api/notifications/{id}/wake", "wakeNotification", .person) { try await change($0, .wake) },
        ]
    }

    // MARK: Reading

    private func list(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        var query = call.query
        let limit = query.integer("limit", in: 1...APILimits.page, cap: APILimits.page) ?? APILimits.standardPage
        let offset = query.integer("offset", in: 0...Int(Int32.max))
        let listing: InboxPage.Listing = query.bool("snoozed") == true ? .snoozed : .arrived
        let cursor = query.text("cursor")
        if cursor != nil, offset != nil { query.refuse("offset", "does not go with cursor") }
        var start = InboxPage.Start.offset(offset ?? 0)
        if let cursor {
            do throws(InboxCursor.Malformed) {
                start = .cursor(cursor.isEmpty ? nil : try InboxCursor(cursor, in: listing))
            } catch {
                query.refuse("cursor", "\(error)")
            }
        }
        try query.finish()
        let page = try await services.store.inbox.page(of: person, limit: limit, from: start, in: listing)
        let writer = InboxItemWriter(catalogue: services.catalogues.current)
        return .json { json in
            json.beginObject()
            json.key("notifications")
            json.beginArray()
            for item in page.items { writer.write(item, to: &json) }
            json.endArray()
            json.member("total", listing == .snoozed ? page.snoozed : page.counts.total)
            json.member("unreadCount", page.counts.unread)
            json.member("limit", limit)
            if case .offset(let offset) = start {
                json.member("offset", offset)
            } else {
                json.optional("nextCursor", page.next?.text)
                json.member("position", page.position)
            }
            json.optional("permissionHint", page.deniesNotifications ? "openSettings" : nil)
            json.endObject()
        }
    }

    private func unreadCount(_ call: APICall) async throws -> ServerResponse {
        let counts = try await services.store.inbox.counts(of: try call.person)
        return .json { json in
            json.beginObject()
            json.member("unreadCount", counts.unread)
            json.endObject()
        }
    }

    private func show(_ call: APICall) async throws -> ServerResponse {
        guard let answer = try await services.store.inbox.item(try call.notificationID(), of: try call.person) else {
            throw Problem(.notFound)
        }
        return item(answer)
    }

    private func item(_ answer: InboxAnswer) -> ServerResponse {
        .json { json in
            json.beginObject()
            json.key("notification")
            InboxItemWriter(catalogue: services.catalogues.current).write(answer.item, to: &json)
            json.member("unreadCount", answer.counts.unread)
            json.endObject()
        }
    }

    // MARK: Changing

    private func change(_ call: APICall, _ change: InboxChange) async throws -> ServerResponse {
        item(try await marked(call, change))
    }

    private func marked(_ call: APICall, _ change: InboxChange) async throws -> InboxAnswer {
        let (id, person) = (try call.notificationID(), try call.person)
        guard let answer = try await services.store.inbox.mark(change, notification: id, of: person) else { throw Problem(.notFound) }
        if answer.isChanged { services.hub.announce(person, changed: [id]) }
        return answer
    }

    private func delete(_ call: APICall) async throws -> ServerResponse {
        let counts = try await marked(call, .delete).counts
        return .json { json in
            json.beginObject()
            json.member("total", counts.total)
            json.member("unreadCount", counts.unread)
            json.endObject()
        }
    }

    private func snooze(_ call: APICall) async throws -> ServerResponse {
        var body = BodyReader(try await call.object(), known: ["until"])
        let text = body.requiredText("until", bytes: 1...64)
        let until = Timestamp(rfc3339: text)
        let now = services.store.clock.now()
        if !text.isEmpty {
            if let until {
                if until <= now || until > now.adding(APILimits.snooze) { body.refuse("until", "must be in the future, within a year") }
            } else {
                body.refuse("until", "must be a time of RFC 3339, such as 2027-01-31T08:00:00Z")
            }
        }
        try body.finish()
        return try await change(call, .snooze(until: until ?? now))
    }

    private func readAll(_ call: APICall) async throws -> ServerResponse {
        guard let sweep = try await services.store.inbox.markAllRead(before: try Self.before(call), of: try call.person) else {
            throw Problem(.notFound)
        }
        return try swept(call, sweep, "updated")
    }

    private func clear(_ call: APICall) async throws -> ServerResponse {
        guard let sweep = try await services.store.inbox.clear(before: try Self.before(call), of: try call.person) else {
            throw Problem(.notFound)
        }
        return try swept(call, sweep, "removed")
    }

    private func swept(_ call: APICall, _ sweep: InboxSweep, _ name: String) throws -> ServerResponse {
        if sweep.changed > 0 { services.hub.announce(try call.person, changed: sweep.newest) }
        return .json { json in
            json.beginObject()
            json.member(name, sweep.changed)
            json.member("unreadCount", sweep.counts.unread)
            json.endObject()
        }
    }

    /// The uppermost item that a sweep takes. Later arrivals, which the person has not seen, stay as they are.
    private static func before(_ call: APICall) throws -> InboxBound? {
        guard let text = call.query.text("before") else { return nil }
        if let id = NotificationID(text) { return .entry(id) }
        guard text.utf8.count <= APILimits.positionDigits, text.utf8.allSatisfy(ASCII.isDigit), let position = Int64(text) else {
            throw Problem.invalid(.parameter("before", "must be the position or the id of an item"))
        }
        return .position(position)
    }
}
