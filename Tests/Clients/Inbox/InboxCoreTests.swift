import Foundation
import Testing

@testable import TidingsInbox

/// Any order of changes, pages, signals and failures ends with what the server has.
@Suite struct InboxCoreTests {
    @Test(arguments: 0..<200) func theStoreEndsWithTheServersInbox(seed: UInt64) {
        var play = InboxPlay(seed: seed)
        play.run(steps: 120)
        let (state, server) = (play.core.state, play.server)
        #expect(!state.isBusy)
        #expect(state.counts == server.counts)
        let shown = server.listed.filter { $0.place <= (play.core.anchor ?? .bottom) }
        #expect(state.items.map(\.id) == shown.prefix(state.items.count).map(\.id))
        for item in state.items { #expect(item == shown.first { $0.id == item.id }) }
        #expect(state.items.count >= min(shown.count, play.core.pageSize) || state.canLoadMore)
        #expect(state.newItems == server.listed.count - shown.count)
    }
}

/// A server, a core, and everything that is on its way between them, in an order that a seed decides.
private struct InboxPlay {
    var core = InboxCore(pageSize: 4)
    var server = ModelServer()
    /// Requests that the server has not done yet.
    var requests: [InboxEffect] = []
    /// Answers that the core has not seen yet. The server has done them in this order.
    var answers: [InboxInput] = []
    /// Signals that the core has not seen yet, in their order.
    var signals: [InboxChanges] = []
    var random: SeededNumbers
    private var stream = 0

    init(seed: UInt64) {
        random = SeededNumbers(state: seed)
        for _ in 0..<10 { server.arrive() }
    }

    mutating func run(steps: Int) {
        give(.action(.start))
        give(.action(.load))
        for _ in 0..<steps { step() }
        // The end: everything arrives, and a last signal has the counts, as the server sends them on a change.
        settle()
        // A first page that failed is asked for again.
        give(.action(.networkFound))
        settle()
        signals.append(server.signal(new: [], changed: []))
        settle()
    }

    private mutating func settle() {
        while !requests.isEmpty || !answers.isEmpty || !signals.isEmpty {
            if !requests.isEmpty { work(on: 0, failing: false) }
            while !answers.isEmpty { give(answers.removeFirst()) }
            while !signals.isEmpty { deliverSignal() }
        }
    }

    private mutating func step() {
        switch random.below(10) {
        case 0: signals.append(server.signal(new: [server.arrive()], changed: []))
        case 1: if let id = random.pick(server.listed.map(\.id)) { elsewhere(id) }
        case 2...3: if let id = random.pick(core.state.items.map(\.id)) { give(.action(action(on: id))) }
        case 4: give(.action([.refresh, .loadMore, .loadMore, .showNew, .markAllRead][random.below(5)]))
        case 5...6: if !requests.isEmpty { work(on: random.below(requests.count), failing: random.below(6) == 0) }
        case 7...8: if !answers.isEmpty { give(answers.remove(at: random.below(answers.count))) }
        default: if !signals.isEmpty { deliverSignal() }
        }
    }

    private mutating func action(on id: String) -> InboxAction {
        switch random.below(7) {
        case 0: .markRead(id)
        case 1: .markUnread(id)
        case 2: .dismiss(id)
        case 3: .remove(id)
        case 4: random.pick(server.deleted).map { .undo($0) } ?? .markRead(id)
        case 5: random.pick(server.snoozed).map { .wake($0) } ?? .markRead(id)
        default: .snooze(id, until: Date(timeIntervalSince1970: 1e10))
        }
    }

    /// A change on another device of the person.
    private mutating func elsewhere(_ id: String) {
        let change: InboxChange = random.below(2) == 0 ? .read(id) : .remove(id)
        if server.perform(change) != nil { signals.append(server.signal(new: [], changed: [id])) }
    }

    private mutating func deliverSignal() {
        let data = (try? JSONEncoder().encode(signals.removeFirst())) ?? Data()
        give(.streamEvent(stream, ServerSentEvent(event: "inbox", data: String(decoding: data, as: UTF8.self)), random: 0))
    }

    /// The server does a request. Its answer is on its way, with the signal of a change.
    private mutating func work(on index: Int, failing: Bool) {
        switch requests.remove(at: index) {
        case .loadPage(let number, let limit, let cursor):
            answers.append(.page(number, failing ? .failure(.server(status: 500)) : .success(server.page(limit: limit, cursor: cursor))))
        case .send(let number, let change):
            guard !failing else { return answers.append(.changed(number, .failure(.server(status: 500)))) }
            let arrivals = server.arrivals
            guard let answer = server.perform(change) else { return answers.append(.changed(number, .failure(.notFound))) }
            answers.append(.changed(number, .success(answer)))
            let below = server.listed.filter { item in change.bound.map { item.place <= $0 } == true }
            let changed = change.id.map { [$0] } ?? below.map(\.id)
            signals.append(server.signal(new: server.arrivals > arrivals ? changed : [], changed: changed))
        default: break
        }
    }

    private mutating func give(_ input: InboxInput) {
        var inputs = [input]
        while !inputs.isEmpty {
            for effect in core.handle(inputs.removeFirst()) {
                switch effect {
                case .readCache: inputs.append(.cacheRead(nil))
                case .writeCache, .removeCache: inputs.append(.cacheWritten)
                case .openStream(let number, _):
                    stream = number
                    inputs.append(.streamOpened(number))
                case .loadPage, .send: requests.append(effect)
                case .closeStream, .wait: break
                }
            }
        }
    }
}

/// The inbox on the server, with its rules.
private struct ModelServer {
    private(set) var listed: [InboxItem] = []
    private var gone: [String: InboxItem] = [:]
    private var asleep: [String: InboxItem] = [:]
    private(set) var arrivals = 0
    private var made = 0
    /// The newest position. Each arrival and each change takes one.
    private var position: Int64 = 100

    var deleted: [String] { gone.keys.sorted() }
    var snoozed: [String] { asleep.keys.sorted() }
    var counts: InboxCounts { InboxCounts(total: listed.count, unreadCount: listed.count(where: \.isUnread)) }

    /// The ids are in no order: an item may have waited for its time.
    @discardableResult mutating func arrive() -> String {
        made += 1
        let id = Sample.id(made * 7_919 % 10_007)
        arrive(InboxItem(id: id, type: .system, createdAt: Date(timeIntervalSince1970: 0)))
        return id
    }

    private mutating func arrive(_ item: InboxItem) {
        arrivals += 1
        position += 1
        var item = item
        item.position = position
        listed.insert(item, at: 0)
    }

    func signal(new: [String], changed: [String]) -> InboxChanges {
        InboxChanges(
            unreadCount: counts.unreadCount, total: counts.total, newest: listed.first?.id, new: new, changed: changed, position: position)
    }

    func page(limit: Int, cursor: String) -> InboxPage {
        let items = Int64(cursor).map { bound in listed.filter { $0.position < bound } } ?? listed
        let page = Array(items.prefix(limit))
        return InboxPage(
            notifications: page, total: counts.total, unreadCount: counts.unreadCount, limit: limit,
            nextCursor: items.count > page.count ? page.last.map { String($0.position) } : nil, position: position)
    }

    /// Returns nil for an unknown id.
    mutating func perform(_ change: InboxChange) -> ChangeAnswer? {
        if case .readAll(let before) = change {
            let unread = counts.unreadCount
            for index in listed.indices where listed[index].place <= before && listed[index].isUnread { read(index) }
            position += 1
            return .readAll(ReadAllAnswer(updated: unread - counts.unreadCount, unreadCount: counts.unreadCount))
        }
        guard let id = change.id else { return nil }
        if case .undo = change, let item = gone.removeValue(forKey: id) {
            position += 1
            listed.insert(item, at: listed.firstIndex { $0.place < item.place } ?? listed.endIndex)
            return answer(item)
        }
        if case .wake = change, let item = asleep.removeValue(forKey: id) {
            arrive(item)
            return answer(listed[0])
        }
        guard listed.contains(where: { $0.id == id }) else { return nil }
        position += 1
        return performListed(change, id)
    }

    private mutating func performListed(_ change: InboxChange, _ id: String) -> ChangeAnswer? {
        guard let index = listed.firstIndex(where: { $0.id == id }) else { return nil }
        switch change {
        case .read: read(index)
        case .unread:
            listed[index].isRead = false
            if listed[index].state == .read { listed[index].state = .delivered }
        case .dismiss: listed[index].state = .dismissed
        case .undo: if listed[index].state == .dismissed { listed[index].state = listed[index].isRead ? .read : .delivered }
        case .remove:
            gone[id] = listed.remove(at: index)
            return .counts(counts)
        case .snooze:
            let item = listed.remove(at: index)
            asleep[id] = item
            return answer(item)
        case .seen, .wake, .readAll, .clearAll: break
        }
        return answer(listed[index])
    }

    private mutating func read(_ index: Int) {
        guard !listed[index].isRead else { return }
        listed[index].isRead = true
        listed[index].state = .read
    }

    private func answer(_ item: InboxItem) -> ChangeAnswer {
        .item(ItemAnswer(notification: item, unreadCount: counts.unreadCount))
    }
}

/// Numbers that a seed decides (SplitMix64).
private struct SeededNumbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(limit))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
