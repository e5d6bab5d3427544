public import Foundation

/// Keeps the inbox for a start without a network. The bytes hold personal data: keep one cache for each person, in a protected place.
public protocol InboxCache: Sendable {
    /// Returns the stored bytes. Nil if there are none, or if they cannot be read.
    func read() async -> Data?
    /// Replaces the stored bytes. A failure is forgotten: the next start shows an older list, or none, until the server has answered.
    func write(_ data: Data) async
    func remove() async
}

/// A cache in a file.
public struct FileInboxCache: InboxCache {
    private let url: URL

    public init(url: URL) { self.url = url }

    public func read() async -> Data? { try? Data(contentsOf: url) }

    public func write(_ data: Data) async {
        var options: Data.WritingOptions = .atomic
        #if os(iOS)
            options.insert(.completeFileProtectionUntilFirstUserAuthentication)
        #endif
        try? data.write(to: url, options: options)
    }

    public func remove() async { try? FileManager.default.removeItem(at: url) }
}

/// The content of a cache: `{items, total, unreadCount}`. It has only what the server confirmed.
struct CachedInbox: Codable, Hashable, Sendable {
    var items: [InboxItem]
    var total: Int
    var unreadCount: Int

    /// The most items in a cache.
    static let maximumItems = 100

    init(_ list: InboxList) {
        items = Array(list.items.prefix(Self.maximumItems))
        total = list.counts.total
        unreadCount = list.counts.unreadCount
    }

    /// Nil for bytes of another form, which are ignored.
    init?(_ data: Data) {
        guard let cached = try? JSONDecoder().decode(Self.self, from: data) else { return nil }
        self = cached
    }

    var list: InboxList { InboxList(items: items, counts: InboxCounts(total: total, unreadCount: unreadCount)) }
}
