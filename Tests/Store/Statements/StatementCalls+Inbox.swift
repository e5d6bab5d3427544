import TidingsCore

@testable import TidingsStore

/// Entries of people: pages, marks, news and retention.
extension StatementCall {
    static let inbox: [StatementCall] = [pages, changes, otherCalls].flatMap { $0 }

    private static let otherCalls: [StatementCall] = [
        StatementCall("inboxItem") { _ = try await $0.inboxItem(Samples.id, of: Samples.person) },
        StatementCall("inboxCounts") { _ = try await $0.inboxCounts(of: Samples.person) },
        StatementCall("inboxNews") { _ = try await $0.inboxNews(of: Self.watchers) },
        StatementCall("inboxNews") { _ = try await $0.inboxNews(of: Self.watchers[0], limit: 5) },
        StatementCall("changedInboxes") { _ = try await $0.changedInboxes(since: Self.watchers) },
        StatementCall("pruneInbox") { _ = try await $0.pruneInbox() },
        StatementCall("wakeSnoozed") { _ = try await $0.wakeSnoozed() },
    ]

    private static let watchers = [
        InboxWatcher(Samples.person, known: .position(1)), InboxWatcher(Samples.person, known: .entry(Samples.id)),
        InboxWatcher(Samples.person), InboxWatcher(Samples.person, known: .unclear),
    ]

    /// Cursors in the two forms: of the position 2, and of the same position after a time.
    private static let (arrived, snoozed) = ("AgAAAAAAAAAC", "AwAGZRcomIAAAAAAAAAAAAI")

    private static let pages: [StatementCall] = [
        StatementCall("inboxPage") { _ = try await $0.inboxPage(of: Samples.person, limit: 10, from: .offset(5)) },
        StatementCall("inboxPage") { _ = try await $0.inboxPage(of: Samples.person, limit: 10, from: .cursor(nil)) },
        StatementCall("inboxPage", with: ["notification_id": .null]) { store in
            _ = try await store.inboxPage(of: Samples.person, limit: 10, from: .cursor(nil))
        },
        StatementCall("inboxPage") { store in
            let cursor = try InboxCursor(Self.arrived, in: .arrived)
            _ = try await store.inboxPage(of: Samples.person, limit: 10, from: .cursor(cursor))
        },
        StatementCall("inboxPage") { _ = try await $0.inboxPage(of: Samples.person, limit: 10, from: .offset(0), in: .snoozed) },
        StatementCall("inboxPage") { store in
            let cursor = try InboxCursor(Self.snoozed, in: .snoozed)
            _ = try await store.inboxPage(of: Samples.person, limit: 10, from: .cursor(cursor), in: .snoozed)
        },
    ]

    private static let changes: [StatementCall] = [
        mark(.read), mark(.unread), mark(.seen), mark(.dismiss), mark(.delete), mark(.undo), mark(.snooze(until: Samples.now)), mark(.wake),
        StatementCall("markAllRead") { _ = try await $0.markAllRead(of: Samples.person) },
        StatementCall("markAllRead") { _ = try await $0.markAllRead(before: .position(7), of: Samples.person) },
        StatementCall("markAllRead") { _ = try await $0.markAllRead(before: .entry(Samples.id), of: Samples.person) },
        StatementCall("clearInbox") { _ = try await $0.clearInbox(of: Samples.person) },
        StatementCall("clearInbox") { _ = try await $0.clearInbox(before: .entry(Samples.id), of: Samples.person) },
    ]

    private static func mark(_ change: InboxChange) -> StatementCall {
        StatementCall("mark") { _ = try await $0.mark(change, notification: Samples.id, of: Samples.person) }
    }
}
