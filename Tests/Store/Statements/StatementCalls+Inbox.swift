import TidingsCore

@testable import TidingsStore

/// Entries of people: pages, marks, news and retention.
extension StatementCall {
    static let inbox: [StatementCall] = [pages, changes, otherCalls].flatMap { $0 }

    private static let otherCalls: [StatementCall] = [
        StatementCall("inbox.item") { _ = try await $0.inbox.item(Samples.id, of: Samples.person) },
        StatementCall("inbox.counts") { _ = try await $0.inbox.counts(of: Samples.person) },
        StatementCall("inbox.news") { _ = try await $0.inbox.news(of: Self.watchers) },
        StatementCall("inbox.news") { _ = try await $0.inbox.news(of: Self.watchers[0], limit: 5) },
        StatementCall("inbox.changed") { _ = try await $0.inbox.changed(since: Self.watchers) },
        StatementCall("inbox.prune") { _ = try await $0.inbox.prune() },
        StatementCall("inbox.wakeSnoozed") { _ = try await $0.inbox.wakeSnoozed() },
    ]

    private static let watchers = [
        InboxWatcher(Samples.person, known: .position(1)), InboxWatcher(Samples.person, known: .entry(Samples.id)),
        InboxWatcher(Samples.person), InboxWatcher(Samples.person, known: .unclear),
    ]

    /// Cursors in the two forms: of the position 2, and of the same position after a time.
    private static let (arrived, snoozed) = ("AgAAAAAAAAAC", "AwAGZRcomIAAAAAAAAAAAAI")

    private static let pages: [StatementCall] = [
        StatementCall("inbox.page") { _ = try await $0.inbox.page(of: Samples.person, limit: 10, from: .offset(5)) },
        StatementCall("inbox.page") { _ = try await $0.inbox.page(of: Samples.person, limit: 10, from: .cursor(nil)) },
        StatementCall("inbox.page", with: ["notification_id": .null]) { store in
            _ = try await store.inbox.page(of: Samples.person, limit: 10, from: .cursor(nil))
        },
        StatementCall("inbox.page") { store in
            let cursor = try InboxCursor(Self.arrived, in: .arrived)
            _ = try await store.inbox.page(of: Samples.person, limit: 10, from: .cursor(cursor))
        },
        StatementCall("inbox.page") { _ = try await $0.inbox.page(of: Samples.person, limit: 10, from: .offset(0), in: .snoozed) },
        StatementCall("inbox.page") { store in
            let cursor = try InboxCursor(Self.snoozed, in: .snoozed)
            _ = try await store.inbox.page(of: Samples.person, limit: 10, from: .cursor(cursor), in: .snoozed)
        },
    ]

    private static let changes: [StatementCall] = [
        mark(.read), mark(.unread), mark(.seen), mark(.dismiss), mark(.delete), mark(.undo), mark(.snooze(until: Samples.now)), mark(.wake),
        StatementCall("inbox.markAllRead") { _ = try await $0.inbox.markAllRead(of: Samples.person) },
        StatementCall("inbox.markAllRead") { _ = try await $0.inbox.markAllRead(before: .position(7), of: Samples.person) },
        StatementCall("inbox.markAllRead") { _ = try await $0.inbox.markAllRead(before: .entry(Samples.id), of: Samples.person) },
        StatementCall("inbox.clear") { _ = try await $0.inbox.clear(of: Samples.person) },
        StatementCall("inbox.clear") { _ = try await $0.inbox.clear(before: .entry(Samples.id), of: Samples.person) },
    ]

    private static func mark(_ change: InboxChange) -> StatementCall {
        StatementCall("inbox.mark") { _ = try await $0.inbox.mark(change, notification: Samples.id, of: Samples.person) }
    }
}
