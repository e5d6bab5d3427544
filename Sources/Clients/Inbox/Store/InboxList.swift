/// Items with the counts of the whole inbox, and the effect of a change on them. Pure.
struct InboxList: Hashable, Sendable {
    /// The last arrival first.
    var items: [InboxItem] = []
    var counts = InboxCounts()
    /// The lowest place of the pages that were loaded. Items below come with the next page. Nil if no page is left.
    var end: ItemPlace?

    func index(of id: String) -> Int? { items.firstIndex { $0.id == id } }

    func contains(_ id: String) -> Bool { index(of: id) != nil }

    /// Shows a change before the server has answered. A change that the list has already does nothing, so that an answer of the server from
    /// after the change is not changed again.
    ///
    /// - Parameter hidden: The number of unread items above the list.
    mutating func apply(_ change: InboxChange, hidden: Int = 0) {
        switch change {
        case .read(let id):
            alter(id) {
                guard !$0.isRead else { return }
                $0.isRead = true
                $0.state = .read
            }
        case .unread(let id):
            alter(id) {
                $0.isRead = false
                if $0.state == .read { $0.state = .delivered }
            }
        // A woken item gets its place from the server.
        case .seen, .wake: break
        case .dismiss(let id): alter(id) { $0.state = .dismissed }
        case .remove(let id), .snooze(let id, _): take(id)
        case .undo(let id, let item):
            if contains(id) {
                alter(id) { if $0.state == .dismissed { $0.state = $0.isRead ? .read : .delivered } }
            } else if let item {
                insert(item)
                counts.total += 1
                if item.isUnread { counts.unreadCount += 1 }
            }
        case .readAll(let before):
            for index in items.indices where items[index].place <= before && items[index].isUnread {
                items[index].isRead = true
                items[index].state = .read
            }
            counts.unreadCount = min(counts.unreadCount, hidden + items.count { $0.place > before && $0.isUnread })
        case .clearAll(let before):
            items.removeAll { $0.place <= before }
            counts.total = min(counts.total, hidden + items.count)
            counts.unreadCount = min(counts.unreadCount, hidden + items.count(where: \.isUnread))
        }
    }

    /// Takes over the answer to a change.
    ///
    /// - Parameter isCounted: Whether a signal was faster than the answer, so that the counts have the change already.
    mutating func confirm(_ change: InboxChange, _ answer: ChangeAnswer, isCounted: Bool = false) {
        let told = counts
        // A signal that told of the change is younger than the answer, however late the answer comes.
        defer { if isCounted { counts = told } }
        switch answer {
        case .item(let answer):
            switch change {
            case .snooze(let id, _): take(id)
            case .undo, .wake:
                if let index = index(of: answer.notification.id) {
                    items.remove(at: index)
                } else if !isCounted {
                    counts.total += 1
                }
                insert(answer.notification)
            default:
                if let index = index(of: answer.notification.id) { items[index] = answer.notification }
            }
            counts.unreadCount = answer.unreadCount
        case .counts(let counts):
            apply(change)
            self.counts = counts
        case .readAll(let answer):
            apply(change)
            counts.unreadCount = answer.unreadCount
        case .clearAll(let answer):
            let total = max(0, counts.total - answer.removed)
            apply(change)
            counts = InboxCounts(total: total, unreadCount: answer.unreadCount)
        }
    }

    /// Adds an older page. An item that is there already is updated.
    mutating func append(_ page: [InboxItem]) {
        for item in page {
            if let index = index(of: item.id) { items[index] = item } else { items.append(item) }
        }
    }

    /// Removes an item that does not exist any more.
    mutating func take(_ id: String) {
        guard let index = index(of: id) else { return }
        let item = items.remove(at: index)
        counts.total = max(0, counts.total - 1)
        if item.isUnread { counts.unreadCount = max(0, counts.unreadCount - 1) }
    }

    /// Changes an item and the unread count with it.
    private mutating func alter(_ id: String, _ body: (inout InboxItem) -> Void) {
        guard let index = index(of: id) else { return }
        let wasUnread = items[index].isUnread
        body(&items[index])
        let isUnread = items[index].isUnread
        if wasUnread != isUnread { counts.unreadCount = max(0, counts.unreadCount + (isUnread ? 1 : -1)) }
    }

    /// Puts an item in its place. An item that the next page has is left to that page.
    private mutating func insert(_ item: InboxItem) {
        if let end, item.place < end { return }
        items.insert(item, at: items.firstIndex { $0.place < item.place } ?? items.endIndex)
    }
}
