import TidingsCore
import TidingsEncodings
import TidingsStore

/// The id of an event: the positions up to which a stream has told of the inbox and of the likes of its person.
///
/// The text is `INBOX-LIKES`, or `INBOX` while the likes are not known, which is also the position of a page.
struct StreamMark: Sendable, Hashable {
    var inbox: Int64
    /// The position of the newest like. Nil: not known.
    var likes: Int64?

    var text: String { likes.map { "\(inbox)-\($0)" } ?? "\(inbox)" }

    init(inbox: Int64, likes: Int64? = nil) {
        self.inbox = inbox
        self.likes = likes
    }

    /// Nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        let numbers = parts.compactMap { part -> Int64? in
            guard !part.isEmpty, part.utf8.count <= APILimits.positionDigits, part.utf8.allSatisfy(ASCII.isDigit) else { return nil }
            return Int64(part)
        }
        guard numbers.count == parts.count, let inbox = numbers.first else { return nil }
        self.init(inbox: inbox, likes: numbers.count == 2 ? numbers[1] : nil)
    }
}

/// The header `Last-Event-ID` of a client that connects: how much of the inbox and the likes it knows.
struct LastEventID: Sendable, Hashable {
    let inbox: InboxWatcher.Known
    /// Nil: new likes are those from now on.
    let likes: Int64?

    /// - Parameter text: the id of an event, the position of a page, or the id of the newest item, which clients of earlier versions send.
    ///   Another text is not known, so the client must read everything again. An empty text counts as absent.
    init(_ text: String?) {
        guard let text, !text.isEmpty else {
            inbox = .nothing
            likes = nil
            return
        }
        let mark = StreamMark(text)
        likes = mark?.likes
        if let mark {
            inbox = .position(mark.inbox)
        } else if let id = NotificationID(text) {
            inbox = .entry(id)
        } else {
            inbox = .unclear
        }
    }
}
