/// Pages of the list.
extension InboxCore {
    /// Asks for the first page, or joins the request that is on its way.
    mutating func loadFirstPage() -> [InboxEffect] {
        status = .loading
        guard pages.first == nil else { return [] }
        let number = number()
        pages.first = PagesOnTheirWay.Request(number: number)
        // Older pages and updates belong to the list that goes.
        pages.older = nil
        pages.sync = nil
        pages.next = .nothing
        isDoubtful = false
        return [.loadPage(number, limit: pageSize, cursor: "")]
    }

    mutating func loadOlderPage() -> [InboxEffect] {
        guard let nextCursor, pages.older == nil, pages.first == nil else { return [] }
        let number = number()
        pages.older = PagesOnTheirWay.Request(number: number)
        return [.loadPage(number, limit: pageSize, cursor: nextCursor)]
    }

    /// Updates the list in its place, now or after the page that is on its way.
    mutating func synchronise() -> [InboxEffect] {
        guard anchor != nil else { return [] }
        guard pages.first == nil, pages.sync == nil else {
            pages.next = max(pages.next, .sync)
            return []
        }
        let number = number()
        pages.sync = PagesOnTheirWay.Request(number: number)
        isDoubtful = false
        let limit = min(100, max(pageSize, confirmed.items.count + hidden.count))
        return [.loadPage(number, limit: limit, cursor: "")]
    }

    mutating func receivePage(_ number: Int, _ result: Result<InboxPage, InboxError>) -> [InboxEffect] {
        if case .failure(.cancelled) = result { return [] }
        if let request = pages.first, request.number == number {
            pages.first = nil
            return settle(request, result, failing: .failed) { $0.replaceList(with: $1, last: $2) }
        }
        if let request = pages.older, request.number == number {
            pages.older = nil
            return settle(request, result, failing: status) { $0.appendToList($1, last: $2) }
        }
        if let request = pages.sync, request.number == number {
            pages.sync = nil
            return settle(request, result, failing: status) { $0.updateList(with: $1, last: $2) }
        }
        return []
    }

    /// Takes a page over, and begins the work that waits for it.
    private mutating func settle(
        _ request: PagesOnTheirWay.Request, _ result: Result<InboxPage, InboxError>, failing failed: InboxState.Status,
        taking take: (inout InboxCore, InboxPage, _ last: ItemPlace?) -> Void
    ) -> [InboxEffect] {
        var effects: [InboxEffect] = []
        switch result {
        case .failure(let error):
            self.error = error
            status = failed
        case .success(let page):
            error = nil
            permissionHint = page.permissionHint
            let missed = log.filter { $0.number > request.number }.map(\.change)
            let last = page.notifications.last?.place
            var corrected = InboxList(items: page.notifications, counts: page.counts, end: last)
            for change in missed {
                switch change {
                // The page may or may not have an undone or woken item, in any place: another page says where.
                case .undo, .wake: pages.next = max(pages.next, .sync)
                default: corrected.apply(change, hidden: hidden.count)
                }
            }
            var page = page
            page.notifications = corrected.items
            take(&self, page, last)
            // Counts from before a change or a signal must not replace newer ones. If they differ, another page brings the truth.
            if missed.isEmpty, !request.sawSignal {
                confirmed.counts = page.counts
            } else if corrected.counts != confirmed.counts, hidden.isEmpty {
                pages.next = max(pages.next, .sync)
            }
            if let position = page.position, position < request.toldPosition { pages.next = max(pages.next, .sync) }
            effects += writeCache()
        }
        if pages.areNone { log = [] }
        return effects + followUp(isFailed: error != nil)
    }

    private mutating func followUp(isFailed: Bool) -> [InboxEffect] {
        guard pages.first == nil, pages.sync == nil else { return [] }
        let next = pages.next
        pages.next = .nothing
        // After a failure the next signal asks again: a server that fails must not be asked in a loop.
        guard !isFailed else {
            isDoubtful = true
            return []
        }
        return switch next {
        case .nothing: []
        case .sync: synchronise()
        case .reload: loadFirstPage()
        }
    }

    private mutating func replaceList(with page: InboxPage, last: ItemPlace?) {
        status = .loaded
        confirmed.items = page.notifications
        setEnd(of: page, last: last)
        let newest = page.notifications.first?.place ?? .bottom
        anchor = newest
        complete = newest
        if let position = page.position {
            readPosition = max(readPosition, position)
            hidden = hidden.filter { $0.value > position }
        } else {
            hidden = hidden.filter { $0.key > newest.id }
        }
    }

    private mutating func appendToList(_ page: InboxPage, last: ItemPlace?) {
        confirmed.append(page.notifications)
        setEnd(of: page, last: last)
    }

    private mutating func setEnd(of page: InboxPage, last: ItemPlace?) {
        nextCursor = page.nextCursor
        confirmed.end = page.nextCursor == nil ? nil : last ?? confirmed.end
    }

    /// Puts the items of a page in their places. Items above the list stay hidden. Items beyond the page stay as they are, except for those
    /// that have moved into the page, as a woken item does.
    ///
    /// After an item came back above the list, a page may end above the items that were shown before. It would leave a gap, so the list waits
    /// for a longer update, or for the first page.
    private mutating func updateList(with page: InboxPage, last: ItemPlace?) {
        let newest = anchor ?? .bottom
        if let last, page.nextCursor != nil, min(last, newest) > complete {
            if pages.next == .nothing { pages.next = .reload }
            return
        }
        // An arrival that is younger than the page may be below an item that came back.
        complete = min(newest, page.position.map { ItemPlace(position: $0 + 1) } ?? newest)
        // A page that does not reach the list leaves items out that later events still name.
        if page.nextCursor == nil || last.map({ $0 <= newest }) == true { readPosition = max(readPosition, page.position ?? 0) }
        let visible = page.notifications.filter { $0.place <= newest }
        let above = page.notifications.filter { $0.place > newest }
        hidden = Dictionary(above.map { ($0.id, $0.position) }) { first, _ in first }
        let beyond: [InboxItem]
        if let last, page.nextCursor != nil {
            let ids = Set(page.notifications.map(\.id))
            beyond = confirmed.items.filter { $0.place < last && !ids.contains($0.id) }
        } else {
            beyond = []
        }
        confirmed.items = visible + beyond
        if beyond.isEmpty { setEnd(of: page, last: last) }
    }
}
