import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The state of an inbox as a stream tells it, and the items that have changed: counts and ids, no content.
struct InboxEvent: Sendable, Hashable {
    /// The position up to which the inbox is told with this event.
    private(set) var position: Int64
    private(set) var counts: InboxCounts
    private(set) var newest: NotificationID?
    private(set) var ids: ChangedIDs

    init(_ news: InboxNews) {
        position = news.position
        counts = news.counts
        newest = news.newest
        ids = ChangedIDs()
        ids.add(new: news.arrived, changed: news.changed)
        if !news.isComplete { ids.cutOff() }
    }

    /// Joins a later event to this one, which has not been told yet.
    mutating func join(_ later: InboxEvent) {
        position = later.position
        counts = later.counts
        newest = later.newest
        ids.join(later.ids)
    }

    /// The event of the stream. A client that reconnects goes on from its id.
    ///
    /// - Parameter retry: the milliseconds after which the client reconnects when the stream ends without a word.
    func bytes(id: StreamMark, retry: Int? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("unreadCount", counts.unread)
        json.member("total", counts.total)
        json.optional("newest", newest?.description)
        Self.write(ids.new, as: "new", to: &json)
        Self.write(ids.changed, as: "changed", to: &json)
        json.member("reset", ids.isCutOff)
        json.member("position", position)
        json.endObject()
        return ServerSentEvent(name: "inbox", id: id.text, retry: retry, data: json.text).bytes
    }

    private static func write(_ ids: [NotificationID], as name: String, to json: inout JSONWriter) {
        json.key(name)
        json.beginArray()
        for id in ids { json.string(id.description) }
        json.endArray()
    }
}

/// Ids of items that came or changed, until a stream is told. Beyond a number only the fact is kept.
struct ChangedIDs: Sendable, Hashable {
    private(set) var new: [NotificationID] = []
    private(set) var changed: [NotificationID] = []
    /// Whether there are more than these, so that the app must read the first page again.
    private(set) var isCutOff = false

    mutating func add(new: [NotificationID], changed: [NotificationID]) {
        Self.add(new, to: &self.new, &isCutOff)
        Self.add(changed, to: &self.changed, &isCutOff)
    }

    /// Joins the ids of a later event. The last one stays the first of its list.
    mutating func join(_ later: ChangedIDs) {
        var joined = later
        joined.add(new: new, changed: changed)
        joined.isCutOff = joined.isCutOff || isCutOff
        self = joined
    }

    private static func add(_ ids: [NotificationID], to list: inout [NotificationID], _ isCutOff: inout Bool) {
        for id in ids where !list.contains(id) {
            if list.count < APILimits.idsInEvent { list.append(id) } else { isCutOff = true }
        }
    }

    mutating func cutOff() { isCutOff = true }
}

/// One event of a stream (HTML standard, section 9.2 "Server-sent events").
struct ServerSentEvent: Sendable {
    var name: String
    var id: String?
    /// Milliseconds after which the client reconnects.
    var retry: Int?
    /// One line.
    var data: String

    var bytes: [UInt8] {
        var text = "event: \(name)\n"
        if let id { text += "id: \(id)\n" }
        if let retry { text += "retry: \(retry)\n" }
        return Array((text + "data: \(data)\n\n").utf8)
    }

    /// A comment, which keeps the connection alive and tells the client nothing.
    static let heartbeat = Array(": \n\n".utf8)
}
