/// Events of the stream.
extension InboxCore {
    mutating func receive(_ event: ServerSentEvent, of number: Int, random: Double) -> [InboxEffect] {
        guard number == stream.number else { return [] }
        if let retry = event.retry { stream.retry = retry }
        if let id = event.id, !id.isEmpty { stream.lastEventID = id }
        switch InboxSignal(event) {
        case .inbox(let changes)?: return receive(changes)
        case .likes(let new)?:
            newLikes += new
            return []
        case .bye?: return [.closeStream] + stream.ended(number, nil, random: random, newNumber: self.number())
        case nil: return []
        }
    }

    /// Takes the counts, counts new items, and asks for the list again if somebody else changed it. The list itself does not move.
    private mutating func receive(_ signal: InboxChanges) -> [InboxEffect] {
        markSignal()
        if let newest = signal.newest { stream.lastEventID = [newest, stream.lastEventID].compactMap { $0 }.max() }
        let isEcho = takeEchoes(signal)
        guard let anchor else {
            confirmed.counts = signal.counts
            return []
        }
        let unknown = signal.new.filter { $0 > anchor && !hidden.contains($0) && !confirmed.contains($0) }
        let known = confirmed.counts
        let expected = InboxCounts(total: known.total + unknown.count, unreadCount: known.unreadCount + unknown.count)
        confirmed.counts = signal.counts
        if signal.reset {
            guard pages.first == nil else {
                pages.next = .reload
                return []
            }
            hidden = []
            return loadFirstPage()
        }
        hidden.formUnion(unknown)
        let isExplained = signal.counts == expected
        // While a change is on its way, counts may be from before it. Its end asks, see `receiveChange`.
        if isEcho, !pending.isEmpty {
            isDoubtful = isDoubtful || !isExplained
            return []
        }
        return isEcho && isExplained && !isDoubtful ? [] : synchronise()
    }

    private mutating func markSignal() {
        pages.first?.sawSignal = true
        pages.older?.sawSignal = true
        pages.sync?.sawSignal = true
    }

    /// Whether every changed id is the echo of a change of this store. An echo counts once.
    private mutating func takeEchoes(_ signal: InboxChanges) -> Bool {
        var used: Set<Int> = []
        var isEcho = true
        for id in signal.changed {
            if let index = echoes.firstIndex(where: { $0.concerns(id) }) {
                used.insert(index)
            } else if isSending, let first = pending.first, first.change.concerns(id) {
                // The signal is faster than the answer: the server has done the change, and its counts have it.
                if !first.isDone {
                    pending[0].isDone = true
                    confirmed.apply(first.change, hidden: hidden.count)
                }
            } else {
                isEcho = false
            }
        }
        for index in used.sorted(by: >) { echoes.remove(at: index) }
        return isEcho
    }
}
