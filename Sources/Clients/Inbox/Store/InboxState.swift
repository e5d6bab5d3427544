public import Foundation

/// An inbox as an app shows it.
public struct InboxState: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        /// Nothing was asked for yet.
        case idle
        /// The first page is on its way. ``InboxState/items`` may have the cache, or the list before.
        case loading
        case loaded
        /// The first page could not be loaded, see ``InboxState/error``.
        case failed
    }

    /// The event stream.
    public enum Connection: Hashable, Sendable {
        case stopped
        case connecting
        case open
        /// Until the next attempt in so many seconds from its beginning. Nil: until the network is back.
        case waiting(TimeInterval?)
        /// The server refuses the token. Another ``InboxAction/start`` tries again.
        case refused
    }

    public var status: Status = .idle
    /// The shown items, the last arrival first. Changes of the person are in it at once.
    public var items: [InboxItem] = []
    /// Numbers of the whole inbox. Changes of the person are in them at once.
    public var counts = InboxCounts()
    /// Whether ``InboxAction/loadMore`` has something to load.
    public var canLoadMore = false
    public var isLoadingMore = false
    /// Items that arrived after the list was loaded. They stay hidden until ``InboxAction/showNew``, so that the list never moves under the reader.
    public var newItems = 0
    /// Likes that arrived since the app showed them.
    public var newLikes = 0
    public var permissionHint: PermissionHint?
    /// The error of the last load or change. The next success clears it. An open stream clears ``InboxError/network(_:)`` and
    /// ``InboxError/unavailable(retryAfter:)``.
    public var error: InboxError?
    public var connection: Connection = .stopped
    public var isOnline = true
    /// Whether a load or a change is on its way.
    public var isBusy = false

    public init() {}

    /// The text of the badge: empty for 0, `99+` above 99.
    public var badge: String {
        switch counts.unreadCount {
        case ...0: ""
        case 1...99: String(counts.unreadCount)
        default: "99+"
        }
    }
}

/// An intention of the person or the app.
public enum InboxAction: Hashable, Sendable {
    /// Shows the cache, then the first page.
    case load
    /// Puts the first page in the place of the list.
    case refresh
    /// Shows the items that wait behind ``InboxState/newItems``.
    case showNew
    /// Adds the next older page.
    case loadMore

    case markRead(String)
    case markUnread(String)
    case markSeen(String)
    case dismiss(String)
    case remove(String)
    /// Takes a deletion or a dismissal of the last 10 minutes back.
    case undo(String)
    case snooze(String, until: Date)
    /// Ends a snooze. The item is then on top of the list.
    case wake(String)
    /// Reads the uppermost shown item and all below it. Items that wait behind ``InboxState/newItems`` stay unread.
    case markAllRead
    /// Deletes the uppermost shown item and all below it.
    case clearAll

    /// Opens the event stream and keeps it open.
    case start
    case stop
    /// The device lost its network: the stream waits.
    case networkLost
    /// The device has a network again, or the app is in front again: the stream opens at once, and a failed load is repeated.
    case networkFound
    /// The app shows the new likes.
    case likesSeen
    /// Forgets everything, also the cache: another person signs in.
    case signOut
}
