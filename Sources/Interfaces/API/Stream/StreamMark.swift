import TidingsCore
import TidingsEncodings
import TidingsStore

/// The id of an event: the positions up to which a stream has told of the inbox and of each topic of its person.
///
/// The text is `INBOX-TOPIC`, with a number for each topic. It ends before the first topic that is not known. `INBOX` alone is also the
/// position of a page. A process of another version may have more topics. Their numbers stand at the end, and are left out.
struct StreamMark: Sendable, Hashable {
    var inbox: Int64
    /// The position of the newest thing of each topic. Nil: not known.
    var topics: [Int64?]

    var text: String { ([inbox] + topics.prefix { $0 != nil }.compactMap { $0 }).map { "\($0)" }.joined(separator: "-") }

    init(inbox: Int64, topics: [Int64?] = []) {
        self.inbox = inbox
        self.topics = topics
    }

    /// Nil for any other text.
    ///
    /// - Parameter topics: the number of topics that streams tell of.
    init?(_ text: String, topics: Int) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 1 + topics + APILimits.surplusTopics else { return nil }
        let numbers = parts.compactMap { part -> Int64? in
            guard !part.isEmpty, part.utf8.count <= APILimits.positionDigits, part.utf8.allSatisfy(ASCII.isDigit) else { return nil }
            return Int64(part)
        }
        guard numbers.count == parts.count, let inbox = numbers.first else { return nil }
        self.init(inbox: inbox, topics: numbers.dropFirst().prefix(topics).map { Optional($0) })
    }
}

/// The header `Last-Event-ID` of a client that connects: how much of the inbox and of each topic it knows.
struct LastEventID: Sendable, Hashable {
    let inbox: InboxWatcher.Known
    /// The known positions of topics. If the position of a topic is nil or missing, its new things are those from now on.
    let topics: [Int64?]

    /// - Parameters:
    ///   - text: the id of an event, the position of a page, or the id of the newest item, which clients of earlier versions send. Another
    ///     text is not known, so the client must read everything again. An empty text counts as absent.
    ///   - topics: the number of topics that streams tell of.
    init(_ text: String?, topics: Int) {
        guard let text, !text.isEmpty else {
            inbox = .nothing
            self.topics = []
            return
        }
        // The id of an item may consist of decimal digits, as a mark with four topics does.
        let id = NotificationID(text)
        let mark = id == nil ? StreamMark(text, topics: topics) : nil
        self.topics = mark?.topics ?? []
        if let id {
            inbox = .entry(id)
        } else if let mark {
            inbox = .position(mark.inbox)
        } else {
            inbox = .unclear
        }
    }
}
