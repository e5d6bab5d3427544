import Foundation

/// A change that a person made.
enum InboxChange: Hashable, Sendable {
    case read(String)
    case unread(String)
    case seen(String)
    case dismiss(String)
    case remove(String)
    /// The item, if it was in the list before its deletion.
    case undo(String, InboxItem?)
    case snooze(String, until: Date)
    case wake(String)
    case readAll(before: ItemPlace)
    case clearAll(before: ItemPlace)

    /// The changed item. Nil for a change of many.
    var id: String? {
        switch self {
        case .read(let id), .unread(let id), .seen(let id), .dismiss(let id), .remove(let id), .undo(let id, _), .snooze(let id, _),
            .wake(let id):
            id
        case .readAll, .clearAll: nil
        }
    }

    /// The uppermost place that a change of many takes.
    var bound: ItemPlace? {
        switch self {
        case .readAll(let before), .clearAll(let before): before
        default: nil
        }
    }
}

/// The answer to a change.
enum ChangeAnswer: Hashable, Sendable {
    case item(ItemAnswer)
    case counts(InboxCounts)
    case readAll(ReadAllAnswer)
    case clearAll(ClearAllAnswer)
}

extension InboxClient {
    func send(_ change: InboxChange) async throws(InboxError) -> ChangeAnswer {
        switch change {
        case .read(let id): .item(try await markRead(id))
        case .unread(let id): .item(try await markUnread(id))
        case .seen(let id): .item(try await markSeen(id))
        case .dismiss(let id): .item(try await dismiss(id))
        case .remove(let id): .counts(try await delete(id))
        case .undo(let id, _): .item(try await undo(id))
        case .snooze(let id, let until): .item(try await snooze(id, until: until))
        case .wake(let id): .item(try await wake(id))
        case .readAll(let before): .readAll(try await markAllRead(before: before.bound))
        case .clearAll(let before): .clearAll(try await clearAll(before: before.bound))
        }
    }
}
