import TidingsCore
import TidingsStore

/// A tab that shows the whole inbox of a person. It reads the list once, and then only what the news name.
struct InboxTab {
    private let scene: StoreScene
    private let person: RecipientKey
    /// The position up to which the tab knows the inbox.
    private var known: Int64 = 0
    /// The position of each shown entry.
    private(set) var shown: [NotificationID: Int64] = [:]

    init(of person: RecipientKey, in scene: StoreScene) async throws {
        self.scene = scene
        self.person = person
        try await load()
    }

    /// Changes between two pages come with the news since the first page.
    private mutating func load() async throws {
        shown = [:]
        var start: InboxCursor?
        repeat {
            let page = try await scene.store.inbox.page(of: person, limit: 20, from: .cursor(start))
            if start == nil { known = page.position }
            for item in page.items { shown[item.id] = item.position }
            start = page.next
        } while start != nil
    }

    /// Reads the news, and each entry that they name.
    mutating func listen() async throws {
        let watcher = InboxWatcher(person, known: .position(known))
        guard let news = try await scene.store.inbox.news(of: [watcher]).first else { return }
        guard news.isComplete else { return try await load() }
        for id in Set(news.arrived + news.changed) {
            let item = try await scene.store.inbox.item(id, of: person)?.item
            shown[id] = item?.snoozedUntil == nil ? item?.position : nil
        }
        known = news.position
    }
}
