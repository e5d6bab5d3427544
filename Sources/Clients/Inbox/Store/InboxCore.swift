import Foundation

/// The state of a store with everything that is on its way. ``handle(_:)`` is the reducer: input in, effects out, no clock, no network.
///
/// The list of the server (`confirmed`) and the unanswered changes (`pending`) are kept apart. The shown list is `confirmed` with `pending`
/// applied. A change that fails is taken back by its removal from `pending`, whatever happened in between.
struct InboxCore: Sendable {
    let pageSize: Int
    var confirmed = InboxList()
    /// The changes that the server has not answered yet, in the order of the calls. The first is on its way.
    var pending: [PendingChange] = []
    var isSending = false
    /// Whether the list may miss something that a signal told, because a change was on its way or an update failed.
    var isDoubtful = false
    /// Changes that the server confirmed while a page was on its way.
    var log: [(number: Int, change: InboxChange)] = []

    var status: InboxState.Status = .idle
    var error: InboxError?
    var permissionHint: PermissionHint?
    var nextCursor: String?
    /// The uppermost place of the list when it was loaded. Items above it stay hidden. Nil without a list; the bottom for an empty list.
    var anchor: ItemPlace?
    /// The place from which downwards the list leaves nothing out. Below ``anchor`` after an item came back above the list, because the items
    /// between both were never in it.
    var complete = ItemPlace.bottom
    /// The items above the list, by their ids. The value is the position of the item, or a later one; 0 if none is known.
    var hidden: [String: Int64] = [:]
    /// The newest position of the inbox that a page has told, 0 before the first one. Events up to it have no news.
    var readPosition: Int64 = 0
    var newLikes = 0
    /// Items that the person deleted, for undo.
    var removed: [InboxItem] = []

    var wasCacheAsked = false
    var isWritingCache = false
    var isCacheOutdated = false
    /// Whether the cache must be removed as soon as the write that is on its way has ended.
    var isCacheForgotten = false

    var pages = PagesOnTheirWay()
    var stream = StreamState()
    /// Ids of confirmed changes whose signal has not come yet.
    var echoes: [InboxChange] = []
    private var lastNumber = 0

    /// The most changes that wait for the network.
    static let maximumPending = 200
    /// The most deleted items that are kept for undo.
    static let maximumRemoved = 50
    /// The most confirmed changes whose signal is awaited.
    static let maximumEchoes = 100

    struct PendingChange: Sendable {
        let number: Int
        let change: InboxChange
        /// Whether a signal has named it already: the server has done it, and the counts have it.
        var isDone = false
    }

    struct PagesOnTheirWay: Sendable {
        struct Request: Sendable {
            let number: Int
            var sawSignal = false
            /// The position of the last event that came while there was no list. An older page misses changes that no event names again.
            var toldPosition: Int64 = 0
        }

        /// Comes in the place of the list.
        var first: Request?
        /// Comes at the end of the list.
        var older: Request?
        /// Updates the list in its place.
        var sync: Request?
        /// The load that follows the first page or the update on its way.
        var next: FollowUp = .nothing

        enum FollowUp: Comparable, Sendable {
            case nothing, sync, reload
        }

        var areNone: Bool { first == nil && older == nil && sync == nil }
    }

    init(pageSize: Int) { self.pageSize = max(1, min(100, pageSize)) }

    mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The list that the person sees.
    var shown: InboxList {
        var list = confirmed
        for entry in pending where !entry.isDone { list.apply(entry.change, hidden: hidden.count) }
        return list
    }

    var state: InboxState {
        let shown = self.shown
        var state = InboxState()
        state.status = status
        state.items = shown.items
        state.counts = InboxCounts(total: max(0, shown.counts.total), unreadCount: max(0, shown.counts.unreadCount))
        state.canLoadMore = nextCursor != nil
        state.isLoadingMore = pages.older != nil
        state.newItems = hidden.count
        state.newLikes = newLikes
        state.permissionHint = permissionHint
        state.error = error
        state.connection = stream.connection
        state.isOnline = stream.isOnline
        state.isBusy = !pages.areNone || !pending.isEmpty || (status == .loading)
        return state
    }

    mutating func handle(_ input: InboxInput) -> [InboxEffect] {
        switch input {
        case .action(let action): return act(action)
        case .resumed: return resume()
        case .suspended:
            suspend()
            return []
        case .cacheRead(let cached): return readCache(cached)
        case .cacheWritten:
            isWritingCache = false
            if isCacheForgotten { return forgetCache() }
            return isCacheOutdated ? writeCache() : []
        case .page(let number, let result): return receivePage(number, result)
        case .changed(let number, let result): return receiveChange(number, result)
        case .streamOpened(let number):
            stream.opened(number)
            // Signals of an earlier connection do not come any more.
            echoes = []
            return number == stream.number ? reachService() : []
        case .streamEvent(let number, let event, let random): return receive(event, of: number, random: random)
        case .streamEnded(let number, let end, let random):
            if end == .unauthorized || end == .forbidden, number == stream.number { error = end }
            return stream.ended(number, end, random: random, newNumber: self.number())
        case .waited(let number): return number == stream.number ? connect() : []
        }
    }

    private mutating func act(_ action: InboxAction) -> [InboxEffect] {
        switch action {
        case .load: return load()
        case .refresh, .showNew: return loadFirstPage()
        case .loadMore: return loadOlderPage()
        case .start: return stream.isWanted && stream.connection != .refused ? [] : startStream()
        case .stop: return stream.stop(newNumber: number())
        case .networkLost: return stream.lostNetwork(newNumber: number())
        case .networkFound: return findNetwork()
        case .likesSeen:
            newLikes = 0
            return []
        case .signOut: return signOut()
        case .markRead, .markUnread, .markSeen, .dismiss, .remove, .undo, .snooze, .wake, .markAllRead, .clearAll: return change(action)
        }
    }

    private mutating func findNetwork() -> [InboxEffect] {
        stream.isOnline = true
        var effects: [InboxEffect] = []
        if stream.isWaiting { effects += [.closeStream] + connect() }
        if status == .failed { effects += loadFirstPage() }
        return effects
    }

    /// The stream is open, so the service can be reached: loads a failed list again, and forgets an error that says otherwise.
    private mutating func reachService() -> [InboxEffect] {
        if status == .failed { return loadFirstPage() }
        switch error {
        case .network, .unavailable: error = nil
        default: break
        }
        return []
    }

    private mutating func startStream() -> [InboxEffect] {
        stream.isWanted = true
        return stream.isOnline ? connect() : stream.lostNetwork(newNumber: number())
    }

    mutating func connect() -> [InboxEffect] {
        guard stream.isWanted else { return [] }
        // Before the first event, the page tells from where to go on. A cache knows only its items.
        let page = readPosition > 0 ? String(readPosition) : anchor?.id ?? ""
        let last = stream.lastEventID ?? (page.isEmpty ? nil : page)
        return [stream.connect(number(), lastEventID: last)]
    }

    private mutating func signOut() -> [InboxEffect] {
        var empty = InboxCore(pageSize: pageSize)
        empty.lastNumber = lastNumber
        empty.stream.isOnline = stream.isOnline
        empty.isWritingCache = isWritingCache
        self = empty
        return [.closeStream] + forgetCache()
    }

    private mutating func forgetCache() -> [InboxEffect] {
        isCacheForgotten = isWritingCache
        guard !isWritingCache else { return [] }
        isWritingCache = true
        return [.removeCache]
    }

    /// Nothing is on its way any more. Unanswered changes stay, and are sent again by the next run: the server takes each twice without harm.
    private mutating func suspend() {
        isSending = false
        if status == .loading { status = anchor == nil ? .idle : .loaded }
        pages = PagesOnTheirWay()
        log = []
        isWritingCache = false
        stream.suspend(newNumber: number())
    }

    private mutating func resume() -> [InboxEffect] {
        var effects = sendNext()
        if stream.isWanted, stream.isOnline, stream.isWaiting { effects += connect() }
        return effects
    }

    // MARK: Cache

    private mutating func load() -> [InboxEffect] {
        guard !wasCacheAsked, anchor == nil, pages.first == nil else { return loadFirstPage() }
        wasCacheAsked = true
        status = .loading
        return [.readCache]
    }

    private mutating func readCache(_ cached: CachedInbox?) -> [InboxEffect] {
        if let cached, anchor == nil, pages.first == nil {
            confirmed = cached.list
            anchor = cached.items.first?.place ?? .bottom
            complete = anchor ?? .bottom
        }
        return status == .loading ? loadFirstPage() : []
    }

    mutating func writeCache() -> [InboxEffect] {
        isCacheOutdated = isWritingCache
        guard !isWritingCache else { return [] }
        isWritingCache = true
        return [.writeCache(CachedInbox(confirmed))]
    }
}
