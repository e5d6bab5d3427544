import Foundation

/// Changes by the person.
extension InboxCore {
    mutating func change(_ action: InboxAction) -> [InboxEffect] {
        guard let change = meaning(of: action) else { return [] }
        guard pending.count < Self.maximumPending else {
            error = .tooManyChanges
            return []
        }
        let list = shown
        if case .remove(let id) = change, let index = list.index(of: id) { remember([list.items[index]]) }
        if case .clearAll(let before) = change { remember(list.items.filter { $0.place <= before }) }
        pending.append(PendingChange(number: number(), change: change))
        return sendNext()
    }

    /// The change that an action asks for. Nil if nothing would change.
    private func meaning(of action: InboxAction) -> InboxChange? {
        let list = shown
        func item(_ id: String) -> InboxItem? { list.index(of: id).map { list.items[$0] } }
        func waits(_ change: InboxChange) -> Bool { pending.last { $0.change.id == change.id }?.change == change }
        switch action {
        case .markRead(let id):
            return item(id)?.isRead == true || waits(.read(id)) ? nil : .read(id)
        case .markUnread(let id):
            if let item = item(id), !item.isRead, item.state != .dismissed { return nil }
            return .unread(id)
        case .markSeen(let id):
            return .seen(id)
        case .dismiss(let id):
            return item(id)?.state == .dismissed || waits(.dismiss(id)) ? nil : .dismiss(id)
        case .remove(let id):
            return waits(.remove(id)) ? nil : .remove(id)
        case .undo(let id):
            return .undo(id, item(id) == nil ? removed.last { $0.id == id } : nil)
        case .snooze(let id, let until):
            return .snooze(id, until: until)
        case .wake(let id):
            return .wake(id)
        case .markAllRead:
            return newest(of: list).map { .readAll(before: $0) }
        case .clearAll:
            return newest(of: list).map { .clearAll(before: $0) }
        default:
            return nil
        }
    }

    /// The uppermost place that the person sees, or saw when the list was loaded.
    private func newest(of list: InboxList) -> ItemPlace? {
        [list.items.first?.place, anchor].compactMap { $0 }.filter { $0 != .bottom }.max()
    }

    private mutating func remember(_ items: [InboxItem]) {
        let ids = Set(items.map(\.id))
        removed = (removed.filter { !ids.contains($0.id) } + items).suffix(Self.maximumRemoved)
    }

    /// Sends the first change, unless it is on its way: the server sees the changes in the order of the calls.
    mutating func sendNext() -> [InboxEffect] {
        guard !isSending, let first = pending.first else { return [] }
        isSending = true
        return [.send(first.number, first.change)]
    }

    mutating func receiveChange(_ number: Int, _ result: Result<ChangeAnswer, InboxError>) -> [InboxEffect] {
        guard let first = pending.first, first.number == number, isSending else { return [] }
        if case .failure(.cancelled) = result { return [] }
        isSending = false
        pending.removeFirst()
        var effects: [InboxEffect] = []
        switch result {
        case .success(let answer):
            error = nil
            confirmed.confirm(first.change, answer, isCounted: first.isDone)
            effects += settle(first)
            switch first.change {
            case .undo(let id, _), .wake(let id): effects += show(returned: id)
            default: break
            }
        case .failure(.notFound):
            effects += settleMissing(first)
        case .failure(let error):
            self.error = error
        }
        if pending.isEmpty, isDoubtful { effects += synchronise() }
        return effects + sendNext()
    }

    /// Moves the top of the list up to an item that came back above the list as it was loaded. Hidden items below it come into view with the
    /// next page, which has room for them as long as they count as hidden.
    private mutating func show(returned id: String) -> [InboxEffect] {
        guard let anchor, let index = confirmed.index(of: id), confirmed.items[index].place > anchor else { return [] }
        self.anchor = confirmed.items[index].place
        hidden[id] = nil
        return hidden.isEmpty ? [] : synchronise()
    }

    /// 404: a deleted item is what a deletion wants. Any other change of a shown item removes the item.
    private mutating func settleMissing(_ entry: PendingChange) -> [InboxEffect] {
        switch entry.change {
        case .remove(let id):
            error = nil
            confirmed.take(id)
            return settle(entry)
        case .undo:
            // Too late. A dismissed item is still there.
            error = .notFound
            return []
        default:
            error = .notFound
            guard let id = entry.change.id, confirmed.contains(id) else { return [] }
            confirmed.take(id)
            return settle(PendingChange(number: entry.number, change: .remove(id)))
        }
    }

    private mutating func settle(_ entry: PendingChange) -> [InboxEffect] {
        if !pages.areNone { log.append((number(), entry.change)) }
        if !entry.isDone, stream.isOpen { echoes = (echoes + [entry.change]).suffix(Self.maximumEchoes) }
        return writeCache()
    }
}
