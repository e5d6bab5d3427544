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
        let isEcho = takeEchoes(signal)
        guard let anchor else {
            confirmed.counts = signal.counts
            pages.first?.toldPosition = signal.position ?? 0
            return []
        }
        let unknown = signal.new.filter { hidden[$0] == nil && !confirmed.contains($0) && isNews($0, of: signal, above: anchor) }
        let known = confirmed.counts
        let expected = InboxCounts(total: known.total + unknown.count, unreadCount: known.unreadCount + unknown.count)
        confirmed.counts = signal.counts
        let isExplained = signal.counts == expected
        // A change of many by this store is a reset too, because the event names only some of its items. The list has them already.
        if signal.reset, signal.changed.isEmpty || !isEcho || !isExplained {
            guard pages.first == nil else {
                pages.next = .reload
                return []
            }
            hidden = [:]
            return loadFirstPage()
        }
        for id in unknown { hidden[id] = signal.position ?? 0 }
        // While a change is on its way, counts may be from before it. Its end asks, see `receiveChange`.
        if isEcho, !pending.isEmpty {
            isDoubtful = isDoubtful || !isExplained
            return []
        }
        return isEcho && isExplained && !isDoubtful && !signal.reset ? [] : synchronise()
    }

    /// Whether a new item of an event is above the list. A page that is younger than the event has the item already, or had it.
    private func isNews(_ id: String, of signal: InboxChanges, above anchor: ItemPlace) -> Bool {
        guard let position = signal.position, readPosition > 0 else { return id > anchor.id }
        return position > readPosition
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
            if let index = echoes.firstIndex(where: { concerns($0, id) }) {
                used.insert(index)
            } else if isSending, let first = pending.first, concerns(first.change, id) {
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

    /// Whether a signal that names the id may be the echo of a change. A change of many concerns items of pages that were not loaded, too.
    private func concerns(_ change: InboxChange, _ id: String) -> Bool {
        guard let bound = change.bound else { return change.id == id }
        if let index = confirmed.index(of: id) { return confirmed.items[index].place <= bound }
        return hidden[id] == nil
    }
}
